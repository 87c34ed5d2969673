// SPDX-License-Identifier: GPL-2.0
/*
 * exclude.c - tasks that a system-wide context does not measure: the idle
 *	  thread (PFM_SETFL_EXCL_IDLE, 3.1.10), or all tasks outside a control
 *	  group (PFM_LOADFL_CGROUP)
 *
 * On some CPUs perf cannot exclude the idle thread, and events that a module
 * creates cannot belong to a control group. So perfmon probes the scheduler
 * instead. While an excluded task runs, the values of the active set are kept
 * and further counts discarded; the set's clock runs on (3.7.6). The probe
 * exists only while a context that excludes tasks is attached.
 */
#include <linux/cgroup.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include "context.h"
#include "defer.h"
#include "freeze.h"
#include "exclude.h"
#include "owner.h"
#include "tracepoint.h"
#include "value.h"

static DEFINE_PER_CPU(struct pfm_context *, pfm_exclusion_ctx);

#ifdef CONFIG_CGROUPS

struct cgroup *pfm_cgroup_get(unsigned int fd)
{
	struct cgroup *cgroup = cgroup_get_from_fd(fd);

	if (IS_ERR(cgroup) || cgroup_parent(cgroup))
		return cgroup;
	cgroup_put(cgroup);
	return NULL;
}

void pfm_cgroup_put(struct cgroup *cgroup)
{
	if (cgroup)
		cgroup_put(cgroup);
}

static bool pfm_is_in_cgroup(struct task_struct *task, struct cgroup *cgroup)
{
	bool in;

	rcu_read_lock();
	in = cgroup_is_descendant(task_dfl_cgroup(task), cgroup);
	rcu_read_unlock();
	return in;
}

#else

struct cgroup *pfm_cgroup_get(unsigned int fd)
{
	return ERR_PTR(-EOPNOTSUPP);
}

void pfm_cgroup_put(struct cgroup *cgroup)
{
}

static bool pfm_is_in_cgroup(struct task_struct *task, struct cgroup *cgroup)
{
	return true;
}

#endif

static bool pfm_excludes(const struct pfm_context *ctx,
			 struct task_struct *task)
{
	return ctx->cgroup ? !pfm_is_in_cgroup(task, ctx->cgroup) :
			     is_idle_task(task);
}

/* Resume counting in the active set. */
static void pfm_end_exclusion(struct pfm_context *ctx)
{
	struct pfm_pmd *pmd;
	u16 i;

	if (!pfm_unfreeze_excluded(ctx))
		return;
	pfm_for_each_real_pmd(ctx->set, i, pmd)
		pfm_value_write_ovfl(pmd, pmd->value);
	pfm_publish(ctx->set);
}

void pfm_exclusion_changed(struct pfm_context *ctx, bool excluded)
{
	/* Only a command on another CPU can be the owner: wait briefly. */
	while (pfm_enter(ctx))
		cpu_relax();
	ctx->excluded = excluded;
	/* If the context is paused, pfm_resume() does this later. */
	if (!ctx->paused) {
		if (pfm_exclusion_is_over(ctx))
			pfm_end_exclusion(ctx);
		else
			pfm_freeze_excluded(ctx);
	}
	pfm_leave(ctx);
}

static void pfm_probe_switch(void *unused, bool preempt,
			     struct task_struct *prev, struct task_struct *next,
			     unsigned int prev_state)
{
	struct pfm_context *ctx = READ_ONCE(*this_cpu_ptr(&pfm_exclusion_ctx));

	if (ctx && pfm_excludes(ctx, next) != ctx->excluded)
		pfm_exclusion_changed(ctx, !ctx->excluded);
}

static struct pfm_probe pfm_switches = {
	.name = "sched_switch", .func = pfm_probe_switch,
};

/* Does the context exclude any task? */
static bool pfm_excludes_tasks(struct pfm_context *ctx)
{
	struct pfm_evtset *set;
	unsigned long id;

	if (!pfm_is_syswide(ctx))
		return false;
	if (ctx->cgroup)
		return true;
	pfm_for_each_evtset(ctx, id, set)
		if (set->flags & PFM_SETFL_EXCL_IDLE)
			return true;
	return false;
}

int pfm_exclusion_attach(struct pfm_context *ctx)
{
	int ret;

	lockdep_assert_held(&ctx->mutex);
	if (!pfm_excludes_tasks(ctx))
		return 0;
	ret = pfm_probe_get(&pfm_switches);
	if (ret)
		return ret;
	/* If the caller has migrated, the next task switch corrects this. */
	ctx->excluded = pfm_excludes(ctx, current);
	/* The probe may run on another CPU, and must see a complete context. */
	smp_store_release(per_cpu_ptr(&pfm_exclusion_ctx, ctx->target.cpu),
			  ctx);
	return 0;
}

void pfm_exclusion_detach(struct pfm_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	if (!pfm_is_syswide(ctx) ||
	    per_cpu(pfm_exclusion_ctx, ctx->target.cpu) != ctx)
		return;
	WRITE_ONCE(per_cpu(pfm_exclusion_ctx, ctx->target.cpu), NULL);
	pfm_probe_put(&pfm_switches);
	tracepoint_synchronize_unregister();
}
