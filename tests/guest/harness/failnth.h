/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * failnth.h - calls in which an allocation or a user copy fails
 *
 * Needs a kernel with fault injection. The kernel counts these requests of the
 * calling thread: allocations of slab objects and of pages, and copies to and
 * from user space.
 */
#ifndef GUEST_FAILNTH_H
#define GUEST_FAILNTH_H

#include <stdbool.h>

/*
 * Enable fault injection for the calling thread. Lock all memory, so that page
 * faults do not allocate pages. Skip the test if the kernel lacks fault
 * injection.
 */
void failnth_prepare(void);

/*
 * Call @call(@arg), and let its request number @n fail (counted from 1). Store
 * the result in *@result: if the call fails, it is -1, and errno is set.
 * Return: whether the call made @n requests.
 */
bool failnth_call(unsigned int n, long (*call)(void *arg), void *arg,
		  long *result);

#endif /* GUEST_FAILNTH_H */
