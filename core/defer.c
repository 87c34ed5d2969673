// SPDX-License-Identifier: GPL-2.0
/*
 * defer.c - overflows that are left to the context's owner or to an irq_work
 *
 * An overflow that finds the context owned leaves a note in its PMD. If it has
 * interrupted another overflow, that overflow handles the note when it leaves
 * (pfm_leave()), unless it has already handled both together
 * (pfm_await_reports()). If the owner is a command, an irq_work handles the
 * note. The irq_work runs at once and waits for the command; if the command has
 * interrupts off on this CPU, the irq_work runs after the command. The irq_work
 * also has the PMU stopped, wakes and signals tools, and has the thread
 * blocked. An overflow must not do these things itself.
 */
#include <perfmon/perfmon_work.h>
#include "block.h"
#include "context.h"
#include "defer.h"
#include "evtset_switch.h"
#include "instant.h"
#include "msgq.h"
#include "owner.h"
#include "share.h"
#include "stamp.h"

/* Have an irq_work handle notes after the command that owns @ctx. */
static void pfm_queue_deferred(struct pfm_context *ctx)
{
	set_bit(PFM_END_DEFERRED, &ctx->ovfl_end);
	pfm_kick(ctx);
}

static void pfm_tell_owner(struct pfm_context *ctx, u32 owner)
{
	/*
	 * A full barrier: an owner that sees @deferred set sees the note, too.
	 */
	xchg(&ctx->deferred, 1);
	if (owner == PFM_BUSY_COMMAND)
		pfm_queue_deferred(ctx);
}

void pfm_miss(struct pfm_context *ctx, int n, u32 owner)
{
	atomic_add(n, &ctx->missed);
	pfm_tell_owner(ctx, owner);
}

/*
 * Begin a note, unless the overflow is known (PFM_KNOWN): then discard the
 * report. One cmpxchg() checks the state and begins the note, because another
 * overflow may interrupt this function at any point. If a command on another
 * CPU has just ended, that overflow may own the context and handle this
 * overflow together with its own. Return: the previous state: PFM_QUIET, or the
 * reason why no note was begun.
 */
static u8 pfm_begin_note(struct pfm_pmd *pmd)
{
	u8 state;

	do {
		state = cmpxchg(&pmd->state, PFM_QUIET, PFM_NOTING);
	} while (state == PFM_KNOWN && !pfm_discard_known(pmd));
	return state;
}

void pfm_defer(struct pfm_pmd *pmd, u64 ip, u32 owner)
{
	u8 state = pfm_begin_note(pmd);

	if (state == PFM_KNOWN) {
		/*
		 * If the owner is a command, an NMI may have left a note
		 * without queuing an irq_work: see pfm_enter_fast().
		 */
		pfm_see_to_deferred(pmd->ctx);
		return;
	}
	if (state != PFM_QUIET) {
		pfm_miss(pmd->ctx, 1, owner);
		return;
	}
	pmd->ovfl_ip = ip;
	/* Pairs with the acquire in pfm_take_note(). */
	smp_store_release(&pmd->state, PFM_NOTED);
	pfm_tell_owner(pmd->ctx, owner);
}

/*
 * Take the note of @pmd, if there is one. With @at, take it only if the
 * overflow happened at that address. Return: true if the note was taken; *@ip
 * is then the address of the overflow.
 */
static bool pfm_take_note(struct pfm_pmd *pmd, const u64 *at, u64 *ip)
{
	/* Pairs with the release in pfm_defer(). */
	if (smp_load_acquire(&pmd->state) != PFM_NOTED)
		return false;
	if (at && pmd->ovfl_ip != *at)
		return false;
	*ip = pmd->ovfl_ip;
	/* Pairs with the cmpxchg() in pfm_begin_note(). */
	smp_store_release(&pmd->state, PFM_QUIET);
	return true;
}

/*
 * Take the notes of one instant: that of @first, and those of PMDs in higher
 * slots that overflowed at the same address. Return: false if @first has no
 * note.
 */
static bool pfm_take_instant(struct pfm_pmd *first, unsigned long *ovfl,
			     u64 *ip)
{
	struct pfm_pmd *other;
	u16 i;

	if (!pfm_take_note(first, NULL, ip))
		return false;
	bitmap_zero(ovfl, PFM_MAX_PMDS);
	__set_bit(first->slot, ovfl);
	pfm_for_each_real_pmd(pfm_evtset_of(first), i, other)
		if (i > first->slot && pfm_take_note(other, ip, ip))
			__set_bit(i, ovfl);
	return true;
}

/* Handle the deferred timeout of the active set. */
static void pfm_take_timeout(struct pfm_context *ctx)
{
	struct pfm_pmd *clock = pfm_clock_of(ctx->set);
	u64 ip;

	if (pfm_take_note(clock, NULL, &ip))
		pfm_time_is_up(clock, false);
}

/*
 * Handle all notes of @ctx, which the caller owns. @here: @ctx counts on this
 * CPU. Otherwise overflows of another context may interrupt this function,
 * which therefore takes time stamps with pfm_stamp_unowned().
 */
