/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vector.h - apply a command to each element of a user vector
 */
#ifndef PFM_CORE_VECTOR_H
#define PFM_CORE_VECTOR_H

#include <linux/types.h>
#include <perfmon/perfmon.h>

/**
 * struct pfm_elems - elements still to be processed
 * @next: first element
 * @end:  end of the last element
 * @size: size of an element in bytes
 */
struct pfm_elems {
	void	*next;
	void	*end;
	size_t	size;
};

/*
 * Process elements until one fails, and advance @todo->next past each element
 * that was processed, including the one that failed. May change the elements.
 * Return: 0 or an errno.
 */
typedef int (*pfm_elems_t)(const void *with, struct pfm_elems *todo);

/**
 * pfm_vector() - Apply a command to each element of a user vector
 * @ioc:   the caller's request, with address (arg) and length (narg)
 * @size:  size of an element in bytes
 * @treat: processes elements
 * @with:  argument for @treat
 *
 * Stops at the first error. All elements up to and including the one that
 * failed are copied back.
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL for no elements; -EFAULT for a bad address or too many
 * elements (specification 3.1.2); -ENOMEM; the error of @treat.
 */
long pfm_vector(const struct pfm_ioc *ioc, size_t size, pfm_elems_t treat,
		const void *with);

#endif /* PFM_CORE_VECTOR_H */
