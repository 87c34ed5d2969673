/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* entries.h - entries of the default format, in its buffer and in others' */
#ifndef PFMON_FORMATS_ENTRIES_H
#define PFMON_FORMATS_ENTRIES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "formats/format.h"

/*
 * A buffer is full when the largest possible entry, one with every PMD of the
 * PMU, does not fit any more (3.6.5). These are the bytes, without headers of
 * the buffer, of one for which that becomes so with the last of count entries.
 */
uint64_t entries_room(size_t header_size, size_t entry_size, uint64_t count);

/* Bytes of the values in the longest of these. */
size_t entries_values(const struct smpl_kinds *kinds);

/* Calls visit with the processes of entries that have the whole header. */
void entries_each_process(const struct smpl_kinds *kinds, const void *entries,
			  size_t size,
			  void (*visit)(pid_t tgid, void *data), void *data);

#endif /* PFMON_FORMATS_ENTRIES_H */