static void pfm_handle_deferred(struct pfm_context *ctx, bool here)
{
	DECLARE_BITMAP(ovfl, PFM_MAX_PMDS);
	struct pfm_pmd *pmd;
	u64 ip;
	u16 i;

	WRITE_ONCE(ctx->deferred, 0);
	barrier();
	ctx->lost += atomic_xchg(&ctx->missed, 0);
	pfm_for_each_real_pmd(ctx->set, i, pmd) {
		/* In a frozen context, take the notes to discard them. */
		if (pfm_take_instant(pmd, ovfl, &ip) && !READ_ONCE(ctx->frozen))
			pfm_instant(ctx, ovfl,
				    here ? 0 : pfm_stamp_unowned(ctx),
				    ip, NULL, NULL);
	}
	pfm_take_timeout(ctx);
}

noinline void pfm_see_to_deferred(struct pfm_context *ctx)
{
	u32 owner;

	while (READ_ONCE(ctx->deferred)) {
		owner = pfm_enter(ctx);
		if (owner == PFM_BUSY_COMMAND)
			pfm_queue_deferred(ctx);
		if (owner)
			return;
		pfm_handle_deferred(ctx, true);
		/* Pairs with the acquire in pfm_own(). */
		smp_store_release(&ctx->busy, 0);
		barrier();
	}
}

/*
 * Handle overflows that were deferred because a command owned the context. If
 * an overflow is in progress, it was interrupted by this interrupt, and will
 * handle the deferred overflows itself.
 */
static void pfm_take_deferred_here(struct pfm_context *ctx)
{
	u32 owner;

	while ((owner = pfm_enter(ctx)) == PFM_BUSY_COMMAND)
		cpu_relax();
	if (!owner)
		pfm_leave(ctx);
}

/*
 * Handle deferred overflows of a thread that may have been switched out
 * meanwhile. They cannot be left to the thread's next overflow: that may never
 * come, and a tool may wait for a notification. The thread may run on another
 * CPU. If its counters overflow there meanwhile, the overflow takes this
 * function for a command that owns the context, and queues another irq_work.
 * Any earlier owner is on another CPU, so wait for it.
 */
static void pfm_take_deferred_elsewhere(struct pfm_context *ctx)
{
	while (cmpxchg_acquire(&ctx->busy, 0, PFM_BUSY_COMMAND))
		cpu_relax();
	pfm_handle_deferred(ctx, false);
	/* Pairs with the acquire of the next owner. */
	smp_store_release(&ctx->busy, 0);
}

static void pfm_take_deferred(struct pfm_context *ctx)
{
	if (pfm_is_here(ctx))
		pfm_take_deferred_here(ctx);
	else
		pfm_take_deferred_elsewhere(ctx);
}

/*
 * Stop the PMU after masking. This needs process context, so an irq_work queues
 * this work item. Until it runs, overflows find the context masked. If a CPU is
 * going offline, the work item may run too late; perf itself then stops the
 * CPU's events.
 */
bool pfm_stop_work(struct pfm_work *w, bool may_wait)
{
	struct pfm_context *ctx = container_of(w, struct pfm_context, stop);

	if (!pfm_lock_for_work(ctx, may_wait))
		return false;
	if (ctx->loaded && (pfm_is_masked(ctx) || pfm_is_offline(ctx)))
		ctx->pmu->stop(&ctx->on_pmu->pmu_set);
	mutex_unlock(&ctx->mutex);
	return true;
}

bool pfm_tell_work(struct pfm_work *w, bool may_wait)
{
	struct pfm_context *ctx = container_of(w, struct pfm_context, tell);

	pfm_msgq_tell_readers(&ctx->msgq);
	return true;
}

static void pfm_tell_readers(struct pfm_context *ctx)
{
	if (PFM_IRQ_WORK_IS_RAW)
		pfm_queue_work(&ctx->tell);
	else
		pfm_msgq_tell_readers(&ctx->msgq);
}

void pfm_share_irq_work(struct irq_work *work)
{
	struct pfm_share *share =
		container_of(work, struct pfm_share, tell.work);

	pfm_tell_readers(share->root);
	pfm_irq_work_done(&share->tell);
}

void pfm_irq_work(struct irq_work *work)
{
	struct pfm_context *ctx =
		container_of(work, struct pfm_context, irq_work.work);

	if (test_and_clear_bit(PFM_END_DEFERRED, &ctx->ovfl_end))
		pfm_take_deferred(ctx);
	if (test_and_clear_bit(PFM_END_BLOCK, &ctx->ovfl_end))
		pfm_block_request(ctx);
	if (test_and_clear_bit(PFM_END_STOP, &ctx->ovfl_end))
		pfm_queue_work(&ctx->stop);
	if (test_and_clear_bit(PFM_END_SWITCH, &ctx->ovfl_end))
		pfm_switch_request(ctx, false);
	if (test_and_clear_bit(PFM_END_SWITCH_HERE, &ctx->ovfl_end))
		pfm_switch_request(ctx, true);
	if (test_and_clear_bit(PFM_END_NOTIFY, &ctx->ovfl_end))
		pfm_tell_readers(ctx);
	pfm_kicked(ctx);
}
