/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * table_cache.h - compiled unwind tables in the user's cache directory
 *
 * A table is found by the build ID of the file that it describes. A cached
 * table may be damaged: pfmon checks only its size, and the kernel checks the
 * rest.
 */
#ifndef PFMON_STACKS_TABLE_CACHE_H
#define PFMON_STACKS_TABLE_CACHE_H

#include <perfmon/perfmon_unwind.h>

/*
 * Opens $XDG_CACHE_HOME/perfmon/unwind, and creates it if it does not exist.
 * Returns a descriptor, or -1. For safety, also returns -1 if one of these
 * directories belongs to another user or is writable by others.
 */
int table_cache_open(void);

/* Returns a table, to be freed; NULL if the cache has none. */
struct pfm_unwind_head *table_cache_load(int cache, const char *build_id);

/*
 * Stores a table. Does not report failures, because the table can be compiled
 * again.
 */
void table_cache_store(int cache, const char *build_id,
		       const struct pfm_unwind_head *table);

/* Deletes tables that have not been used for a week. */
void table_cache_clean(int cache);

#endif /* PFMON_STACKS_TABLE_CACHE_H */
