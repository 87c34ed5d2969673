/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * table_set.h - the kernel's set of unwind tables for user call chains
 *
 * In the code of files without a table, the kernel follows frame pointers.
 * Several threads may use a set.
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
 * Queues a regular file, so that table_set_load() loads its table. Takes
 * ownership of the descriptor. @build_id may be NULL. Unlike table_set_load(),
 * returns quickly.
 */
void table_set_add(struct table_set *set, int fd, const char *build_id);

/*
 * table_set_look_up() makes table_set_looks_up() return true: callers must then
 * report all changes of mappings with table_set_changed(). This is needed if no
 * sample is taken in user space, because the kernel looks up mappings of its
 * own accord only after a sample in user space. The @set of
 * table_set_looks_up() may be NULL.
 */
void table_set_look_up(struct table_set *set);
bool table_set_looks_up(const struct table_set *set);

/*
 * Notes that a process may be new or may have new mappings, so that the next
 * table_set_load() makes the kernel read its mappings.
 */
void table_set_changed(struct table_set *set, pid_t pid);

/*
 * Loads the tables of the files from table_set_add(), and compiles those that
 * are not cached. Then makes the kernel read the mappings of the processes from
 * table_set_changed(). @set may be NULL.
 */
void table_set_load(struct table_set *set);

#endif /* PFMON_STACKS_TABLE_SET_H */
