// SPDX-License-Identifier: GPL-2.0
/*
 * smpl_buf.c - create, initialise and end sampling buffers with their format
 *		(3.5.11-3.5.13)
 */
#include <perfmon/perfmon_fmt_sdk.h>
#include "buffer.h"
#include "fmt.h"
#include "smpl_buf.h"

int pfm_smpl_buf_measure(const pfm_buffer_fmt_t *fmt, u32 ctx_flags, void *arg,
			 struct pfm_smpl_size *size)
{
	int ret = 0;

	*size = (struct pfm_smpl_size){};
	if (fmt->fmt_getsize)
		ret = pfm_fmt_result(fmt, "fmt_getsize",
				     fmt->fmt_getsize(ctx_flags, arg,
						      &size->buf));
	if (!ret && fmt->fmt_getpriv)
		ret = pfm_fmt_result(fmt, "fmt_getpriv",
				     fmt->fmt_getpriv(ctx_flags, arg,
						      &size->area));
	if (ret || size->buf || !size->area)
		return ret;
	pr_warn_ratelimited("perfmon: format %s: fmt_getpriv asks for %zu bytes, but fmt_getsize asks for no buffer\n",
			    fmt->fmt_name, size->area);
	return -EINVAL;
}

static struct pfm_buffer *pfm_smpl_buf_alloc(const struct pfm_smpl_size *size)
{
	struct pfm_buffer *buffer;

	/*
	 * This structure is in the page before the memory that can be mapped.
	 */
	BUILD_BUG_ON(sizeof(struct pfm_fmt_front) > PAGE_SIZE);
	buffer = pfm_buffer_create(size->buf, 1, size->area);
	if (buffer)
		pfm_fmt_front(pfm_buffer_start(buffer))->area =
			pfm_buffer_area(buffer);
	return buffer;
}

/* Get the first byte of a buffer; NULL if @buffer is NULL. */
static void *pfm_smpl_buf_start(const struct pfm_buffer *buffer)
{
	return buffer ? pfm_buffer_start(buffer) : NULL;
}

int pfm_smpl_buf_create(const pfm_buffer_fmt_t *fmt, u32 ctx_flags, void *arg,
			const struct pfm_smpl_size *size,
			struct pfm_buffer **buffer)
{
	struct pfm_buffer *new = NULL;
	int ret = 0;

	if (size->buf) {
		new = pfm_smpl_buf_alloc(size);
		if (!new)
			return -ENOMEM;
	}
	if (fmt->fmt_init)
		ret = pfm_fmt_result(fmt, "fmt_init",
				     fmt->fmt_init(ctx_flags, arg,
						   pfm_smpl_buf_start(new)));
	if (!ret)
		*buffer = new;
	else if (new)
		pfm_buffer_put(new);
	return ret;
}

void pfm_smpl_buf_end(const pfm_buffer_fmt_t *fmt, struct pfm_buffer *buffer)
{
	int err = 0;

	if (fmt->fmt_exit)
		err = fmt->fmt_exit(pfm_smpl_buf_start(buffer));
	if (err)
		pr_warn_ratelimited("perfmon: format %s: fmt_exit returns %d\n",
				    fmt->fmt_name, err);
	if (buffer)
		pfm_buffer_put(buffer);
}
