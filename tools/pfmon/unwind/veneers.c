// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * veneers.c - instructions that the linker has moved out of functions
 *
 * Because of erratum 843419 of the Cortex-A53, linkers for arm64 replace some
 * loads and stores with branches to veneers. A veneer consists of the replaced
 * instruction and a branch back. The instruction does not change sp, so the
 * unwind rule of the place from which it was moved also applies to the veneer.
 */
#include "unwind/cursor.h"
#include "unwind/veneers.h"

#define INSTRUCTION	4	/* bytes */
#define VENEER		(2 * INSTRUCTION)
/* GNU ld collects veneers in an area of 4 KiB between two functions. */
#define LARGEST_GAP	(4096 + 64)

/*
 * Sets *target to the destination of the branch instruction @code, which is at
 * the file offset @at. Returns false if @code is not a branch.
 */
static bool branch_target(uint32_t code, uint64_t at, uint64_t *target)
{
	int64_t distance = (int32_t)(code << 6) >> 4;

	*target = at + (uint64_t)distance;
	return code >> 26 == 5;
}

/*
 * Sets *place to the file offset from which the instruction of the veneer at
 * @at was moved. Returns false if the code at @at is not a veneer.
 */
static bool find_place(const struct elf_file *file, struct cursor veneer,
		       uint64_t at, uint64_t *place)
{
	uint8_t bytes[INSTRUCTION];
	struct cursor code = cursor_of(bytes, sizeof(bytes));
	uint64_t back, to;

	cursor_skip(&veneer, INSTRUCTION);
	if (!branch_target((uint32_t)cursor_number(&veneer, INSTRUCTION),
			   at + INSTRUCTION, &back))
		return false;
	*place = back - INSTRUCTION;
	return *place < at && elf_file_read(file, *place, bytes,
					    sizeof(bytes)) &&
	       branch_target((uint32_t)cursor_number(&code, INSTRUCTION),
			     *place, &to) && to == at;
}

static int add_veneer(struct table *table, uint64_t at, uint64_t place)
{
	static const struct pfm_unwind_rule none = { .kind = PFM_UNWIND_NONE };
	const struct pfm_unwind_rule rule = table_rule(table, place);

	return table_add(table, at, &rule) ?:
	       table_add(table, at + VENEER, &none);
}

int veneers_add(struct table *table, const struct elf_file *file,
		uint64_t start, uint64_t end)
{
	uint64_t size = end - start, place;
	uint8_t bytes[LARGEST_GAP];
	struct cursor code;
	int error = 0;

	if (size > sizeof(bytes))
		size = sizeof(bytes);
	if (!elf_file_read(file, start, bytes, size))
		return 0;
	for (code = cursor_of(bytes, size); cursor_left(&code) >= VENEER &&
	     !error; cursor_skip(&code, INSTRUCTION)) {
		uint64_t at = start + (uint64_t)(code.at - bytes);

		if (find_place(file, code, at, &place))
			error = add_veneer(table, at, place);
	}
	return error;
}
