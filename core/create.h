/* SPDX-License-Identifier: GPL-2.0 */
/*
 * create.h - creating and destroying contexts
 */
#ifndef PFM_CORE_CREATE_H
#define PFM_CORE_CREATE_H

#include <linux/types.h>
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_fmt.h>

struct pfm_context;

/**
 * struct pfm_creation - a context that is asked for, and what was found out
 * @req:          flags and format; ctx_smpl_buf_size is filled in
 * @fmt:          the format, held; NULL if none was found, or once the context
 *                holds it
 * @fmt_arg:      the format's argument, a kernel copy
 * @fmt_arg_size: its size in bytes
 */
struct pfm_creation {
	pfarg_ctx_t		req;
	const pfm_buffer_fmt_t	*fmt;
	void			*fmt_arg;
	size_t			fmt_arg_size;
};

/*
 * May the caller create such a context? Nothing is done for those who may not.
 * Context: process. Return: 0, -EINVAL, -EPERM or -ENOMEM.
 */
int pfm_creation_check(const struct pfm_creation *new);

/* Find the format, and hold it until pfm_creation_end(). Context: process. */
void pfm_creation_find_fmt(struct pfm_creation *new);

/*
 * A new context, attached to nothing, of what was checked and found.
 * Context: process, may sleep.
 * Return: the context, or an ERR_PTR: -EINVAL, -E2BIG, -ENOMEM, -ENODEV if
 * there is no PMU, or what the format says.
 */
struct pfm_context *pfm_context_create(struct pfm_creation *new);

/* Let go of what has not gone to a context. Context: process. */
void pfm_creation_end(struct pfm_creation *new);

/*
 * The last descriptor is closed: detach and free (3.1.15).
 * Context: process, may sleep.
 */
void pfm_context_destroy(struct pfm_context *ctx);

#endif /* PFM_CORE_CREATE_H */
