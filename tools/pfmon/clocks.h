/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* clocks.h - what several clocks show in one moment */
#ifndef PFMON_CLOCKS_H
#define PFMON_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* In ns, but for tsc. */
struct moment {
	int error;		/* errno; 0 if the others are set */
	uint64_t perf;		/* the clock of samples */
	uint64_t realtime;
	uint64_t monotonic;
	uint64_t boottime;
	uint64_t uncertainty;	/* how long reading took */
	bool has_tsc;
	uint64_t tsc;		/* of x86 */
};

/*
 * Reads them with a context of its own: on this thread, or on the CPU that the
 * thread is pinned to. Nothing of that kind may be measured there meanwhile,
 * and nothing of the other kind anywhere.
 */
struct moment clocks_read(int cpu);

/* The text of a CLCK chunk, to be freed. */
char *clocks_json(const struct moment *moment);

#endif /* PFMON_CLOCKS_H */
