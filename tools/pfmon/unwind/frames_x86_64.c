// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * frames_x86_64.c - describe known code whose unwind information is missing or
 * wrong
 *
 * The C library's crti.o contains the functions _init() and _fini(). GCC's
 * crtbegin*.o contains four functions for constructors and destructors.
 * Programs execute all of these when they start or exit. Static programs also
 * have a PLT for ifuncs such as memcpy(), whose code is chosen when the program
 * starts.
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

/*
 * _init() and _fini() each fill a section of their own, .init and .fini. Their
 * only return instruction is at the end of the section.
 */
#define SUB_RSP		"\x48\x83\xec\x08"
#define ADD_RSP_RET	"\x48\x83\xc4\x08\xc3"

static const uint8_t moves_rsp[] = {
	DW_CFA_advance_loc + 4,
	DW_CFA_def_cfa_offset, 16,
};

/*
 * Code of crtbegin*.o: deregister_tm_clones(), register_tm_clones(),
 * __do_global_dtors_aux() and frame_dummy(), one after the other. A question
 * mark stands for any byte. The last two functions may push and pop rbp.
 */
struct known {
	const char *code;
	size_t size;
	struct cursor program;
};

/*
 * Offsets in this code: of __do_global_dtors_aux(), and of the point at which
 * it has pushed rbp.
 */
#define DTORS		0x70
#define DTORS_PUSHED	0x7e

/* crtbeginS.o. Linkers may replace the instructions that read the GOT. */
static const char of_shared[] =
	"\x48\x8d\x3d????\x48\x8d\x05????\x48\x39\xf8\x74\x15"
	"\x48??????\x48\x85\xc0\x74\x09\xff\xe0"
	"\x0f\x1f\x80\0\0\0\0\xc3\x0f\x1f\x80\0\0\0\0"
	"\x48\x8d\x3d????\x48\x8d\x35????\x48\x29\xfe\x48\x89\xf0"
	"\x48\xc1\xee\x3f\x48\xc1\xf8\x03\x48\x01\xc6\x48\xd1\xfe\x74\x14"
	"\x48??????\x48\x85\xc0\x74\x08\xff\xe0"
	"\x66\x0f\x1f\x44\0\0\xc3\x0f\x1f\x80\0\0\0\0"
	"\xf3\x0f\x1e\xfa\x80\x3d????\0\x75\x2b\x55\x48\x83\x3d????\0"
	"\x48\x89\xe5\x74\x0c\x48\x8b\x3d????\xe8????\xe8????\xc6"
	"\x05????\x01\x5d\xc3\x0f\x1f\0\xc3\x0f\x1f\x80\0\0\0\0"
	"\xf3\x0f\x1e\xfa\xe9????";

static const uint8_t of_shared_moves[] = {
	DW_CFA_advance_loc1, DTORS_PUSHED,
	DW_CFA_def_cfa_offset, 16, DW_CFA_offset + RBP, 2,
	DW_CFA_advance_loc + 0x26,
	DW_CFA_def_cfa_offset, 8, DW_CFA_restore + RBP,
};

/* The first two functions in programs that have a fixed address */
#define TM_CLONES							\
	"\xb8????\x48\x3d????\x74\x13\xb8????\x48\x85\xc0\x74\x09"	\
	"\xbf????\xff\xe0\x66\x90\xc3"					\
	"\x66\x66\x2e\x0f\x1f\x84\0\0\0\0\0\x0f\x1f\x40\0"		\
	"\xbe????\x48\x81\xee????\x48\x89\xf0\x48\xc1\xee\x3f"		\
	"\x48\xc1\xf8\x03\x48\x01\xc6\x48\xd1\xfe\x74\x11"		\
	"\xb8????\x48\x85\xc0\x74\x07\xbf????\xff\xe0\xc3"		\
	"\x66\x66\x2e\x0f\x1f\x84\0\0\0\0\0\x0f\x1f\x40\0"

/* crtbegin.o */
static const char of_fixed[] =
	TM_CLONES
	"\xf3\x0f\x1e\xfa\x80\x3d????\0\x75\x13\x55\x48\x89\xe5"
	"\xe8????\xc6\x05????\x01\x5d\xc3\x90\xc3"
	"\x66\x66\x2e\x0f\x1f\x84\0\0\0\0\0\x0f\x1f\x40\0"
	"\xf3\x0f\x1e\xfa\xeb\x8a";

static const uint8_t of_fixed_moves[] = {
	DW_CFA_advance_loc1, DTORS_PUSHED,
	DW_CFA_def_cfa_offset, 16, DW_CFA_offset + RBP, 2,
	DW_CFA_advance_loc + 0x10,
	DW_CFA_def_cfa_offset, 8, DW_CFA_restore + RBP,
};

/* crtbeginT.o, for static programs */
static const char of_static[] =
	TM_CLONES
	"\xf3\x0f\x1e\xfa\x80\x3d????\0\x75\x2b\x55\x48\x89\xe5\xe8????\xb8"
	"????\x48\x85\xc0\x74\x0a\xbf????\xe8????\xc6\x05????\x01\x5d\xc3"
	"\x0f\x1f\x44\0\0\xc3\x0f\x1f\x80\0\0\0\0\xf3\x0f\x1e\xfa"
	"\xb8????\x48\x85\xc0\x74\x22\x55\xbe????\xbf????\x48\x89\xe5"
	"\xe8????\x5d\xe9????\x66\x0f\x1f\x84\0\0\0\0\0\xe9????";

