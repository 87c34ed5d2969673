/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* cpu_list.h - lists of CPUs */
#ifndef PFMON_CPU_LIST_H
#define PFMON_CPU_LIST_H

#include <stdbool.h>

/*
 * Reads a list such as "0,2-3" into an ascending array without duplicates, to
 * be freed. False if text is not such a list or names a CPU beyond CPU_SETSIZE.
 */
bool cpus_parse(const char *text, int **cpus, unsigned int *count);

/* Is it in such a list? Nothing is in what is no list. */
bool cpus_have(const char *text, int cpu);

/* Have such lists a CPU in common? */
bool cpus_overlap(const char *one, const char *other);

/* Are all CPUs of the part in the whole? */
bool cpus_include(const char *whole, const char *part);

/* The list, to be freed, of CPUs in ascending order. */
char *cpus_text(const int *cpus, unsigned int count);

/* The CPUs that are online, as cpus_parse() gives them. */
bool cpus_online(int **cpus, unsigned int *count);

#endif /* PFMON_CPU_LIST_H */
