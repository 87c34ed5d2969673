/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* library.h - where code is in the shared libraries of a process */
#ifndef PFMON_LIBRARY_H
#define PFMON_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Does a text name a library, as LIBRARY:CODE does? */
bool library_is_named(const char *text);

/*
 * Finds the code of LIBRARY:CODE in what a thread's process has mapped now. The
 * library is named by a path to it, by its file's name, or the beginning of
 * that up to a dot; the code as for symbols_find(). False with a message.
 */
bool library_find(pid_t tid, const char *text, uint64_t *address);

#endif /* PFMON_LIBRARY_H */
