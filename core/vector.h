/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vector.h - a command on each element of a user vector
 */
#ifndef PFM_CORE_VECTOR_H
#define PFM_CORE_VECTOR_H

#include <linux/types.h>
#include <perfmon/perfmon.h>

/**
 * struct pfm_elems - the elements that are still to be treated
 * @next: the first of them
 * @end:  behind the last
 * @size: of each, in bytes
 */
struct pfm_elems {
	void	*next;
	void	*end;
	size_t	size;
};

/*
 * What a command does to elements, which it may change. It ends at the first
 * error; @todo is what follows.
 * Return: 0 or an errno.
 */
typedef int (*pfm_elems_t)(const void *with, struct pfm_elems *todo);

/**
 * pfm_vector() - apply a command to each element of a user vector
 * @ioc:   the caller's request; @ioc->arg and @ioc->narg say where and how many
 * @size:  size of an element in bytes
 * @treat: treats them
 * @with:  passed on
 *
 * Ends at the first error; the elements before it are done, and all up to and
 * with it are copied back.
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL for no elements; -EFAULT for a bad address or too many
 * elements (3.1.2); -ENOMEM; the error of @treat.
 */
long pfm_vector(const struct pfm_ioc *ioc, size_t size, pfm_elems_t treat,
		const void *with);

#endif /* PFM_CORE_VECTOR_H */
