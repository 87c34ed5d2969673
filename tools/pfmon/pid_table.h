/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* pid_table.h - what is known of processes or threads, by their numbers */
#ifndef PFMON_PID_TABLE_H
#define PFMON_PID_TABLE_H

#include <stddef.h>
#include <sys/types.h>

/* The first member of what is in a table. */
struct pid_entry {
	struct pid_entry *next;
	pid_t pid;
};

/* Empty if it is zero. */
struct pid_table {
	struct pid_entry **buckets;
	size_t size;		/* a power of two, or 0 */
	size_t count;
};

/* NULL if there is none. */
void *pid_table_find(const struct pid_table *table, pid_t pid);

/* The entry of a pid; a new one has so many bytes, which are zero. */
void *pid_table_get(struct pid_table *table, pid_t pid, size_t bytes);

/* Takes an entry out, which is the caller's then. */
void pid_table_remove(struct pid_table *table, struct pid_entry *entry);

/* Takes out the entry of a pid, if there is one, and frees it. */
void pid_table_forget(struct pid_table *table, pid_t pid);

/* Gives an entry another number, which no other has. */
void pid_table_rename(struct pid_table *table, struct pid_entry *entry,
		      pid_t pid);

/*
 * Calls a function for each, in no order. It may take out the entry that it is
 * called for, and free it.
 */
void pid_table_each(const struct pid_table *table,
		    void (*visit)(struct pid_entry *entry, void *data),
		    void *data);

/* Frees all entries, and what the table itself takes. */
void pid_table_free(struct pid_table *table);

#endif /* PFMON_PID_TABLE_H */
