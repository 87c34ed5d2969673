/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * table_set.h - the kernel's set of unwind tables for user call chains
 *
 * In code of files without a table, the kernel follows frame pointers. Several
 * threads may use a set.
 */
#ifndef PFMON_STACKS_TABLE_SET_H
#define PFMON_STACKS_TABLE_SET_H

#include <stdbool.h>
#include <sys/types.h>

struct table_set;

/*
 * Creates a set with the table of the vDSO. Returns NULL, with a message, if
 * the kernel does not support sets or the user may not use them.
 */
struct table_set *table_set_open(void);
void table_set_close(struct table_set *set);

int table_set_fd(const struct table_set *set);

/*
 * Notes a regular file whose table must be loaded, and takes ownership of the
 * descriptor. @build_id may be NULL. Unlike table_set_load(), returns quickly.
 */
void table_set_add(struct table_set *set, int fd, const char *build_id);

/*
 * Requests that callers note all changes of mappings: table_set_looks_up() then
 * returns true. This is needed if no sample is taken in user space, because the
 * kernel itself looks up mappings only after such samples. The @set of
 * table_set_looks_up() may be NULL.
 */
void table_set_look_up(struct table_set *set);
bool table_set_looks_up(const struct table_set *set);

/* Notes that a process may be new, or may have new mappings. */
void table_set_changed(struct table_set *set, pid_t pid);

/*
 * Loads the tables of noted files, and compiles those that are not cached. Then
 * makes the kernel read the mappings of noted processes. @set may be NULL.
 */
void table_set_load(struct table_set *set);

#endif /* PFMON_STACKS_TABLE_SET_H */
