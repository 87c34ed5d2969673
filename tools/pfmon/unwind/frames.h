/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* frames.h - entries (CIEs and FDEs) of .eh_frame or .debug_frame */
#ifndef PFMON_UNWIND_FRAMES_H
#define PFMON_UNWIND_FRAMES_H

#include "unwind/cfa_state.h"
#include "unwind/cursor.h"
#include "unwind/elf_file.h"

/* Common information entry: the common part of several FDEs. */
struct cie {
	size_t position;		/* in the section */
	const struct elf_part *part;	/* the section */
	struct cursor program;
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;		/* register of the return address */
	uint8_t encoding;	/* of addresses */
	bool sized;		/* FDEs have augmentation data */
	bool signal;		/* a signal interrupted the caller */
	bool usable;		/* pfmon supports its fields */
	struct cfa_state initial;
};

/* The source of the rows that the table contains for a function. */
enum go_kind {
	NOT_GO,			/* from its CIE and program */
	GO_FUNCTION,		/* from @program, Go's table of stack depths */
	GO_TOP,			/* Go: this is the outermost frame */
	GO_WRITES_SP,		/* Go: no rule can describe it */
};

/* Frame description entry: describes a piece of code, usually a function. */
struct fde {
	uint64_t start, size;	/* start: offset in the file */
	uint64_t address;	/* link-time address of the start */
	const struct cie *cie;	/* or NULL for Go */
	struct cursor program;
	enum go_kind go;
	uint32_t unit;		/* Go: bytes of code in a unit of the table */
};

struct frames {
	struct elf_part part;
	bool is_debug;		/* .debug_frame */
	/*
	 * An entry of size 0 marks the end. But linkers also copy such entries
	 * into the middle of a section. They are therefore ignored if the size
	 * of the section is known.
	 */
	bool zero_ends;
	struct cie *cies;
	size_t nr_cies;
	struct fde *fdes;	/* in the order of their starts */
	size_t nr_fdes;
};

/*
 * Read the entries of .eh_frame, or of .debug_frame. Reading ends at a damaged
 * entry. FDEs outside executable segments are omitted. Return 0, even if the
 * file has no such section; a negative errno on failure. The caller calls
 * frames_free() in any case.
 */
int frames_read_eh(struct frames *frames, const struct elf_file *file);
int frames_read_debug(struct frames *frames, const struct elf_file *file);
void frames_free(struct frames *frames);

/*
 * Describe code that the file itself does not describe. frames_init() copies
 * the CIEs @cies. frames_add() adds an FDE for the code at @address; it does
 * nothing if this code is not in the file. Both return 0 or -ENOMEM.
 */
int frames_init(struct frames *frames, const struct cie *cies, size_t nr_cies);
int frames_add(struct frames *frames, const struct elf_file *file, size_t *room,
	       uint64_t address, uint64_t size, const struct cie *cie,
	       struct cursor program);

/* Sorts the FDEs by their starts. */
void frames_sort(struct frames *frames);

/*
 * Reads an encoded address. It may be relative to its own position in the
 * section @part.
 */
uint64_t frames_pointer(const struct elf_part *part, struct cursor *cursor,
			uint8_t encoding);

#endif /* PFMON_UNWIND_FRAMES_H */
