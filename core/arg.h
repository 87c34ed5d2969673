/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arg.h - the format's argument of a context
 */
#ifndef PFM_CORE_ARG_H
#define PFM_CORE_ARG_H

#include <linux/types.h>

struct pfm_context;

/*
 * Check the size in bytes of an argument for the context's format. Context:
 * any. Return: 0; -E2BIG; -EINVAL if it is too small.
 */
int pfm_arg_check_size(const struct pfm_context *ctx, size_t size);

/*
 * Have the format check an argument of the right size. Context: process; no
 * lock held. Return: 0 or the format's errno.
 */
int pfm_arg_validate(const struct pfm_context *ctx, void *arg);

/*
 * Keep a copy of the argument that the context is created with, if it may
 * change. The copy is charged to the context until the context ends. Context:
 * process. Return: 0 or -ENOMEM.
 */
int pfm_arg_keep(struct pfm_context *ctx, const void *arg);
void pfm_arg_free(struct pfm_context *ctx);

/*
 * May the context's argument be replaced by one of @size bytes? Context: any.
 * Return: 0; -EINVAL if there is no format; -EOPNOTSUPP if no field of its
 * argument may change; as pfm_arg_check_size().
 */
int pfm_arg_may_set(const struct pfm_context *ctx, size_t size);

/*
 * PFM_SET_FMT_ARG, with an argument of the size that pfm_arg_may_set() permits.
 * Context: process, pfm_context.mutex not held. Return: 0; -EOPNOTSUPP if a
 * field differs that may not change; the format's errno. Nothing has changed
 * after an error.
 */
int pfm_arg_set(struct pfm_context *ctx, void *arg);

#endif /* PFM_CORE_ARG_H */
