// SPDX-License-Identifier: GPL-2.0
/*
 * create.c - creating and destroying contexts (3.1.1, 3.1.15)
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <perfmon/perfmon_fmt_sdk.h>
#include "arg.h"
#include "attach.h"
#include "block.h"
#include "buffer.h"
#include "charge.h"
#include "context.h"
#include "create.h"
#include "defer.h"
#include "ds.h"
#include "evtset.h"
#include "evtset_page.h"
#include "evtset_switch.h"
#include "family.h"
#include "fmt.h"
#include "load.h"
#include "msgq.h"
#include "outcome.h"
#include "owner.h"
#include "perm.h"
#include "pmu.h"
#include "release.h"
#include "share.h"
#include "smpl_buf.h"
#include "stamp.h"

static struct pfm_context *pfm_context_alloc(u32 flags,
					     struct pfm_family *family)
{
	struct pfm_context *ctx = kzalloc(sizeof(*ctx), PFM_GFP);

	if (!ctx)
		return NULL;
	kref_init(&ctx->ref);
	mutex_init(&ctx->mutex);
	ctx->flags = flags;
	ctx->handler = pfm_no_fmt_handler;
	ctx->data.state = &ctx->fmt_state;
	ctx->target.cpu = -1;
	if (family)
		pfm_family_adopt(family, ctx);
	else
		pfm_charge_begin(&ctx->charge);
	xa_init(&ctx->sets);
	pfm_work_prepare(&ctx->stop, pfm_stop_work);
	pfm_work_prepare(&ctx->tell, pfm_tell_work);
	ctx->irq_work.work = PFM_IRQ_WORK_INIT(pfm_irq_work);
	pfm_release_init(ctx);
	pfm_block_init(ctx);
	pfm_switch_init(ctx);
	return ctx;
}

static void pfm_context_end(struct pfm_context *ctx)
{
	pfm_block_gone(ctx);
	pfm_charge_end(&ctx->charge);
	pfm_context_put(ctx);
}

static int pfm_context_attach_pmu(struct pfm_context *ctx)
{
	ctx->pmu = ctx->family ? pfm_pmu_hold(ctx->family->pmu) : pfm_pmu_get();
	if (!ctx->pmu)
		return -ENODEV;
	ctx->read_pmds = ctx->pmu->read_pmds_ovfl;
	ctx->target.num_regs = pfm_pmu_places(ctx->pmu) + 1;
	ctx->user_clock = pfm_user_has_our_clock();
	ctx->set = pfm_evtset_add(ctx, 0);
	return ctx->set ? 0 : -ENOMEM;
}

/* Create the buffer of a context without a family. */
static int pfm_fmt_own_buffer(struct pfm_context *ctx, void *arg)
{
	struct pfm_smpl_size size;
	int ret = pfm_smpl_buf_measure(ctx->fmt, ctx->flags, arg, &size) ?:
		  pfm_smpl_buf_create(ctx->fmt, ctx->flags, arg, &size,
				      &ctx->buffer);

	if (ret)
		return ret;
	if (ctx->buffer) {
		ctx->buf = pfm_buffer_start(ctx->buffer);
		ctx->buf_size = pfm_buffer_size(ctx->buffer);
	}
	ret = pfm_ds_attach(ctx);
	if (ret)
		pfm_smpl_buf_end(ctx->fmt, ctx->buffer);
	else
		ctx->handler = ctx->fmt->fmt_handler;
	return ret;
}

/* Let a root, or a member of its family, record into the family's buffers. */
static void pfm_use_share(struct pfm_context *ctx, struct pfm_share *share)
{
	ctx->share = share;
	ctx->fmt = share->fmt;
	ctx->buf = share;
	ctx->handler = pfm_share_handler;
}

/* Create the buffers of a family. */
static int pfm_fmt_share(struct pfm_context *ctx, void *arg)
{
	struct pfm_share *share = pfm_share_create(ctx, arg,
						   pfm_share_irq_work);

	if (IS_ERR(share))
		return PTR_ERR(share);
	pfm_use_share(ctx, share);
	ctx->buf_size = share->buf_size;
	return 0;
}

/* Have the format check its argument, then create and set up its buffer. */
static int pfm_fmt_setup(struct pfm_context *ctx, void *arg)
{
	int ret = pfm_arg_validate(ctx, arg) ?: pfm_arg_keep(ctx, arg);

	if (!ret)
		ret = ctx->flags & PFM_FL_INHERIT ?
			      pfm_fmt_share(ctx, arg) :
			      pfm_fmt_own_buffer(ctx, arg);
	if (ret)
		pfm_arg_free(ctx);
	return ret;
}

static int pfm_context_attach_fmt(struct pfm_context *ctx,
				  struct pfm_creation *new)
{
	size_t size = new->fmt_arg_size;
	int ret;

	if (ctx->family && ctx->family->share)
		pfm_use_share(ctx, ctx->family->share);
	if (pfm_uuid_is_null(new->req.ctx_smpl_buf_id))
		return size ? -EINVAL : 0;
	if (!new->fmt)
		return -EINVAL;
	ctx->fmt = new->fmt;
	ret = pfm_arg_check_size(ctx, size);
	if (!ret)
		ret = pfm_fmt_setup(ctx, size ? new->fmt_arg : NULL);
	if (ret)
		ctx->fmt = NULL;
	else
		new->fmt = NULL;
	return ret;
}

