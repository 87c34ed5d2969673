/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* pid_table.h - a hash table with process or thread IDs as keys */
#ifndef PFMON_BASE_PID_TABLE_H
#define PFMON_BASE_PID_TABLE_H

#include <stddef.h>
#include <sys/types.h>

/* The first member of each structure in a table. */
struct pid_entry {
	struct pid_entry *next;
	pid_t pid;
};

/* A zeroed structure is an empty table. */
struct pid_table {
	struct pid_entry **buckets;
	size_t size;		/* a power of two, or 0 */
	size_t count;
};

/* Returns the entry of a pid, or NULL. */
void *pid_table_find(const struct pid_table *table, pid_t pid);

/*
 * Finds or adds the entry of a pid. A new entry has a size of @bytes and is
 * zero after its struct pid_entry.
 */
void *pid_table_get(struct pid_table *table, pid_t pid, size_t bytes);

/* Removes an entry, which the caller owns afterwards. */
void pid_table_remove(struct pid_table *table, struct pid_entry *entry);

/* Removes and frees the entry of a pid, if there is one. */
void pid_table_forget(struct pid_table *table, pid_t pid);

/* Changes an entry's pid; the table must not have an entry for the new pid. */
void pid_table_rename(struct pid_table *table, struct pid_entry *entry,
		      pid_t pid);

/*
 * Calls a function for each entry, in no particular order. The function may
 * remove and free its entry.
 */
void pid_table_each(const struct pid_table *table,
		    void (*visit)(struct pid_entry *entry, void *data),
		    void *data);

/* Frees all entries and the table's own memory. */
void pid_table_free(struct pid_table *table);

#endif /* PFMON_BASE_PID_TABLE_H */
