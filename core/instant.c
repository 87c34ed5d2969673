// SPDX-License-Identifier: GPL-2.0
/*
 * instant.c - handle all overflows of one instant as one event (3.5.14)
 *
 * This is the general path, for what the fast path of overflow.c does not
 * handle: simultaneous overflows of several counters, debug-store records, and
 * deferred overflows. The PMU may report the counters of one instant together
 * (pfm_overflow_many()) or one by one. In the second case the first report
 * handles all counters that have reached 0 (pfm_look_closer()). The other
 * counters become PFM_KNOWN, so that their own reports are recognized later and
 * discarded. If the context is now frozen, this is not needed, because a frozen
 * context discards all reports. Deferred overflows at the same address count as
 * one instant (defer.c).
 */
#include <linux/irqflags.h>
#include <linux/sched.h>
#include "context.h"
#include "ds.h"
#include "freeze.h"
#include "instant.h"
#include "outcome.h"
#include "rate.h"
#include "stamp.h"
#include "value.h"

void notrace pfm_translate_ids(struct pfm_context *ctx,
			       struct task_struct *task)
{
	pid_t tid = task_pid_nr_ns(task, ctx->pid_ns);

	/* A thread that has been reaped has no IDs: keep the previous ones. */
	if (!tid && ctx->target.task)
		return;
	ctx->data.tid = tid;
	ctx->data.tgid = task_tgid_nr_ns(task, ctx->pid_ns);
}

/*
 * Read the PMDs to record, which may be narrower than 64 bits. The last
 * @num_data of them hold data of a sample, such as an address, which are not
 * available here: record 0 for these PMDs.
 */
static void pfm_read_smpl_pmds(struct pfm_pmd *pmd)
{
	struct pfm_pmd_ovfl *ovfl = pmd->ovfl;
	struct pfm_pmu_reg **smpl = pfm_smpl_regs(ovfl);
	u16 i, end = ovfl->arg.num_smpl_pmds - ovfl->num_data;

	for (i = 0; i < end; i++)
		ovfl->arg.smpl_pmds_values[i] =
			pfm_value_read_ovfl(container_of(smpl[i],
							 struct pfm_pmd, hw));
	while (i < ovfl->arg.num_smpl_pmds)
		ovfl->arg.smpl_pmds_values[i++] = 0;
}

/* Call the handler for one of the PMDs that overflowed in one instant. */
static int pfm_handle_one(struct pfm_context *ctx, u16 slot, u64 tstamp,
			  struct pfm_outcome *out)
{
	struct pfm_pmd *pmd = pfm_pmd_at(ctx->set, slot);
	pfm_ovfl_arg_t *arg;
	int err;

	/* See the invariants in context.h. */
	if (WARN_ON_ONCE(!pmd->ovfl))
		return 0;
	arg = &pmd->ovfl->arg;
	pfm_begin_arg(arg, pfm_value_read_ovfl(pmd));
	pfm_read_smpl_pmds(pmd);
	err = ctx->handler(ctx->buf, arg, tstamp, &ctx->data);
	pfm_collect(out, pmd, err);
	return err;
}

/*
 * Handle one overflow event. @ovfl: bitmap of the PMDs' slots. @tstamp: time
 * stamp, or 0 to take one now. Context: the caller owns @ctx.
 */
static void pfm_event(struct pfm_context *ctx, const unsigned long *ovfl,
		      u64 tstamp, u64 ip, struct pt_regs *regs)
{
	struct pfm_outcome out = {};
	unsigned long flags;
	unsigned int slot;
	int err = 0;

	tstamp = tstamp ?: pfm_stamp(ctx);

	local_irq_save(flags);
	/* A deferred overflow may be handled while another thread runs. */
	pfm_note_ids(ctx, ctx->target.task ?: current);
	ctx->data.regs = regs;
	ctx->data.ip = ip;
	for_each_set_bit(slot, ovfl, ctx->pmu->num_pmds) {
		/* From the first error on, count the overflows as lost. */
		if (!err)
			err = pfm_handle_one(ctx, slot, tstamp, &out);
		if (err)
			ctx->lost++;
	}
	/*
	 * Do this after the handlers, which may set the credit to 1 in a family
	 * (share.c).
	 */
	ctx->credit--;
	pfm_conclude(ctx, ovfl, &out);
	local_irq_restore(flags);
}

