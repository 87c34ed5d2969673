/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* perf_rings.h - perf's records about processes from all CPUs */
#ifndef PFMON_CAPTURE_PERF_RINGS_H
#define PFMON_CAPTURE_PERF_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/perf_ring.h"

struct perf_rings {
	struct perf_scope scope;
	struct perf_ring *rings;
	size_t ring_size;	/* in bytes */
	unsigned int count;
	uint64_t missed;	/* losses: closed rings, CPU hotplug */
	int online_fd;		/* of cpu_watch_open() */
};

/* Opens a ring for each online CPU. Returns false with errno set on failure. */
bool perf_rings_open(struct perf_rings *rings, const struct perf_scope *scope);
void perf_rings_close(struct perf_rings *rings);

/* Moves all records to the end of @to. */
void perf_rings_read(struct perf_rings *rings, struct perf_bytes *to);

/*
 * Begins to observe CPUs that came online; their earlier records are missing.
 * Unless all processes are recorded, CPUs that never had a ring are not
 * observed. Call perf_rings_read() first, because a CPU that has come online
 * again may have unread records in its old ring.
 */
void perf_rings_renew(struct perf_rings *rings);

/* Returns the number of records that were lost so far. */
uint64_t perf_rings_lost(const struct perf_rings *rings);

#endif /* PFMON_CAPTURE_PERF_RINGS_H */
