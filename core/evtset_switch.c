// SPDX-License-Identifier: GPL-2.0
/*
 * evtset_switch.c - switching event sets (3.7.6, 3.7.7)
 *
 * The software state is switched in the interrupt: the core keeps the values of
 * the active set and makes the next set the active one. Events counted until
 * the PMU has been reprogrammed are discarded. The PMU is reprogrammed in
 * process context: by the monitored thread on its way to user mode. If the
 * overflow interrupted the kernel, where the thread may stay for a long time, a
 * work item is queued, too; the first of the two to run reprograms the PMU. A
 * work item alone does it if the context is system-wide, or if a command holds
 * the context's mutex.
 */
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/time64.h>
#include <perfmon/perfmon_work.h>
#include "context.h"
#include "evtset.h"
#include "evtset_switch.h"
#include "freeze.h"
#include "owner.h"
#include "pause.h"
#include "thread_work.h"
#include "value.h"

/*
 * Delay before a timeout is retried if it expired while its set could not be
 * switched
 */
#define PFM_SOON	(100 * NSEC_PER_USEC)

void pfm_clock_write(struct pfm_evtset *set, u64 value)
{
	struct pfm_pmd *clock = pfm_clock_of(set);
	u64 before = pfm_value_read_ovfl(clock);

	pfm_value_write_ovfl(clock, value);
	WRITE_ONCE(set->duration,
		   set->duration + before - pfm_value_read_ovfl(clock));
}

void pfm_catch_up(struct pfm_evtset *set)
{
	if (set->timeout && (s64)pfm_clock_of(set)->value >= 0)
		pfm_clock_write(set, -PFM_SOON);
}

/* Get the set after @set; NULL if its explicit next set does not exist. */
static struct pfm_evtset *pfm_next_evtset(struct pfm_context *ctx,
					  const struct pfm_evtset *set)
{
	unsigned long id = set->id;

	if (set->flags & PFM_SETFL_EXPL_NEXT)
		return pfm_evtset_find(ctx, set->id_next);
	return pfm_evtset_after(ctx, &id) ?: pfm_evtset_find(ctx, 0);
}

int pfm_switch_link(struct pfm_context *ctx)
{
	struct pfm_evtset *set;
	unsigned long id;

	lockdep_assert_held(&ctx->mutex);
	pfm_for_each_evtset(ctx, id, set) {
		set->next = pfm_next_evtset(ctx, set);
		if (!set->next)
			return -EINVAL;
	}
	return 0;
}

void pfm_begin_evtset(struct pfm_context *ctx, struct pfm_evtset *set,
		      bool long_reset)
{
	struct pfm_evtset *last = ctx->set;
	bool stays = ctx->loaded && last == set;
	struct pfm_pmd *pmd;
	u16 i;

	WRITE_ONCE(ctx->set, set);
	ctx->switch_due = false;
	set->runs++;
	pfm_reset_pmds(set, set->to_reset, long_reset);
	bitmap_zero(set->to_reset, PFM_MAX_PMDS);
	pfm_for_each_pmd(set, i, pmd) {
		pmd->ovflsw_left = pmd->ovflsw_thres;
		/* Overflows of an earlier turn were discarded. */
		if (!stays)
			pmd->state = PFM_QUIET;
	}
	pfm_note_sampling(ctx);
	if (last != set)
		pfm_publish(last);
	pfm_publish(set);
}

void pfm_end_evtset(struct pfm_evtset *set)
{
	pfm_clock_write(set, -set->timeout);
}

void pfm_switch(struct pfm_context *ctx, bool at_user_level)
{
	struct pfm_evtset *set = ctx->set;

	if (set->next != set) {
		pfm_freeze(ctx, PFM_SWITCHING, pfm_value_read_ovfl);
		ctx->left_at = pfm_clock_of(set)->value;
		set_bit(ctx->target.task && at_user_level ?
				PFM_END_SWITCH_HERE : PFM_END_SWITCH,
			&ctx->ovfl_end);
	}
	pfm_end_evtset(set);
	pfm_begin_evtset(ctx, set->next, false);
}

bool pfm_count_triggers(struct pfm_context *ctx, const unsigned long *ovfl)
{
	struct pfm_evtset *set = ctx->set;
	bool reached = false;
	unsigned int slot;

	if (!(set->flags & PFM_SETFL_OVFL_SWITCH))
		return false;
	for_each_set_bit(slot, ovfl, ctx->pmu->num_pmds) {
		struct pfm_pmd *pmd = pfm_pmd_at(set, slot);

		if (!pmd->ovflsw_left || --pmd->ovflsw_left)
			continue;
		if (!reached)
			bitmap_zero(set->switch_pmds, PFM_MAX_PMDS);
		__set_bit(slot, set->switch_pmds);
		reached = true;
	}
	return reached;
}

