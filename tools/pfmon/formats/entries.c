// SPDX-License-Identifier: MIT OR GPL-2.0
/* entries.c - entries of the default format, in its buffer and in others' */
#define _GNU_SOURCE
#include <string.h>

#include <perfmon/perfmon_default_smpl.h>

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
	pfm_default_smpl_entry_t entry;
	pid_t last = -1;

	for (size_t at = 0; at + entry_size <= size; at += entry_size) {
		memcpy(&entry, (const char *)entries + at, sizeof(entry));
		if ((pid_t)entry.tgid != last)
			visit((pid_t)entry.tgid, data);
		last = (pid_t)entry.tgid;
	}
}
