/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* times.h - elapsed time of a measurement, CPU time of its command */
#ifndef PFMON_TIMES_H
#define PFMON_TIMES_H

#include <stdint.h>

/*
 * Times in ns. User and system time are those of the command and of the child
 * processes that it has waited for; 0 without a command.
 */
struct times {
	uint64_t elapsed;
	uint64_t user;
	uint64_t system;
};

/* Reads the current times; CPU times include only ended child processes. */
struct times times_read(void);

/* Returns the times passed since @start. */
struct times times_since(const struct times *start);

#endif /* PFMON_TIMES_H */
