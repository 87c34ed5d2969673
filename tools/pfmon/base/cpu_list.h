/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* cpu_list.h - lists of CPUs */
#ifndef PFMON_BASE_CPU_LIST_H
#define PFMON_BASE_CPU_LIST_H

#include <stdbool.h>

/*
 * Converts a list such as "0,2-3" to a sorted array without duplicates, to be
 * freed. Returns false if the text is not such a list, or if a CPU's number is
 * CPU_SETSIZE or more.
 */
bool cpus_parse(const char *text, int **cpus, unsigned int *count);

/* Returns whether @cpu is in a list; false if @text is not a list. */
bool cpus_have(const char *text, int cpu);

/* Returns whether two lists have a CPU in common. */
bool cpus_overlap(const char *one, const char *other);

/* Returns whether all CPUs in @part are in @whole. */
bool cpus_include(const char *whole, const char *part);

/* Returns an ascending array of CPUs as a text such as "0,2-3", to be freed. */
char *cpus_text(const int *cpus, unsigned int count);

/*
 * Store the online or possible CPUs in an array as cpus_parse() does. Return
 * false on failure.
 */
bool cpus_online(int **cpus, unsigned int *count);
bool cpus_possible(int **cpus, unsigned int *count);

#endif /* PFMON_BASE_CPU_LIST_H */
