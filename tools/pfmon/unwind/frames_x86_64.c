// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * frames_x86_64.c - code that x86_64 files have no unwind information about
 *
 * The C library's crti.o has the functions _init() and _fini(), and GCC's
 * crtbeginS.o four functions for constructors and destructors. Programs execute
 * them when they start and exit.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/dwarf.h"
#include "unwind/frames_x86_64.h"

#define RBP	6
#define RSP	7
#define RA	16

#define PROGRAM(bytes)	{ .at = (bytes), .end = (bytes) + sizeof(bytes) }

static const uint8_t called[] = {
	DW_CFA_def_cfa, RSP, 8,
	DW_CFA_offset + RA, 1,
};

static const struct cie cie = {
	.program = PROGRAM(called), .usable = true, .code_align = 1,
	.data_align = -8, .ra = RA,
};

/* _init() and _fini(), which are sections; only the last instruction returns */
#define SUB_RSP		"\x48\x83\xec\x08"
#define ADD_RSP_RET	"\x48\x83\xc4\x08\xc3"

static const uint8_t moves_rsp[] = {
	DW_CFA_advance_loc + 4,
	DW_CFA_def_cfa_offset, 16,
};

/*
 * deregister_tm_clones(), register_tm_clones(), __do_global_dtors_aux() and
 * frame_dummy() of crtbeginS.o, one after the other. A question mark is any
 * byte.
 */
static const char crtbegin[] =
	"\x48\x8d\x3d????\x48\x8d\x05????\x48\x39\xf8\x74\x15"
	"\x48\x8b\x05????\x48\x85\xc0\x74\x09\xff\xe0"
	"\x0f\x1f\x80\0\0\0\0\xc3\x0f\x1f\x80\0\0\0\0"
	"\x48\x8d\x3d????\x48\x8d\x35????\x48\x29\xfe\x48\x89\xf0"
	"\x48\xc1\xee\x3f\x48\xc1\xf8\x03\x48\x01\xc6\x48\xd1\xfe\x74\x14"
	"\x48\x8b\x05????\x48\x85\xc0\x74\x08\xff\xe0"
	"\x66\x0f\x1f\x44\0\0\xc3\x0f\x1f\x80\0\0\0\0"
	"\xf3\x0f\x1e\xfa\x80\x3d????\0\x75\x2b\x55\x48\x83\x3d????\0"
	"\x48\x89\xe5\x74\x0c\x48\x8b\x3d????\xe8????\xe8????\xc6"
	"\x05????\x01\x5d\xc3\x0f\x1f\0\xc3\x0f\x1f\x80\0\0\0\0"
	"\xf3\x0f\x1e\xfa\xe9????";

#define CRTBEGIN	(sizeof(crtbegin) - 1)
#define DTORS		0x70	/* offset of __do_global_dtors_aux() */

/* It pushes and pops rbp. */
static const uint8_t pushes_rbp[] = {
	DW_CFA_advance_loc1, DTORS + 0xe,
	DW_CFA_def_cfa_offset, 16,
	DW_CFA_offset + RBP, 2,
	DW_CFA_advance_loc + 0x26,
	DW_CFA_def_cfa_offset, 8,
	DW_CFA_restore + RBP,
};

static bool is_frame_code(const struct elf_part *part)
{
	size_t start = strlen(SUB_RSP), end = strlen(ADD_RSP_RET);

	return part->size >= start + end &&
	       !memcmp(part->bytes, SUB_RSP, start) &&
	       !memcmp(part->bytes + part->size - end, ADD_RSP_RET, end);
}

static int add_section(struct frames *frames, const struct elf_file *file,
		       size_t *room, const char *name)
{
	const struct cursor moves = PROGRAM(moves_rsp), nothing = { };
	struct elf_part part;
	int found = elf_file_section(file, name, &part);
	uint64_t last;

	if (found <= 0)
		return found;
	last = part.address + part.size - 1;
	found = !is_frame_code(&part) ? 0 :
		frames_add(frames, file, room, part.address, part.size - 1,
			   frames->cies, moves) ?:
		frames_add(frames, file, room, last, 1, frames->cies, nothing);
	free(part.bytes);
	return found;
}

static bool is_crtbegin(const struct elf_file *file, uint64_t address)
{
	uint8_t bytes[CRTBEGIN];
	uint64_t offset;

	if (!elf_file_offset(file, address, sizeof(bytes), &offset) ||
	    !elf_file_read(file, offset, bytes, sizeof(bytes)))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++)
		if (crtbegin[i] != '?' && (uint8_t)crtbegin[i] != bytes[i])
			return false;
	return true;
}

/* The first destructor is __do_global_dtors_aux(). */
static int add_crtbegin(struct frames *frames, const struct elf_file *file,
			size_t *room)
{
	const struct cursor pushes = PROGRAM(pushes_rbp);
	struct elf_part part;
	struct cursor words;
	uint64_t address;
	int found = elf_file_section(file, ".fini_array", &part);

	if (found <= 0)
		return found;
	words = cursor_of(part.bytes, part.size);
	address = cursor_number(&words, sizeof(address)) - DTORS;
	free(part.bytes);
	if (!is_crtbegin(file, address))
		return 0;
	return frames_add(frames, file, room, address, CRTBEGIN, frames->cies,
			  pushes);
}

int frames_read_x86_64(struct frames *frames, const struct elf_file *file)
{
	size_t room = 0;
	int error = frames_init(frames, &cie, 1);

	if (!error)
		error = add_section(frames, file, &room, ".init");
	if (!error)
		error = add_section(frames, file, &room, ".fini");
	if (!error)
		error = add_crtbegin(frames, file, &room);
	frames_sort(frames);
	return error;
}