/*
 * Store a record in the debug-store area, if there is one. Return: true if the
 * handlers must be called: the area is filled to its threshold or does not
 * exist, or a limit on overflows is exceeded.
 */
static bool pfm_store_or_interrupt(struct pfm_context *ctx,
				   const unsigned long *ovfl,
				   struct pfm_ds_record *rec)
{
	unsigned long flags;
	bool interrupts;

	if (!ctx->target.ds)
		return true;
	local_irq_save(flags);
	interrupts = pfm_ds_store(ctx, ovfl, rec);
	/*
	 * Limit the rate here, too: perf raises an interrupt for each record,
	 * whereas PEBS hardware raises one only when the threshold is reached.
	 */
	if (!interrupts && unlikely(!--ctx->credit))
		interrupts = pfm_rate_account(ctx, 0);
	local_irq_restore(flags);
	return interrupts;
}

void pfm_instant(struct pfm_context *ctx, const unsigned long *ovfl,
		 u64 tstamp, u64 ip, struct pt_regs *regs,
		 struct pfm_ds_record *rec)
{
	if (pfm_store_or_interrupt(ctx, ovfl, rec))
		pfm_event(ctx, ovfl, tstamp, ip, regs);
}

noinline void pfm_conclude_one(struct pfm_pmd *pmd, int err)
{
	struct pfm_context *ctx = pmd->ctx;
	DECLARE_BITMAP(ovfl, PFM_MAX_PMDS);
	struct pfm_outcome out = {};
	unsigned long flags;

	if (WARN_ON_ONCE(pfm_evtset_of(pmd) != ctx->set))
		return;
	bitmap_zero(ovfl, PFM_MAX_PMDS);
	__set_bit(pmd->slot, ovfl);
	if (err)
		ctx->lost++;
	pfm_collect(&out, pmd, err);
	local_irq_save(flags);
	ctx->reported = pmd;
	pfm_conclude(ctx, ovfl, &out);
	ctx->reported = NULL;
	local_irq_restore(flags);
}

/*
 * Discard the report of an overflow that was already handled (PFM_KNOWN). If
 * the PMD has counted more than half a period since then, the handled overflow
 * was never reported: this is the report of the next overflow, a whole period
 * later, and is not discarded. In both cases no report is expected any more, so
 * the PMD becomes PFM_QUIET.
 */
bool pfm_overflow_discard_known(struct pfm_pmu_reg *reg, u64 value)
{
	struct pfm_pmd *pmd = container_of(reg, struct pfm_pmd, hw);

	if (likely(READ_ONCE(pmd->state) != PFM_KNOWN) ||
	    cmpxchg(&pmd->state, PFM_KNOWN, PFM_QUIET) != PFM_KNOWN)
		return false;
	return value - pmd->known_from <= -pmd->last_reset >> 1;
}
EXPORT_SYMBOL_GPL(pfm_overflow_discard_known);

/*
 * Read the value again: an NMI may have handled the overflow after the PMU read
 * the value.
 */
bool pfm_discard_known(struct pfm_pmd *pmd)
{
	return READ_ONCE(pmd->state) == PFM_KNOWN &&
	       pfm_overflow_discard_known(&pmd->hw, pfm_value_read_ovfl(pmd));
}

/*
 * Has the PMD overflowed without being handled or reported? A PMD in to_reset
 * has been handled, but not reset, so its value is still past 0. A PMD that
 * records data of its samples (hw.wants) waits for its own report, which has
 * the data. A PMD that counts time (hw.waits) waits for the interrupt of its
 * timer, because only this interrupt stops the thread at a place that does not
 * depend on other events.
 */
static bool pfm_is_still_to_come(struct pfm_pmd *pmd)
{
	return pmd->hw.sampling && !pmd->hw.waits &&
	       !test_bit(pmd->slot, pfm_evtset_of(pmd)->to_reset) &&
	       !pfm_is_noted(pmd) &&
	       pfm_is_past_zero(pmd, pfm_value_read_ovfl(pmd)) &&
	       !pmd->hw.wants;
}

