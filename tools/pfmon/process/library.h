/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* library.h - find code in the shared libraries of a process */
#ifndef PFMON_PROCESS_LIBRARY_H
#define PFMON_PROCESS_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether a text has the form LIBRARY:CODE. */
bool library_is_named(const char *text);

/*
 * Finds LIBRARY:CODE in the current mappings of a thread's process. LIBRARY is
 * a path, a file name, or a file name up to one of its dots. CODE is as for
 * symbols_find(). Returns false with a message on failure.
 */
bool library_find(pid_t tid, const char *text, uint64_t *address);

#endif /* PFMON_PROCESS_LIBRARY_H */
