/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* kernel_symbols.h - read the symbols of the kernel */
#ifndef PFMON_CAPTURE_KERNEL_SYMBOLS_H
#define PFMON_CAPTURE_KERNEL_SYMBOLS_H

#include "capture/capture.h"

/*
 * Reads and compresses /proc/kallsyms again, or for the first time; if that is
 * impossible, prints why.
 */
void kernel_symbols_read(struct packed *packed);

#endif /* PFMON_CAPTURE_KERNEL_SYMBOLS_H */
