/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* cpu_watch.h - notice CPUs that come online */
#ifndef PFMON_BASE_CPU_WATCH_H
#define PFMON_BASE_CPU_WATCH_H

#include <stdbool.h>

/* Stored if messages were lost: any CPU may have come online. */
#define UNKNOWN_CPU	(-1)

/* Returns a descriptor that becomes readable if a CPU comes online, or -1. */
int cpu_watch_open(void);

/*
 * Stores the next CPU that came online, or UNKNOWN_CPU; returns false if no CPU
 * came online.
 */
bool cpu_watch_next(int fd, int *cpu);

#endif /* PFMON_BASE_CPU_WATCH_H */