static void pfm_context_detach_fmt(struct pfm_context *ctx)
{
	if (!ctx->fmt || pfm_is_member(ctx))
		return;
	if (ctx->share)
		pfm_share_end(ctx->share);
	else
		pfm_smpl_buf_end(ctx->fmt, ctx->buffer);
	pfm_fmt_put(ctx->fmt);
	pfm_arg_free(ctx);
}

/*
 * Check whether PFM_FL_INHERIT is allowed with the other flags. Families are
 * not supported on PREEMPT_RT: see pfm_probe_fork().
 */
static int pfm_check_inherit(const pfarg_ctx_t *req)
{
	if (!(req->ctx_flags & PFM_FL_INHERIT))
		return 0;
	if (req->ctx_flags & (PFM_FL_SYSTEM_WIDE | PFM_FL_NOTIFY_BLOCK |
			      PFM_FL_MAP_SETS))
		return -EINVAL;
	return IS_ENABLED(CONFIG_PREEMPT_RT) ? -EOPNOTSUPP : 0;
}

int pfm_creation_check(const struct pfm_creation *new)
{
	const pfarg_ctx_t *req = &new->req;

	if (req->ctx_flags & ~PFM_FL_ALL ||
	    memchr_inv(req->reserved, 0, sizeof(req->reserved)))
		return -EINVAL;
	/*
	 * A CPU cannot be blocked. Its PMDs may be read on that CPU only
	 * (4.3.2), but a mapped page could be read anywhere.
	 */
	if (req->ctx_flags & PFM_FL_SYSTEM_WIDE &&
	    req->ctx_flags & (PFM_FL_NOTIFY_BLOCK | PFM_FL_MAP_SETS))
		return -EINVAL;
	return pfm_check_inherit(req) ?: pfm_may_create(req->ctx_flags);
}

void pfm_creation_find_fmt(struct pfm_creation *new)
{
	if (!pfm_uuid_is_null(new->req.ctx_smpl_buf_id))
		new->fmt = pfm_fmt_get(new->req.ctx_smpl_buf_id);
}

void pfm_creation_end(struct pfm_creation *new)
{
	if (new->fmt)
		pfm_fmt_put(new->fmt);
}

/*
 * Get the conversion of raw time stamps for pfm_stamps_attach(). It is NULL or
 * all 0 if the format has not called pfm_raw_time().
 */
static const pfm_time_conv_t *pfm_raw_stamps(const struct pfm_context *ctx)
{
	if (ctx->share)
		return &ctx->share->raw;
	return ctx->buf ? &pfm_fmt_front(ctx->buf)->raw : NULL;
}

/*
 * Get the depth of the message queue: the minimum for a family, whose overflow
 * messages are in its buffers. Do not access the format of a member: its module
 * may be unloaded already.
 */
static size_t pfm_msgq_depth(const struct pfm_context *ctx)
{
	return ctx->fmt && !ctx->share ? ctx->fmt->fmt_msgq_depth : 1;
}

struct pfm_context *pfm_context_create(struct pfm_creation *new)
{
	struct pfm_context *ctx = pfm_context_alloc(new->req.ctx_flags,
						    new->family);
	int ret;

	if (!ctx)
		return ERR_PTR(-ENOMEM);
	ret = pfm_context_attach_pmu(ctx);
	if (ret)
		goto err_pmu;
	ret = pfm_context_attach_fmt(ctx, new);
	if (ret)
		goto err_pmu;
	ret = pfm_msgq_init(&ctx->msgq, pfm_msgq_depth(ctx));
	if (ret)
		goto err_fmt;
	pfm_stamps_attach(ctx, pfm_raw_stamps(ctx));
	new->req.ctx_smpl_buf_size = ctx->buf_size;
	return ctx;
err_fmt:
	pfm_context_detach_fmt(ctx);
err_pmu:
	if (ctx->pmu) {
		pfm_evtset_free_all(ctx);
		pfm_pmu_put(ctx->pmu);
	}
	pfm_family_put(ctx->family);
	pfm_context_end(ctx);
	return ERR_PTR(ret);
}

void pfm_context_destroy(struct pfm_context *ctx)
{
	pfm_lock(ctx);
	if (ctx->loaded)
		pfm_detach(ctx);
	pfm_unlock(ctx);
	pfm_wait_kicks(ctx);
	if (ctx->share && !pfm_is_member(ctx))
		pfm_share_wait(ctx->share);
	pfm_cancel_work(&ctx->stop);
	pfm_cancel_work(&ctx->tell);
	pfm_cancel_work(&ctx->switch_work);
	pfm_release_all(ctx);
	pfm_stamps_detach(ctx);
	pfm_context_detach_fmt(ctx);
	pfm_msgq_destroy(&ctx->msgq);
	pfm_evtset_free_all(ctx);
	pfm_pmu_put(ctx->pmu);
	pfm_family_put(ctx->family);
	pfm_context_end(ctx);
}
