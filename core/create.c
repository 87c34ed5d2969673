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
#include "stamp.h"

static struct pfm_context *pfm_context_alloc(u32 flags,
					     struct pfm_family *family)
{
	struct pfm_context *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);

	if (!ctx)
		return NULL;
	kref_init(&ctx->ref);
	mutex_init(&ctx->mutex);
	ctx->flags = flags;
	ctx->handler = pfm_no_fmt_handler;
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

/* Get the sizes of the buffer and of its private area from the format. */
static int pfm_fmt_sizes(struct pfm_context *ctx, void *arg, size_t *size,
			 size_t *area)
{
	const pfm_buffer_fmt_t *fmt = ctx->fmt;
	int ret = 0;

	if (fmt->fmt_getsize)
		ret = pfm_fmt_result(fmt, "fmt_getsize",
				     fmt->fmt_getsize(ctx->flags, arg, size));
	if (!ret && fmt->fmt_getpriv)
		ret = pfm_fmt_result(fmt, "fmt_getpriv",
				     fmt->fmt_getpriv(ctx->flags, arg, area));
	if (ret || *size || !*area)
		return ret;
	pr_warn_ratelimited("perfmon: format %s: fmt_getpriv asks for %zu bytes, but fmt_getsize asks for no buffer\n",
			    fmt->fmt_name, *area);
	return -EINVAL;
}

static int pfm_fmt_buffer(struct pfm_context *ctx, void *arg)
{
	size_t size = 0, area = 0;
	int ret = pfm_fmt_sizes(ctx, arg, &size, &area);

	if (ret || !size)
		return ret;
	/* The front must fit into the page before the mapping. */
	BUILD_BUG_ON(sizeof(struct pfm_fmt_front) > PAGE_SIZE);
	ctx->buffer = pfm_buffer_create(size, 1, area);
	if (!ctx->buffer)
		return -ENOMEM;
	ctx->buf = pfm_buffer_start(ctx->buffer);
	pfm_fmt_front(ctx->buf)->area = pfm_buffer_area(ctx->buffer);
	ctx->buf_size = pfm_buffer_size(ctx->buffer);
	return 0;
}

static void pfm_fmt_exit(struct pfm_context *ctx)
{
	int err;

	if (!ctx->fmt->fmt_exit)
		return;
	err = ctx->fmt->fmt_exit(ctx->buf);
	if (err)
		pr_warn_ratelimited("perfmon: format %s: fmt_exit returns %d\n",
				    ctx->fmt->fmt_name, err);
}

static int pfm_fmt_init_buffer(struct pfm_context *ctx, void *arg)
{
	int ret = 0;

	if (ctx->fmt->fmt_init)
		ret = pfm_fmt_result(ctx->fmt, "fmt_init",
				     ctx->fmt->fmt_init(ctx->flags, arg,
							ctx->buf));
	if (ret)
		return ret;
	ret = pfm_ds_attach(ctx);
	if (ret)
		pfm_fmt_exit(ctx);
	return ret;
}

/* Have the format check its argument, then create and set up its buffer. */
static int pfm_fmt_setup(struct pfm_context *ctx, void *arg)
{
	int ret = pfm_arg_validate(ctx, arg) ?: pfm_arg_keep(ctx, arg);

	if (!ret)
		ret = pfm_fmt_buffer(ctx, arg);
	if (!ret)
		ret = pfm_fmt_init_buffer(ctx, arg);
	if (ret && ctx->buffer)
		pfm_buffer_put(ctx->buffer);
	if (ret)
		pfm_arg_free(ctx);
	else
		ctx->handler = ctx->fmt->fmt_handler;
	return ret;
}

static int pfm_context_attach_fmt(struct pfm_context *ctx,
				  struct pfm_creation *new)
{
	size_t size = new->fmt_arg_size;
	int ret;

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
	if (!ctx->fmt)
		return;
	pfm_fmt_exit(ctx);
	if (ctx->buffer)
		pfm_buffer_put(ctx->buffer);
	pfm_fmt_put(ctx->fmt);
	pfm_arg_free(ctx);
}

/*
 * A family has no messages, no pages and, so far, no samples. On PREEMPT_RT a
 * fork cannot be followed: see pfm_probe_fork().
 */
static int pfm_check_inherit(const pfarg_ctx_t *req)
{
	if (!(req->ctx_flags & PFM_FL_INHERIT))
		return 0;
	if (req->ctx_flags & (PFM_FL_SYSTEM_WIDE | PFM_FL_NOTIFY_BLOCK |
			      PFM_FL_MAP_SETS))
		return -EINVAL;
	return !pfm_uuid_is_null(req->ctx_smpl_buf_id) ||
	       IS_ENABLED(CONFIG_PREEMPT_RT) ? -EOPNOTSUPP : 0;
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
	ret = pfm_msgq_init(&ctx->msgq,
			    ctx->fmt ? ctx->fmt->fmt_msgq_depth : 1);
	if (ret)
		goto err_fmt;
	pfm_stamps_attach(ctx);
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