/*
 * Find other PMDs that have overflowed, too. @ovfl: out: bitmap of their slots.
 * Return: true if any were found.
 */
static bool pfm_find_others(const struct pfm_pmd *pmd, unsigned long *ovfl)
{
	struct pfm_pmd *other;
	bool found = false;
	u16 i;

	bitmap_zero(ovfl, PFM_MAX_PMDS);
	pfm_for_each_real_pmd(pfm_evtset_of(pmd), i, other) {
		if (other == pmd || !pfm_is_still_to_come(other))
			continue;
		__set_bit(i, ovfl);
		found = true;
	}
	return found;
}

/*
 * The PMDs in @others were handled together with a reported one. Mark them, so
 * that their own reports are discarded when they come. If a PMD's report has
 * already come and left a note (PFM_NOTED), drop the note instead. Interrupts
 * are off, so the report came in an NMI and its note is complete: no PMD is
 * PFM_NOTING.
 */
static void pfm_await_reports(struct pfm_context *ctx,
			      const unsigned long *others)
{
	unsigned int slot;

	/* A frozen context discards reports anyway. */
	if (READ_ONCE(ctx->frozen))
		return;
	for_each_set_bit(slot, others, ctx->pmu->num_pmds) {
		struct pfm_pmd *pmd = pfm_pmd_at(ctx->set, slot);

		pmd->known_from = pfm_value_read_ovfl(pmd);
		if (cmpxchg(&pmd->state, PFM_QUIET, PFM_KNOWN) == PFM_NOTED)
			/* Pairs with the cmpxchg() in pfm_begin_note(). */
			smp_store_release(&pmd->state, PFM_QUIET);
	}
}

void pfm_silence(struct pfm_pmd *pmd)
{
	unsigned long flags;

	if (pmd->ctx->paused)
		return;
	local_irq_save(flags);
	pmd->ctx->pmu->reset_pmd(&pmd->hw, 0, true);
	local_irq_restore(flags);
}

/*
 * Handle an overflow together with those of other PMDs. Interrupts are off from
 * the check of the other PMDs to the end, so a report that arrives in between
 * comes in an NMI, and belongs to one of the overflows handled here. Return:
 * true; false if no other PMD has overflowed, and therefore nothing was done.
 */
static bool pfm_handle_with_others(struct pfm_pmd *pmd, u64 ip,
				   struct pt_regs *regs)
{
	struct pfm_context *ctx = pmd->ctx;
	DECLARE_BITMAP(others, PFM_MAX_PMDS);
	DECLARE_BITMAP(ovfl, PFM_MAX_PMDS);

	if (!pfm_find_others(pmd, others))
		return false;
	bitmap_copy(ovfl, others, PFM_MAX_PMDS);
	__set_bit(pmd->slot, ovfl);
	ctx->reported = pmd;
	pfm_instant(ctx, ovfl, 0, ip, regs, NULL);
	ctx->reported = NULL;
	pfm_await_reports(ctx, others);
	return true;
}

static __always_inline bool pfm_discard_inline(struct pfm_pmd *pmd)
{
	struct pfm_context *ctx = pmd->ctx;

	if (READ_ONCE(ctx->frozen)) {
		pfm_silence(pmd);
		return true;
	}
	return WARN_ON_ONCE(pfm_evtset_of(pmd) != ctx->set || !pmd->ovfl) ||
	       pfm_discard_known(pmd);
}

bool pfm_discard(struct pfm_pmd *pmd)
{
	return pfm_discard_inline(pmd);
}

noinline bool pfm_look_closer(struct pfm_pmd *pmd, u64 ip, struct pt_regs *regs)
{
	unsigned long flags;
	bool handled;

	if (pfm_discard_inline(pmd))
		return true;
	local_irq_save(flags);
	handled = pfm_handle_with_others(pmd, ip, regs);
	local_irq_restore(flags);
	return handled;
}
