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
struct pfm_family;

/**
 * struct pfm_creation - a request to create a context
 * @req:          flags and format; ctx_smpl_buf_size is filled in
 * @fmt:          the format, with a reference; NULL if no format was found, or
 *                after the context has taken it over
 * @fmt_arg:      kernel copy of the format's argument
 * @fmt_arg_size: its size in bytes
 * @family:       for a new member: its family, whose payer is charged; else
 *                NULL
 */
struct pfm_creation {
	pfarg_ctx_t		req;
	const pfm_buffer_fmt_t	*fmt;
	void			*fmt_arg;
	size_t			fmt_arg_size;
	struct pfm_family	*family;
};

/*
 * Check whether the caller may create the context. Called before anything else.
 * Context: process. Return: 0, -EINVAL, -EOPNOTSUPP, -EPERM or -ENOMEM.
 */
int pfm_creation_check(const struct pfm_creation *new);

/* Find the format, and hold it until pfm_creation_end(). Context: process. */
void pfm_creation_find_fmt(struct pfm_creation *new);

/*
 * Create an unattached context from a checked request. Context: process, may
 * sleep.
 * Return: the context, or an ERR_PTR: -EINVAL, -E2BIG, -ENOMEM, -ENODEV if
 * no PMU description is registered, or an error of the format.
 */
struct pfm_context *pfm_context_create(struct pfm_creation *new);

/*
 * Release the format in @new, unless a context has taken it over. Context:
 * process.
 */
void pfm_creation_end(struct pfm_creation *new);

/*
 * Detach and free a context whose last descriptor is closed (3.1.15). Context:
 * process, may sleep.
 */
void pfm_context_destroy(struct pfm_context *ctx);

#endif /* PFM_CORE_CREATE_H */
