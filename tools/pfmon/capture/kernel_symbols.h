/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* kernel_symbols.h - read the symbols of the kernel */
#ifndef PFMON_CAPTURE_KERNEL_SYMBOLS_H
#define PFMON_CAPTURE_KERNEL_SYMBOLS_H

#include "capture/capture.h"

/* The symbols of the kernel and of its modules. */
struct kernel_symbols {
	struct packed text;	/* of /proc/kallsyms */
	char *modules;		/* that were loaded */
};

/*
 * Reads and compresses /proc/kallsyms again, or for the first time. On failure,
 * keeps the earlier symbols, prints why, and returns false.
 */
bool kernel_symbols_read(struct kernel_symbols *symbols);
void kernel_symbols_free(struct kernel_symbols *symbols);

/* Returns whether modules were loaded or unloaded since the last reading. */
bool kernel_symbols_have_old_modules(const struct kernel_symbols *symbols);

#endif /* PFMON_CAPTURE_KERNEL_SYMBOLS_H */
