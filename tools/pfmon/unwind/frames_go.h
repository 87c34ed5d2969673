/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* frames_go.h - functions of Go programs, which .gopclntab describes */
#ifndef PFMON_UNWIND_FRAMES_GO_H
#define PFMON_UNWIND_FRAMES_GO_H

#include "unwind/frames.h"
#include "unwind/table.h"

/*
 * Reads the functions of a Go program. Returns 0 or a negative errno. The
 * caller calls frames_free() in any case.
 */
int frames_read_go(struct frames *frames, const struct elf_file *file);

/* Adds the rows of a Go function. Returns 0 or a negative errno. */
int frames_go_rows(const struct fde *fde, const struct unwind_machine *machine,
		   struct table *table);

#endif /* PFMON_UNWIND_FRAMES_GO_H */
