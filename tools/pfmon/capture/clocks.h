/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* clocks.h - read several clocks at the same time */
#ifndef PFMON_CAPTURE_CLOCKS_H
#define PFMON_CAPTURE_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* Simultaneous values of several clocks, in ns except for tsc. */
struct moment {
	int error;		/* errno; 0 if the other members are set */
	uint64_t perf;		/* the clock of samples */
	uint64_t realtime;
	uint64_t monotonic;
	uint64_t boottime;
	uint64_t uncertainty;	/* how long reading took */
	bool has_tsc;
	uint64_t tsc;		/* on x86 */
};

/*
 * Reads the clocks. Uses a temporary context to read perf's clock. If @cpu is
 * NO_CPU, the context is attached to this thread; otherwise, to @cpu, to which
 * the caller has pinned this thread. The context conflicts with other contexts
 * of that thread or CPU. A per-thread context also conflicts with system-wide
 * sessions, and vice versa.
 */
struct moment clocks_read(int cpu);

/* Returns the text of a CLCK chunk, to be freed. */
char *clocks_json(const struct moment *moment);

#endif /* PFMON_CAPTURE_CLOCKS_H */
