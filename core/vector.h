/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vector.h - a command on each element of a user vector
 */
#ifndef PFM_CORE_VECTOR_H
#define PFM_CORE_VECTOR_H

#include <linux/types.h>
#include <perfmon/perfmon.h>

/*
 * What a command does to one element, which it may change.
 * Return: 0 or an errno.
 */
typedef int (*pfm_one_t)(const void *with, void *elem);

/**
 * pfm_vector() - apply a command to each element of a user vector
 * @ioc:  the caller's request; @ioc->arg and @ioc->narg say where and how many
 * @size: size of an element in bytes
 * @one:  treats one element
 * @with: passed on
 *
 * Ends at the first error; the elements before it are done, and all up to and
 * with it are copied back.
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL for no elements; -EFAULT for a bad address or too many
 * elements (3.1.2); -ENOMEM; the error of @one.
 */
long pfm_vector(const struct pfm_ioc *ioc, size_t size, pfm_one_t one,
		const void *with);

#endif /* PFM_CORE_VECTOR_H */