static const uint8_t of_static_moves[] = {
	DW_CFA_advance_loc1, DTORS_PUSHED,
	DW_CFA_def_cfa_offset, 16, DW_CFA_offset + RBP, 2,
	DW_CFA_advance_loc + 0x24,
	DW_CFA_def_cfa_offset, 8, DW_CFA_restore + RBP,
	DW_CFA_advance_loc + 0x1d,
	DW_CFA_def_cfa_offset, 16, DW_CFA_offset + RBP, 2,
	DW_CFA_advance_loc + 0x13,
	DW_CFA_def_cfa_offset, 8, DW_CFA_restore + RBP,
};

#define KNOWN(name)	{ name, sizeof(name) - 1, PROGRAM(name##_moves) }
static const struct known crtbegin[] = {
	KNOWN(of_shared), KNOWN(of_fixed), KNOWN(of_static),
};

/* An entry of a static program's PLT: a jump. */
static const char plt_entry[] = "\xff\x25????\x66\x90";

/*
 * The part of the C library's setcontext() and swapcontext() that replaces rsp,
 * loads other registers, and then pushes the address at which the new context
 * continues. Until the push, this address is not on the stack.
 */
static const char switches[] =
	"\x48\x8b\xa2\xa0\0\0\0\x48\x8b\x9a\x80\0\0\0\x48\x8b\x6a\x78"
	"\x4c\x8b\x62\x48\x4c\x8b\x6a\x50\x4c\x8b\x72\x58\x4c\x8b\x7a\x60"
	"\x48\x8b\x8a\xa8\0\0\0\x51";

static const uint8_t setcontext_moves[] = {
	DW_CFA_advance_loc + 1, DW_CFA_def_cfa_offset, 16,
	DW_CFA_advance_loc + 28, DW_CFA_def_cfa_offset, 8,
	DW_CFA_advance_loc + 31, DW_CFA_remember_state, DW_CFA_undefined, RSP,
	DW_CFA_advance_loc + 35, DW_CFA_restore_state,
};

static const uint8_t swapcontext_moves[] = {
	DW_CFA_advance_loc1, 175, DW_CFA_remember_state, DW_CFA_undefined, RSP,
	DW_CFA_advance_loc + 35, DW_CFA_restore_state,
};

/* A function that contains the code @switches at @offset. */
struct context_switch {
	uint64_t size, offset;	/* size: of the code that the FDE describes */
	struct cursor program;
};

#define NR_CONTEXT_SWITCHES	2

static const struct context_switch context_switches[NR_CONTEXT_SWITCHES] = {
	{ 125, 53, PROGRAM(setcontext_moves) },
	{ 260, 168, PROGRAM(swapcontext_moves) },
};

static bool is_same(const char *code, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (code[i] != '?' && (uint8_t)code[i] != bytes[i])
			return false;
	return true;
}

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

/* Returns the known code of crtbegin*.o that is at an address, or NULL. */
static const struct known *find_crtbegin(const struct elf_file *file,
					 uint64_t address)
{
	uint8_t bytes[sizeof(of_static)];
	uint64_t offset;

	for (size_t i = 0; i < sizeof(crtbegin) / sizeof(*crtbegin); i++) {
		const struct known *known = &crtbegin[i];

		if (elf_file_offset(file, address, known->size, &offset) &&
		    elf_file_read(file, offset, bytes, known->size) &&
		    is_same(known->code, bytes, known->size))
			return known;
	}
	return NULL;
}

/*
 * Describes the code of crtbegin*.o. Finds it by the first destructor, which is
 * __do_global_dtors_aux().
 */
static int add_crtbegin(struct frames *frames, const struct elf_file *file,
			size_t *room)
{
	const struct known *known;
	struct elf_part part;
	struct cursor words;
	uint64_t address;
	int found = elf_file_section(file, ".fini_array", &part);

	if (found <= 0)
		return found;
	words = cursor_of(part.bytes, part.size);
	address = cursor_number(&words, sizeof(address)) - DTORS;
	free(part.bytes);
	known = find_crtbegin(file, address);
	if (!known)
		return 0;
	return frames_add(frames, file, room, address, known->size,
			  frames->cies, known->program);
}

static int add_plt(struct frames *frames, const struct elf_file *file,
		   size_t *room)
{
	const struct cursor nothing = { };
	size_t size = sizeof(plt_entry) - 1, at = 0;
	struct elf_part part;
	int found = elf_file_section(file, ".plt", &part);

	if (found <= 0)
		return found;
	while (part.size - at >= size &&
	       is_same(plt_entry, part.bytes + at, size))
		at += size;
	free(part.bytes);
	return frames_add(frames, file, room, part.address, at, frames->cies,
			  nothing);
}

static bool has_switch(const struct elf_file *file, const struct fde *fde,
		       const struct context_switch *of)
{
	uint8_t bytes[sizeof(switches) - 1];

	return fde->size == of->size &&
	       elf_file_read(file, fde->start + of->offset, bytes,
			     sizeof(bytes)) &&
	       is_same(switches, bytes, sizeof(bytes));
}

void frames_correct_x86_64(struct frames *frames, const struct elf_file *file)
{
	const struct context_switch *of = context_switches;
	const struct context_switch *end = of + NR_CONTEXT_SWITCHES;

	for (; of < end; of++)
		for (size_t i = 0; i < frames->nr_fdes; i++)
			if (has_switch(file, &frames->fdes[i], of))
				frames->fdes[i].program = of->program;
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
	if (!error)
		error = add_plt(frames, file, &room);
	frames_sort(frames);
	return error;
}
