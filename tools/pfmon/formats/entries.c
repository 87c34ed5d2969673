// SPDX-License-Identifier: MIT OR GPL-2.0
/* entries.c - entries of the default format, which nway also uses */
#include "events/pmu.h"
#include "formats/entries.h"

uint64_t entries_room(size_t header_size, size_t entry_size, uint64_t count)
{
	uint64_t largest = header_size + sizeof(uint64_t) * pmu_pmd_count();

	return largest + (count - 1) * entry_size;
}

uint64_t entries_room_in(uint64_t regions, size_t header_size,
			 size_t entry_size, uint64_t count)
{
	uint64_t per_region = (count + regions - 1) / regions;

	return regions * entries_room(header_size, entry_size, per_region);
}

size_t entries_values(const struct smpl_kinds *kinds)
{
	size_t most = 0;

	for (unsigned int i = 0; i < kinds->count; i++) {
		if (most < kinds->list[i].num_pmds)
			most = kinds->list[i].num_pmds;
	}
	return most * sizeof(uint64_t);
}

void entries_each_process(const struct smpl_kinds *kinds, const void *entries,
			  size_t size,
			  void (*visit)(pid_t tgid, void *data), void *data)
{
	struct pfm_read_entries reader;
	struct pfm_read_entry entry;
	const unsigned char *at = entries;
	pid_t last = -1, now;
	size_t length;

	if (pfm_read_entries_init(&reader, kinds->list, kinds->count))
		return;
	while ((length = pfm_read_entry_at(&reader, at, size, &entry))) {
		now = (pid_t)entry.head.tgid;
		if (now != last)
			visit(now, data);
		last = now;
		at += length;
		size -= length;
	}
}
