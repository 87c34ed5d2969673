/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* entries.h - entries of the default format, which nway also uses */
#ifndef PFMON_FORMATS_ENTRIES_H
#define PFMON_FORMATS_ENTRIES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "formats/format.h"

/*
 * Returns the number of bytes for @count entries, without the buffer's headers.
 * A buffer is full when the largest possible entry, with every PMD of the PMU,
 * no longer fits (section 3.6.5 of the specification). A buffer of the returned
 * size is full after exactly @count entries.
 */
uint64_t entries_room(size_t header_size, size_t entry_size, uint64_t count);

/*
 * Returns the number of bytes for @count entries in @regions regions of equal
 * size. Each region has room for at least @count / @regions entries.
 */
uint64_t entries_room_in(uint64_t regions, size_t header_size,
			 size_t entry_size, uint64_t count);

/* Returns the number of bytes of PMD values in the longest kind of sample. */
size_t entries_values(const struct smpl_kinds *kinds);

/*
 * Calls visit with the process of each entry. All entries must have complete
 * headers.
 */
void entries_each_process(const struct smpl_kinds *kinds, const void *entries,
			  size_t size,
			  void (*visit)(pid_t tgid, void *data), void *data);

#endif /* PFMON_FORMATS_ENTRIES_H */
