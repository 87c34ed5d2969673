/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * sleepers.h - threads that sleep until they are told to exit
 */
#ifndef SLEEPERS_H
#define SLEEPERS_H

#include <sys/types.h>

/* A function that is called for each thread. */
typedef void (*watch_t)(pid_t tid);

#define SLEEPERS_MAX	1000U

/* Start @n threads. Return: their thread IDs. */
const pid_t *sleepers_begin(unsigned int n);

/* Let all threads exit, and wait until they have exited. */
void sleepers_end(void);

/*
 * Start @n threads in a separate process, which calls @watch for each thread.
 * In the caller's process, the threads would slow the caller down. Return: the
 * process's ID.
 */
pid_t sleepers_beside(unsigned int n, watch_t watch);
void sleepers_beside_end(pid_t pid);

#endif /* SLEEPERS_H */
