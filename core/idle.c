// SPDX-License-Identifier: GPL-2.0
/*
 * idle.c - PFM_SETFL_EXCL_IDLE: exclude the idle thread (3.1.10)
 *
 * perf cannot exclude it on all CPUs. While it runs, the values of the active
 * set are kept and further counts discarded; the set's clock runs on (3.7.6).
 * The scheduler is probed only while such a context is attached.
 */
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include "context.h"
#include "defer.h"
#include "freeze.h"
#include "idle.h"
#include "owner.h"
#include "tracepoint.h"
#include "value.h"

static DEFINE_PER_CPU(struct pfm_context *, pfm_idle_ctx);
static DEFINE_MUTEX(pfm_idle_lock);
static struct tracepoint *pfm_sched_switch;
static unsigned int pfm_num_idle;

/* Resume counting in the active set after idle time. */
static void pfm_leave_idle(struct pfm_context *ctx)
{
	struct pfm_pmd *pmd;
	u16 i;

	if (!pfm_unfreeze_idle(ctx))
		return;
	pfm_for_each_real_pmd(ctx->set, i, pmd)
		pfm_value_write_ovfl(pmd, pmd->value);
	pfm_publish(ctx->set);
}

void pfm_idle_changed(struct pfm_context *ctx, bool idle)
{
	/* An owner can only be a command on another CPU: wait briefly. */
	while (pfm_enter(ctx))
		cpu_relax();
	ctx->idle = idle;
	/* pfm_resume() does this for a paused context. */
	if (!ctx->paused) {
		if (pfm_idle_is_over(ctx))
			pfm_leave_idle(ctx);
		else
			pfm_freeze_idle(ctx);
	}
	pfm_leave(ctx);
}

static void pfm_probe_switch(void *unused, bool preempt,
			     struct task_struct *prev, struct task_struct *next,
			     unsigned int prev_state)
{
	struct pfm_context *ctx = READ_ONCE(*this_cpu_ptr(&pfm_idle_ctx));

	if (ctx && is_idle_task(prev) != is_idle_task(next))
		pfm_idle_changed(ctx, is_idle_task(next));
}

static bool pfm_excludes_idle(struct pfm_context *ctx)
{
	struct pfm_evtset *set;
	unsigned long id;

	if (!pfm_is_syswide(ctx))
		return false;
	pfm_for_each_evtset(ctx, id, set)
		if (set->flags & PFM_SETFL_EXCL_IDLE)
			return true;
	return false;
}

static int pfm_idle_get(void)
{
	int ret = 0;

	mutex_lock(&pfm_idle_lock);
	if (!pfm_num_idle) {
		pfm_sched_switch = pfm_find_tracepoint("sched_switch");
		ret = -ENOENT;
		if (pfm_sched_switch)
			ret = tracepoint_probe_register(pfm_sched_switch,
							pfm_probe_switch, NULL);
	}
	if (!ret)
		pfm_num_idle++;
	mutex_unlock(&pfm_idle_lock);
	return ret;
}

static void pfm_idle_put(void)
{
	mutex_lock(&pfm_idle_lock);
	if (!--pfm_num_idle)
		tracepoint_probe_unregister(pfm_sched_switch, pfm_probe_switch,
					    NULL);
	mutex_unlock(&pfm_idle_lock);
	tracepoint_synchronize_unregister();
}

int pfm_idle_attach(struct pfm_context *ctx)
{
	int ret;

	lockdep_assert_held(&ctx->mutex);
	if (!pfm_excludes_idle(ctx))
		return 0;
	ret = pfm_idle_get();
	ctx->idle = false;
	if (!ret)
		WRITE_ONCE(per_cpu(pfm_idle_ctx, ctx->target.cpu), ctx);
	return ret;
}

void pfm_idle_detach(struct pfm_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	if (!pfm_is_syswide(ctx) ||
	    per_cpu(pfm_idle_ctx, ctx->target.cpu) != ctx)
		return;
	WRITE_ONCE(per_cpu(pfm_idle_ctx, ctx->target.cpu), NULL);
	pfm_idle_put();
}
