/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * tables.h - unwind tables of the test program itself
 */
#ifndef GUEST_TABLES_H
#define GUEST_TABLES_H

#include <perfmon/perfmon_unwind.h>

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

#endif /* GUEST_TABLES_H */
