/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * sleepers.h - threads that sleep until they are to exit
 */
#ifndef SLEEPERS_H
#define SLEEPERS_H

#include <sys/types.h>

/* What is done about a thread. */
typedef void (*watch_t)(pid_t tid);

#define SLEEPERS_MAX	1000U

/* @n of them. Return: their thread ids. */
const pid_t *sleepers_begin(unsigned int n);

/* All exit, and have done so when it returns. */
void sleepers_end(void);

/*
 * The same in a process of its own, which does something about each: threads
 * make their own process slower. Return: the process.
 */
pid_t sleepers_beside(unsigned int n, watch_t watch);
void sleepers_beside_end(pid_t pid);

#endif /* SLEEPERS_H */
