// SPDX-License-Identifier: MIT OR GPL-2.0
/* pid_table.c - a hash table with process or thread IDs as keys */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/pid_table.h"
#include "base/util.h"

#define FIRST_SIZE	64

/*
 * An ID is its own hash: the kernel assigns consecutive IDs, which fill the
 * buckets evenly.
 */
static struct pid_entry **bucket_of(const struct pid_table *table, pid_t pid)
{
	return &table->buckets[(size_t)pid & (table->size - 1)];
}

static void insert(struct pid_table *table, struct pid_entry *entry)
{
	struct pid_entry **bucket = bucket_of(table, entry->pid);

	entry->next = *bucket;
	*bucket = entry;
}

static void grow(struct pid_table *table)
{
	struct pid_table larger = {
		.size = table->size ? 2 * table->size : FIRST_SIZE,
		.count = table->count,
	};

	larger.buckets = checked_calloc(larger.size, sizeof(*larger.buckets));
	for (size_t i = 0; i < table->size; i++) {
		while (table->buckets[i]) {
			struct pid_entry *entry = table->buckets[i];

			table->buckets[i] = entry->next;
			insert(&larger, entry);
		}
	}
	free(table->buckets);
	*table = larger;
}

void *pid_table_find(const struct pid_table *table, pid_t pid)
{
	struct pid_entry *entry;

	if (!table->size)
		return NULL;
	for (entry = *bucket_of(table, pid); entry; entry = entry->next) {
		if (entry->pid == pid)
			return entry;
	}
	return NULL;
}

void *pid_table_get(struct pid_table *table, pid_t pid, size_t bytes)
{
	struct pid_entry *entry = pid_table_find(table, pid);

	if (entry)
		return entry;
	if (table->count == table->size)
		grow(table);
	entry = checked_calloc(1, bytes);
	entry->pid = pid;
	insert(table, entry);
	table->count++;
	return entry;
}

void pid_table_remove(struct pid_table *table, struct pid_entry *entry)
{
	struct pid_entry **place = bucket_of(table, entry->pid);

	while (*place != entry)
		place = &(*place)->next;
	*place = entry->next;
	table->count--;
}

void pid_table_forget(struct pid_table *table, pid_t pid)
{
	struct pid_entry *entry = pid_table_find(table, pid);

	if (entry)
		pid_table_remove(table, entry);
	free(entry);
}

void pid_table_rename(struct pid_table *table, struct pid_entry *entry,
		      pid_t pid)
{
	pid_table_remove(table, entry);
	entry->pid = pid;
	insert(table, entry);
	table->count++;
}

void pid_table_each(const struct pid_table *table,
		    void (*visit)(struct pid_entry *entry, void *data),
		    void *data)
{
	struct pid_entry *entry, *next;

	for (size_t i = 0; i < table->size; i++) {
		for (entry = table->buckets[i]; entry; entry = next) {
			next = entry->next;
			visit(entry, data);
		}
	}
}

static void free_entry(struct pid_entry *entry, void *data)
{
	(void)data;
	free(entry);
}

void pid_table_free(struct pid_table *table)
{
	pid_table_each(table, free_entry, NULL);
	free(table->buckets);
	memset(table, 0, sizeof(*table));
}
