/* SPDX-License-Identifier: GPL-2.0 */
/*
 * smpl_buf.h - create, initialise and end sampling buffers with their format
 */
#ifndef PFM_CORE_SMPL_BUF_H
#define PFM_CORE_SMPL_BUF_H

#include <perfmon/perfmon_fmt.h>

struct pfm_buffer;

/**
 * struct pfm_smpl_size - sizes that a format has requested, in bytes
 * @buf:  size of the buffer; 0 for none
 * @area: size of its private area; 0 for none
 */
struct pfm_smpl_size {
	size_t	buf;
	size_t	area;
};

/*
 * Ask the format for the sizes. Context: process, may sleep. Return: 0; -EINVAL
 * for an area without a buffer; the format's errno.
 */
int pfm_smpl_buf_measure(const pfm_buffer_fmt_t *fmt, u32 ctx_flags, void *arg,
			 struct pfm_smpl_size *size);

/*
 * Create a buffer of this size, charged to the caller, and have the format
 * initialise it. *@buffer is NULL if the format has none. Context: process, may
 * sleep. Return: 0, -ENOMEM, or the format's errno.
 */
int pfm_smpl_buf_create(const pfm_buffer_fmt_t *fmt, u32 ctx_flags, void *arg,
			const struct pfm_smpl_size *size,
			struct pfm_buffer **buffer);

/*
 * Have the format end the buffer, and drop the caller's reference to it.
 * @buffer may be NULL.
 * Context: process, may sleep; no handler is running or will run.
 */
void pfm_smpl_buf_end(const pfm_buffer_fmt_t *fmt, struct pfm_buffer *buffer);

#endif /* PFM_CORE_SMPL_BUF_H */