void pfm_time_is_up(struct pfm_pmd *clock, bool at_user_level)
{
	struct pfm_context *ctx = clock->ctx;
	unsigned long flags;

	local_irq_save(flags);
	if (pfm_evtset_of(clock) != ctx->set ||
	    READ_ONCE(ctx->frozen) & ~PFM_EXCLUDED)
		goto out;
	if (READ_ONCE(ctx->in_call) == current) {
		pfm_clock_write(ctx->set, -PFM_SOON);
		goto out;
	}
	pfm_switch(ctx, at_user_level);
	if (ctx->ovfl_end)
		pfm_kick(ctx);
out:
	local_irq_restore(flags);
}

static void pfm_finish_locked(struct pfm_context *ctx)
{
	if (READ_ONCE(ctx->frozen) & PFM_SWITCHING)
		pfm_pause_and_resume(ctx);
	mutex_unlock(&ctx->mutex);
}

void pfm_finish_switch(struct pfm_context *ctx)
{
	mutex_lock(&ctx->mutex);
	pfm_finish_locked(ctx);
}

/*
 * Lock the context for pfm_finish_locked(). If not @may_wait, do so only if
 * neither the lock nor pfm_finish_locked() requires waiting. Return: true if
 * the context is locked.
 */
static bool pfm_lock_to_finish(struct pfm_context *ctx, bool may_wait)
{
	if (!pfm_lock_for_work(ctx, may_wait))
		return false;
	if (may_wait || !(READ_ONCE(ctx->frozen) & PFM_SWITCHING) ||
	    pfm_try_stop(ctx))
		return true;
	mutex_unlock(&ctx->mutex);
	return false;
}

static bool pfm_switch_work(struct pfm_work *w, bool may_wait)
{
	struct pfm_context *ctx =
		container_of(w, struct pfm_context, switch_work);

	if (!pfm_lock_to_finish(ctx, may_wait))
		return false;
	pfm_finish_locked(ctx);
	return true;
}

/* Drop the references that pfm_context.switch_here held while queued. */
static void pfm_switch_here_done(struct pfm_context *ctx)
{
	pfm_context_put(ctx);
	pfm_thread_work_done();
}

static bool pfm_switch_later(struct pfm_work *w, bool may_wait)
{
	struct pfm_context *ctx =
		container_of(w, struct pfm_context, switch_later);

	if (!pfm_lock_to_finish(ctx, may_wait))
		return false;
	clear_bit_unlock(0, &ctx->switch_queued);
	/*
	 * If a switch comes too late for pfm_finish_locked() below, it finds
	 * the bit clear, and queues pfm_context.switch_here again.
	 */
	smp_mb__after_atomic();
	pfm_finish_locked(ctx);
	pfm_switch_here_done(ctx);
	return true;
}

/*
 * Lock the context, unless a command has locked it: the thread does not wait
 * for commands. But it waits for code that is reprogramming the PMU at the
 * moment, because otherwise the thread would run without being counted. Return:
 * true if the context is locked.
 */
static bool pfm_lock_here(struct pfm_context *ctx)
{
	return mutex_trylock(&ctx->mutex) ||
	       (!READ_ONCE(ctx->commanded) &&
		!mutex_lock_killable(&ctx->mutex));
}

static void pfm_switch_here(struct callback_head *work)
{
	struct pfm_context *ctx =
		container_of(work, struct pfm_context, switch_here);
	bool exits = current->flags & PF_EXITING;

	if (!exits && !pfm_lock_here(ctx)) {
		pfm_queue_work(&ctx->switch_later);
		return;
	}
	clear_bit_unlock(0, &ctx->switch_queued);
	if (!exits)
		pfm_finish_locked(ctx);
	pfm_switch_here_done(ctx);
}

void pfm_switch_init(struct pfm_context *ctx)
{
	pfm_work_prepare(&ctx->switch_work, pfm_switch_work);
	init_task_work(&ctx->switch_here, pfm_switch_here);
	pfm_work_prepare(&ctx->switch_later, pfm_switch_later);
}

/*
 * Queue the task work. Return: false if the thread is exiting, or if the work
 * is still queued in a previously monitored thread, which may be held up in the
 * kernel.
 */
static bool pfm_switch_by_thread(struct pfm_context *ctx)
{
	if (test_and_set_bit_lock(0, &ctx->switch_queued))
		return READ_ONCE(ctx->switch_task) == ctx->target.task;
	WRITE_ONCE(ctx->switch_task, ctx->target.task);
	kref_get(&ctx->ref);
	if (pfm_thread_work_add(ctx->target.task, &ctx->switch_here,
				TWA_RESUME))
		return true;
	clear_bit_unlock(0, &ctx->switch_queued);
	pfm_context_put(ctx);
	return false;
}

void pfm_switch_request(struct pfm_context *ctx, bool here)
{
	struct task_struct *task = ctx->target.task;
	bool queued = task && !(task->flags & PF_KTHREAD) &&
		      pfm_switch_by_thread(ctx);

	/*
	 * If both a task work and this work item are queued, the first one to
	 * run finishes the switch.
	 */
	if (!here || !queued)
		pfm_queue_work(&ctx->switch_work);
}
