// SPDX-License-Identifier: MIT OR GPL-2.0
/* entries.c - entries of the default format, in its buffer and in others' */
#include <perfmon/perfmon_read_default.h>

#include "formats/entries.h"
#include "pmu.h"

uint64_t entries_room(size_t header_size, size_t entry_size, uint64_t count)
{
	uint64_t largest = header_size + sizeof(uint64_t) * pmu_pmd_count();

	return largest + (count - 1) * entry_size;
}

void entries_each_process(const void *entries, size_t size, size_t entry_size,
			  void (*visit)(pid_t tgid, void *data), void *data)
{
	const size_t values = entry_size - sizeof(pfm_default_smpl_entry_t);
	const struct pfm_read_kind kind = {
		.pmd = PFM_READ_ANY_PMD,
		.num_pmds = (uint32_t)(values / sizeof(uint64_t)),
	};
	struct pfm_read_entries reader;
	struct pfm_read_entry entry;
	const unsigned char *at = entries;
	pid_t last = -1, now;
	size_t length;

	if (pfm_read_entries_init(&reader, &kind, 1))
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
