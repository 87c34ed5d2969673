// SPDX-License-Identifier: GPL-2.0
/*
 * arg.c - check, keep and change the argument that a context passes to its
 *	   format
 */
#include <linux/slab.h>
#include <linux/string.h>
#include "arg.h"
#include "attach.h"
#include "charge.h"
#include "context.h"
#include "fmt.h"
#include "fmt_arg.h"
#include "owner.h"
#include "share.h"

int pfm_arg_check_size(const struct pfm_context *ctx, size_t size)
{
	const pfm_buffer_fmt_t *fmt = ctx->fmt;

	/* Section 3.1.1 of the specification requires -E2BIG. */
	if (size > fmt->fmt_arg_size)
		return -E2BIG;
	return size < fmt->fmt_arg_size ? -EINVAL : 0;
}

int pfm_arg_validate(const struct pfm_context *ctx, void *arg)
{
	const pfm_buffer_fmt_t *fmt = ctx->fmt;

	if (!fmt->fmt_validate)
		return 0;
	return pfm_fmt_result(fmt, "fmt_validate",
			      fmt->fmt_validate(ctx->flags, ctx->pmu->num_pmds,
						arg));
}

int pfm_arg_keep(struct pfm_context *ctx, const void *arg)
{
	size_t size = ctx->fmt->fmt_arg_size;

	if (!ctx->fmt->fmt_set_arg)
		return 0;
	if (!pfm_charge_more(&ctx->charge, size))
		return -ENOMEM;
	ctx->fmt_arg = kmemdup(arg, size, PFM_GFP);
	return ctx->fmt_arg ? 0 : -ENOMEM;
}

void pfm_arg_free(struct pfm_context *ctx)
{
	kfree(ctx->fmt_arg);
	ctx->fmt_arg = NULL;
}

int pfm_arg_may_set(const struct pfm_context *ctx, size_t size)
{
	if (!ctx->fmt)
		return -EINVAL;
	return ctx->fmt->fmt_set_arg ? pfm_arg_check_size(ctx, size) :
				       -EOPNOTSUPP;
}

/* Replace the argument; overflows are kept out meanwhile. */
static int pfm_arg_change(struct pfm_context *ctx, const void *arg)
{
	const pfm_buffer_fmt_t *fmt = ctx->fmt;
	unsigned long flags;

	if (!pfm_arg_may_become(fmt, ctx->fmt_arg, arg))
		return -EOPNOTSUPP;
	if (ctx->share) {
		pfm_share_set_arg(ctx->share, arg);
	} else {
		pfm_own(ctx, &flags);
		fmt->fmt_set_arg(ctx->buf, arg);
		pfm_disown(ctx, flags);
	}
	memcpy(ctx->fmt_arg, arg, fmt->fmt_arg_size);
	return 0;
}

int pfm_arg_set(struct pfm_context *ctx, void *arg)
{
	int ret = pfm_arg_validate(ctx, arg);

	if (ret)
		return ret;
	pfm_lock(ctx);
	ret = pfm_arg_change(ctx, arg);
	pfm_unlock(ctx);
	return ret;
}
