// SPDX-License-Identifier: GPL-2.0
/*
 * vector.c - apply a command to each element of a user vector (specification
 *	      3.1.2)
 */
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "config.h"
#include "vector.h"

/* Vectors up to this size, four elements of type pfarg_pmc_t, use the stack. */
#define PFM_FEW_BYTES	576

long pfm_vector(const struct pfm_ioc *ioc, size_t size, pfm_elems_t treat,
		const void *with)
{
	void __user *user = u64_to_user_ptr(ioc->arg);
	struct pfm_elems todo = { .size = size };
	u64 few[PFM_FEW_BYTES / sizeof(u64)];
	void *vec = few;
	size_t bytes;
	int ret;

	if (!ioc->narg || ioc->narg > INT_MAX)
		return -EINVAL;
	if (check_mul_overflow((size_t)ioc->narg, size, &bytes) ||
	    bytes > READ_ONCE(pfm_config.arg_size_max))
		return -EFAULT;
	if (bytes > sizeof(few))
		vec = memdup_user(user, bytes);
	else if (copy_from_user(few, user, bytes))
		return -EFAULT;
	if (IS_ERR(vec))
		return PTR_ERR(vec);
	todo.next = vec;
	todo.end = vec + bytes;
	ret = treat(with, &todo);
	if (copy_to_user(user, vec, todo.next - vec))
		ret = -EFAULT;
	if (vec != few)
		kfree(vec);
	return ret;
}
