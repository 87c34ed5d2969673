/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * failnth.h - calls in which the kernel fails to allocate, or to copy
 *
 * Needs a kernel with fault injection, which counts what the calling thread
 * asks of it: slab objects, pages, copies to and from user space.
 */
#ifndef GUEST_FAILNTH_H
#define GUEST_FAILNTH_H

#include <stdbool.h>

/*
 * From now on the calling thread can have failures. Its memory is locked: no
 * page fault of its own asks for a page. Skips the test if the kernel injects
 * none.
 */
void failnth_prepare(void);

/*
 * Call @call(@arg), which returns -1 and sets errno if it fails, so that the
 * @n-th request (from 1) of the kernel fails.
 * Return: whether there were so many.
 */
bool failnth_call(unsigned int n, long (*call)(void *arg), void *arg,
		  long *result);

#endif /* GUEST_FAILNTH_H */
