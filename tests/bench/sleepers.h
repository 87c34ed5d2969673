/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * sleepers.h - threads that sleep until they are told to exit
 */
#ifndef SLEEPERS_H
#define SLEEPERS_H

#include <sys/types.h>

/* Called for each thread. */
typedef void (*watch_t)(pid_t tid);

#define SLEEPERS_MAX	1000U

/* Start @n threads. Return: their thread ids. */
const pid_t *sleepers_begin(unsigned int n);

/* Let all threads exit, and wait for that. */
void sleepers_end(void);

/*
 * Start @n threads in a separate process, which calls @watch for each: threads
 * would slow down their own process. Return: the process.
 */
pid_t sleepers_beside(unsigned int n, watch_t watch);
void sleepers_beside_end(pid_t pid);

#endif /* SLEEPERS_H */
