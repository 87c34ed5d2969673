/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * slab.h - count the objects in the kernel's caches
 *
 * These functions fail the test on any error.
 */
#ifndef GUEST_SLAB_H
#define GUEST_SLAB_H

#include <stdbool.h>

/* Count the objects after the kernel has freed all that it can free. */
void slab_begin(void);
/*
 * Count again. Return: whether a cache has at least @n more objects than at the
 * previous call of slab_begin() or slab_has_grown().
 */
bool slab_has_grown(long n);

#endif /* GUEST_SLAB_H */
