/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * tables.h - unwind tables of the test program itself, and contexts that use
 *	      them
 */
#ifndef GUEST_TABLES_H
#define GUEST_TABLES_H

#include <stdbool.h>

#include <perfmon/perfmon_callstack_smpl.h>
#include <perfmon/perfmon_unwind.h>

#include "smpl.h"

/* Make an empty set of tables; the module is loaded before. */
int set_new(void);
/* Add @size bytes to the set. Return: 0, or -1 with errno. */
int set_add(int set, int fd, const struct pfm_unwind_head *table, __u32 size);

/* Open the program's file. */
int own_file(void);
/* Compile the program's table; the caller frees it. */
struct pfm_unwind_head *own_table(void);
/* Make a set with the program's table. */
int own_set(void);

/* Create a context of the format callstack that uses a set, or none if 0. */
struct mapped callstack_new(int set);

/*
 * Return the record after @record, or the first one if @record is NULL; *user
 * gets its user chain. The buffer has one region. Return NULL after the last.
 */
const pfm_callstack_record_t *next_record(const struct mapped *m,
					  const pfm_callstack_record_t *record,
					  const __u64 **user);
const pfm_callstack_record_t *last_record(const struct mapped *m,
					  const __u64 **user);

/* Is the outermost address in the program's first function? */
bool ends_in_start(const pfm_callstack_record_t *record, const __u64 *user);

#endif /* GUEST_TABLES_H */
