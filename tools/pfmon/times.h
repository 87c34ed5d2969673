/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* times.h - how long a measurement took, and its command ran */
#ifndef PFMON_TIMES_H
#define PFMON_TIMES_H

#include <stdint.h>

/*
 * In ns. User and system time are of the command and the processes that it has
 * waited for; 0 without a command.
 */
struct times {
	uint64_t elapsed;
	uint64_t user;
	uint64_t system;
};

/* What the clocks show now; of child processes those that have ended. */
struct times times_read(void);

/* What has passed since. */
struct times times_since(const struct times *start);

#endif /* PFMON_TIMES_H */
