/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* frames.h - entries (CIEs and FDEs) of .eh_frame or .debug_frame */
#ifndef PFMON_UNWIND_FRAMES_H
#define PFMON_UNWIND_FRAMES_H

#include "unwind/cfa_state.h"
#include "unwind/cursor.h"
#include "unwind/elf_file.h"

/* Common information entry: what the descriptions of functions share. */
struct cie {
	size_t position;		/* in the section */
	const struct elf_part *part;	/* the section */
	struct cursor program;
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;		/* register of the return address */
	uint8_t encoding;	/* of addresses */
	bool sized;		/* FDEs have augmentation data */
	bool signal;		/* the caller was interrupted */
	bool usable;		/* nothing unknown precedes the program */
	struct cfa_state initial;
};

/* How a function is compiled to rows. */
enum go_kind {
	NOT_GO,			/* by its CIE and program */
	GO_FUNCTION,		/* @program is Go's table of stack depths */
	GO_TOP,			/* Go: this is an outermost frame */
	GO_WRITES_SP,		/* Go: no rule can be given */
};

/* Frame description entry: a piece of code, mostly a function. */
struct fde {
	uint64_t start, size;	/* start: offset in the file */
	uint64_t address;	/* link-time address of the start */
	const struct cie *cie;	/* or NULL: of Go */
	struct cursor program;
	enum go_kind go;
	uint32_t unit;		/* of Go's table: bytes of code */
};

struct frames {
	struct elf_part part;
	bool is_debug;		/* .debug_frame */
	/*
	 * A size of 0 is the end. The linker also copies this mark into the
	 * middle of sections, so it does not count if their size is known.
	 */
	bool zero_ends;
	struct cie *cies;
	size_t nr_cies;
	struct fde *fdes;	/* in the order of their starts */
	size_t nr_fdes;
};

/*
 * Read the entries of .eh_frame, or of .debug_frame. A damaged entry ends the
 * list; FDEs outside executable segments are left out. Returns 0, also if the
 * file has no such section, or a negative errno. frames_free() is needed in
 * either case.
 */
int frames_read_eh(struct frames *frames, const struct elf_file *file);
int frames_read_debug(struct frames *frames, const struct elf_file *file);
void frames_free(struct frames *frames);

/* Sorts the FDEs by their starts. */
void frames_sort(struct frames *frames);

/* Reads an address; the section is needed for relative addresses. */
uint64_t frames_pointer(const struct elf_part *part, struct cursor *cursor,
			uint8_t encoding);

#endif /* PFMON_UNWIND_FRAMES_H */
