// SPDX-License-Identifier: MIT OR GPL-2.0
/* padding.c - padding between functions */
#include "unwind/cursor.h"
#include "unwind/padding.h"

/*
 * Sizes in bytes. A gap between functions is padding if it is smaller than
 * SMALLEST_FUNCTION, and code if it is larger than LARGEST_PADDING. In between,
 * it is padding if all its instructions do nothing.
 */
#define SMALLEST_FUNCTION	16
#define LARGEST_PADDING		63

#define NOP_ARM64	0xd503201f

/*
 * Skips an x86 instruction that does nothing. Returns false if the instruction
 * is another one.
 */
static bool skip_nop(struct cursor *code)
{
	/* Size of the displacement, by the upper two bits of the ModRM byte */
	static const uint8_t offset_sizes[] = { 0, 1, 4 };
	uint8_t byte = cursor_u8(code);

	while (byte == 0x66 || byte == 0x2e)
		byte = cursor_u8(code);
	if (byte == 0x90)
		return true;
	if (byte != 0x0f || cursor_u8(code) != 0x1f)
		return false;
	byte = cursor_u8(code);
	if (byte >> 6 >= sizeof(offset_sizes))
		return false;
	cursor_skip(code, (byte & 7) == 4);
	cursor_skip(code, offset_sizes[byte >> 6]);
	return !code->failed;
}

static bool does_nothing(struct cursor code, bool is_arm64)
{
	while (cursor_left(&code)) {
		if (is_arm64 ? cursor_number(&code, 4) != NOP_ARM64 :
			       !skip_nop(&code))
			return false;
	}
	return true;
}

bool is_padding(const struct elf_file *file, uint64_t start, uint64_t end)
{
	uint8_t bytes[LARGEST_PADDING];
	uint64_t size = end - start;

	if (size < SMALLEST_FUNCTION)
		return true;
	return size <= sizeof(bytes) &&
	       elf_file_read(file, start, bytes, size) &&
	       does_nothing(cursor_of(bytes, size), file->machine->links);
}
