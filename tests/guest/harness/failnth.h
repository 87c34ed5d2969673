/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * failnth.h - calls in which an allocation or a copy of the kernel fails
 *
 * Needs a kernel with fault injection. It counts the requests of the calling
 * thread: slab objects, pages, copies to and from user space.
 */
#ifndef GUEST_FAILNTH_H
#define GUEST_FAILNTH_H

#include <stdbool.h>

/*
 * Enable failures for the calling thread. Its memory is locked, so that no page
 * fault requests a page. Skips the test if the kernel does not inject faults.
 */
void failnth_prepare(void);

/*
 * Call @call(@arg), which returns -1 and sets errno if it fails, so that the
 * @n-th request (from 1) of the kernel fails.
 * Return: whether there were that many.
 */
bool failnth_call(unsigned int n, long (*call)(void *arg), void *arg,
		  long *result);

#endif /* GUEST_FAILNTH_H */
