/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arg.h - the argument that a context passes to its format
 */
#ifndef PFM_CORE_ARG_H
#define PFM_CORE_ARG_H

#include <linux/types.h>

struct pfm_context;

/*
 * Check the size in bytes of an argument for the context's format. Context:
 * any. Return: 0; -E2BIG if it is too large; -EINVAL if it is too small.
 */
int pfm_arg_check_size(const struct pfm_context *ctx, size_t size);

/*
 * Have the format check an argument of the right size. Context: process; no
 * lock held. Return: 0 or the format's errno.
 */
int pfm_arg_validate(const struct pfm_context *ctx, void *arg);

/*
 * Keep a copy of the argument with which the context is created, if its format
 * allows changes. The copy is charged to the context until the context ends.
 * Context: process. Return: 0 or -ENOMEM.
 */
int pfm_arg_keep(struct pfm_context *ctx, const void *arg);
void pfm_arg_free(struct pfm_context *ctx);

/*
 * Check whether an argument of @size bytes may replace the current one.
 * Context: any. Return: 0; -EINVAL if the context has no format; -EOPNOTSUPP if
 * no field of the argument may change; an error of pfm_arg_check_size().
 */
int pfm_arg_may_set(const struct pfm_context *ctx, size_t size);

/*
 * Process PFM_SET_FMT_ARG. pfm_arg_may_set() has accepted the argument's size.
 * Context: process, pfm_context.mutex not held. Return: 0; -EOPNOTSUPP if a
 * field that must not change differs; the format's errno. After an error the
 * argument is unchanged.
 */
int pfm_arg_set(struct pfm_context *ctx, void *arg);

#endif /* PFM_CORE_ARG_H */
