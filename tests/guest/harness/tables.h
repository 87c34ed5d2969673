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

/* Load the module pfm_unwind, and create an empty set of tables. */
int set_new(void);
/*
 * Add the table of the program file @fd to the set. The table has @size bytes.
 * Return: 0, or -1 with errno.
 */
int set_add(int set, int fd, const struct pfm_unwind_head *table, __u32 size);

/* Open this program's file. Return: the descriptor. */
int own_file(void);
/* Compile this program's table. The caller frees it. */
struct pfm_unwind_head *own_table(void);
/* Make a set with this program's table. */
int own_set(void);

/*
 * Create a context of the format callstack that uses a set, or no set if @set
 * is 0.
 */
struct mapped callstack_new(int set);

/*
 * Return the record after @record, or the first one if @record is NULL. Return
 * NULL after the last record. Store the address of the record's user chain in
 * *user. The buffer must have one region.
 */
const pfm_callstack_record_t *next_record(const struct mapped *m,
					  const pfm_callstack_record_t *record,
					  const __u64 **user);
const pfm_callstack_record_t *last_record(const struct mapped *m,
					  const __u64 **user);

/*
 * Return whether the outermost address is in _start(), the program's first
 * function.
 */
bool ends_in_start(const pfm_callstack_record_t *record, const __u64 *user);

#endif /* GUEST_TABLES_H */
