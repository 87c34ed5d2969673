// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * frames_arm64.c - describe known code of arm64 files that lacks unwind
 * information
 *
 * On x86_64 the linker and the kernel describe this code in .eh_frame.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/dwarf.h"
#include "unwind/frames_arm64.h"

#define FP	29
#define LR	30
#define SP	31

#define INSTRUCTION	4	/* bytes */
#define BTI_C		0xd503245f

/* Limits in bytes; the vDSO has only a few pages. */
#define LARGEST_VDSO		65536
#define LARGEST_FUNCTION	4096

#define PROGRAM(bytes)	{ .at = (bytes), .end = (bytes) + sizeof(bytes) }

/*
 * The state at a function's entry: a call does not change sp, and stores the
 * return address in the link register.
 */
static const uint8_t called[] = { DW_CFA_def_cfa, SP, 0 };

/* The first entry of the PLT has 32 bytes and pushes two words. */
static const uint8_t plt[] = {
	DW_CFA_advance_loc + 1,
	DW_CFA_def_cfa_offset, 16,
	DW_CFA_offset + LR, 1,
	DW_CFA_advance_loc + 7,
	DW_CFA_def_cfa_offset, 0,
	DW_CFA_restore + LR,
};

/* A PLT that begins with the instruction BTI_C. */
static const uint8_t plt_bti[] = {
	DW_CFA_advance_loc + 2,
	DW_CFA_def_cfa_offset, 16,
	DW_CFA_offset + LR, 1,
	DW_CFA_advance_loc + 6,
	DW_CFA_def_cfa_offset, 0,
	DW_CFA_restore + LR,
};

/* At the signal trampoline, sp points to the kernel's struct rt_sigframe. */
static const uint8_t sigreturn[] = {
	/* The saved sp, pc and x29 are at offsets 560, 568 and 544. */
	DW_CFA_def_cfa_expression, 4, DW_OP_breg31, 0xb0, 0x04, DW_OP_deref,
	DW_CFA_expression, LR, 3, DW_OP_breg31, 0xb8, 0x04,
	DW_CFA_expression, FP, 3, DW_OP_breg31, 0xa0, 0x04,
};

enum { CIE_CALLED, CIE_SIGNAL, NR_CIES };

static const struct cie cies[NR_CIES] = {
	[CIE_CALLED] = { .program = PROGRAM(called), .usable = true,
			 .code_align = INSTRUCTION, .data_align = -8,
			 .ra = LR },
	[CIE_SIGNAL] = { .program = PROGRAM(called), .usable = true,
			 .code_align = INSTRUCTION, .data_align = -8,
			 .ra = LR, .signal = true },
};

struct symbols {
	struct elf_part table, names;
};

static int add_plt(struct frames *frames, const struct elf_file *file,
		   size_t *room)
{
	struct cursor program = PROGRAM(plt), bti = PROGRAM(plt_bti), code;
	struct elf_part part;
	int found = elf_file_section(file, ".plt", &part);

	if (found <= 0)
		return found;
	code = cursor_of(part.bytes, part.size);
	if (cursor_number(&code, INSTRUCTION) == BTI_C)
		program = bti;
	free(part.bytes);
	return frames_add(frames, file, room, part.address, part.size,
			  &frames->cies[CIE_CALLED], program);
}

/* Returns whether an instruction allocates space on the stack. */
static bool moves_sp(uint32_t code)
{
	return (code & 0xffc003e0) == 0xa98003e0 ||	/* stp ..., [sp, #]! */
	       (code & 0xffe00fe0) == 0xf8000fe0 ||	/* str ..., [sp, #]! */
	       (code & 0xff8003ff) == 0xd10003ff;	/* sub sp, sp, # */
}

/*
 * Returns whether a function is a leaf: if it does not move sp, it cannot save
 * the return address, and therefore calls no other function.
 */
static bool is_leaf(const struct elf_file *file, const Elf64_Sym *symbol)
{
	uint8_t bytes[LARGEST_FUNCTION];
	struct cursor code;
	uint64_t offset;

	if (symbol->st_size > sizeof(bytes) ||
	    !elf_file_offset(file, symbol->st_value, symbol->st_size,
			     &offset) ||
	    !elf_file_read(file, offset, bytes, symbol->st_size))
		return false;
	code = cursor_of(bytes, symbol->st_size);
	while (cursor_left(&code) >= INSTRUCTION) {
		if (moves_sp((uint32_t)cursor_number(&code, INSTRUCTION)))
			return false;
	}
	return true;
}

/*
 * Adds a function. The FDE of the signal trampoline also includes the
 * instruction before it, which is never executed: the return address of a
 * signal handler is the start of the trampoline, and an unwinder looks up the
 * instruction before a return address.
 */
static int add_symbol(struct frames *frames, const struct elf_file *file,
		      size_t *room, const Elf64_Sym *symbol, const char *name)
{
	struct cursor trampoline = PROGRAM(sigreturn), nothing = { .at = NULL };

	if (!strcmp(name, "__kernel_rt_sigreturn"))
		return frames_add(frames, file, room,
				  symbol->st_value - INSTRUCTION,
				  symbol->st_size + INSTRUCTION,
				  &frames->cies[CIE_SIGNAL], trampoline);
	if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC ||
	    strncmp(name, "__kernel_", strlen("__kernel_")) ||
	    !is_leaf(file, symbol))
		return 0;
	return frames_add(frames, file, room, symbol->st_value,
			  symbol->st_size, &frames->cies[CIE_CALLED], nothing);
}

static int add_symbols(struct frames *frames, const struct elf_file *file,
		       size_t *room, const struct symbols *symbols)
{
	struct cursor names;
	Elf64_Sym symbol;
	int error = 0;

	for (size_t i = 0; i < symbols->table.size / sizeof(symbol) && !error;
	     i++) {
		memcpy(&symbol, symbols->table.bytes + i * sizeof(symbol),
		       sizeof(symbol));
		names = cursor_of(symbols->names.bytes, symbols->names.size);
		cursor_skip(&names, symbol.st_name);
		error = add_symbol(frames, file, room, &symbol,
				   cursor_text(&names));
	}
	return error;
}

static int add_vdso(struct frames *frames, const struct elf_file *file,
		    size_t *room)
{
	struct symbols symbols = { .table = { .bytes = NULL } };
	int found = elf_file_section(file, ".dynsym", &symbols.table);

	if (found > 0)
		found = elf_file_section(file, ".dynstr", &symbols.names);
	if (found > 0)
		found = add_symbols(frames, file, room, &symbols);
	free(symbols.table.bytes);
	free(symbols.names.bytes);
	return found;
}

int frames_read_arm64(struct frames *frames, const struct elf_file *file)
{
	size_t room = 0;
	int error = frames_init(frames, cies, NR_CIES);

	if (!error)
		error = add_plt(frames, file, &room);
	if (!error && file->size <= LARGEST_VDSO)
		error = add_vdso(frames, file, &room);
	frames_sort(frames);
	return error;
}
