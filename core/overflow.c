// SPDX-License-Identifier: GPL-2.0
/*
 * overflow.c - the overflows of counters, as the PMU reports them (3.5.14)
 *
 * The PMU calls these functions in any context up to NMI, on the monitored CPU
 * or in the monitored thread. They never wait.
 *
 * Nearly every sample takes the fast path, pfm_overflow():
 * 1. Take ownership of the context, pfm_context.busy (owner.h).
 * 2. Fill in the handler's argument and pfm_context.data, which includes the
 *    thread's IDs. Read the PMDs of reg_smpl_pmds, if any, and the time.
 * 3. Call the handler, which requests "reset and continue".
 * 4. Usually the hardware counter has already reloaded itself, so the reset
 *    only changes the offset between its count and the PMD's value.
 * 5. Give up ownership. Handle overflows that have interrupted this one.
 * It reads four words of state: pfm_context.busy, unusual, credit and deferred.
 *
 * All other cases leave the fast path:
 * - The context is owned: leave a note. An overflow that owns the context
 *   handles the note; after a command an irq_work does (defer.c).
 * - The context is frozen (masked, switching or excluded): discard the
 *   overflow.
 * - The overflow was already handled with another counter's report: discard the
 *   report (instant.c).
 * - The thread IDs must be translated to another PID namespace (instant.c).
 * - Several counters sample: handle the overflows of one instant together
 *   (instant.c). If no other counter has overflowed, continue on the fast path.
 * - The handler returns an error: count the overflow as lost, and carry out
 *   PFM_OVFL_CTRL_HOLD, which requests masking and a notification (outcome.c).
 * - The handler sets unknown control bits: also carry out PFM_OVFL_CTRL_HOLD.
 * - The handler requests anything but "reset and continue", or the reset value
 *   is not the one that the hardware has reloaded: pfm_conclude_one()
 *   (instant.c, outcome.c).
 * - The context's credit of at most 256 overflows is used up: time this
 *   overflow. After a certain number of overflows or a certain time (a window),
 *   check the limits on overflows, and mask if one is exceeded (rate.c).
 *
 * The functions after pfm_overflow() receive the PMU's other reports. context.h
 * describes the states of ownership and of a PMD, at PFM_BUSY_* and PFM_QUIET.
 */
#include "context.h"
#include "defer.h"
#include "evtset_switch.h"
#include "instant.h"
#include "owner.h"
#include "pmu.h"
#include "rate.h"
#include "stamp.h"

static noinline notrace void pfm_conclude_and_leave(struct pfm_pmd *pmd,
						    int err)
{
	pfm_conclude_one(pmd, err);
	pfm_leave(pmd->ctx);
}

/*
 * Leave after the overflow that uses up the credit: time it, renew the credit
 * and continue. At the end of a window pfm_conclude() checks the limits
 * instead, and masks if one is exceeded (rate.c).
 */
static noinline notrace void pfm_renew_and_leave(struct pfm_pmd *pmd)
{
	struct pfm_pmu_reg *reg = &pmd->hw;
	struct pfm_context *ctx = pmd->ctx;

	if (pfm_rate_renew(ctx, pfm_since_stamp(ctx)))
		reg->offset -= reg->reload;
	else
		pfm_conclude_one(pmd, 0);
	pfm_leave(ctx);
}

static __always_inline void pfm_begin_record(struct pfm_context *ctx,
					     struct pfm_pmd *pmd, u64 value,
					     struct pt_regs *regs, u64 ip)
{
	pfm_begin_arg(&pmd->ovfl->arg, value);
	ctx->data.regs = regs;
	pfm_note_ids(ctx, current);
	ctx->data.ip = ip;
}

/* Also record the thread's IDs, which need not be translated. */
static __always_inline void pfm_begin_usual(struct pfm_context *ctx,
					    struct pfm_pmd *pmd, u64 value,
					    struct pt_regs *regs, u64 ip)
{
	pfm_begin_arg(&pmd->ovfl->arg, value);
	ctx->data.regs = regs;
	/* ip is stored last, so that arm64 stores it together with the IDs. */
	pfm_copy_ids(ctx, current);
	ctx->data.ip = ip;
}

static __always_inline void pfm_read_values(struct pfm_context *ctx,
					    struct pfm_pmd_ovfl *ovfl)
{
	if (ovfl->arg.num_smpl_pmds)
		ctx->read_pmds(pfm_smpl_regs(ovfl), ovfl->arg.smpl_pmds_values,
			       ovfl->arg.num_smpl_pmds);
}

/* Steps 3 to 5: call the handler, reset and leave. */
static __always_inline void pfm_end_record(struct pfm_context *ctx,
					   struct pfm_pmd *pmd, u64 tstamp)
{
	struct pfm_pmu_reg *reg = &pmd->hw;
	u64 offset, reload, plain;
	u32 ctrl, credit;
	int err;

	err = ctx->handler(ctx->buf, &pmd->ovfl->arg, tstamp, &ctx->data);
	if (unlikely(err)) {
		pfm_conclude_and_leave(pmd, err);
		return;
	}
	ctrl = pmd->ovfl->arg.ovfl_ctrl.val;
	plain = pmd->plain_reset;
	credit = --ctx->credit;
	/*
	 * If plain_reset and reload are equal, the hardware has reloaded the
	 * right value: see the invariants in context.h.
	 *
	 * Read offset and reload together, and late. Another report may
	 * interrupt this code, because a tracepoint can be hit in an interrupt,
	 * too. If that report changes the offset after this read, the write
	 * below undoes the change. But the report leaves a note, and
	 * pfm_leave() handles the note and resets the PMD. The next overflow is
	 * then at most a period away, whether the change was undone or not
	 * (perf_reset_other()).
	 */
	offset = reg->offset;
	reload = reg->reload;
	if (unlikely(ctrl != PFM_OVFL_CTRL_RESET || plain != reload)) {
		pfm_conclude_and_leave(pmd, 0);
		return;
	}
	if (unlikely(!credit)) {
		pfm_renew_and_leave(pmd);
		return;
	}
	/*
	 * The PMD's value is count - offset. It becomes the reset value plus
	 * the events that were counted since the overflow.
	 */
	reg->offset = offset - reload;
	pfm_leave(ctx);
}

/*
 * Handle an overflow if the context is owned or frozen, if several counters
 * sample, or if thread IDs must be translated. @owner: result of
 * pfm_enter_fast().
 */
static noinline notrace void pfm_overflow_rare(struct pfm_pmd *pmd, u64 value,
					       struct pt_regs *regs, u64 ip,
					       u32 owner)
{
	struct pfm_context *ctx = pmd->ctx;

	if (owner) {
		/* pfm_enter_fast() has overwritten the owner: restore it. */
		pfm_not_entered(ctx, owner);
		pfm_defer(pmd, ip, owner);
	} else if (pfm_look_closer(pmd, ip, regs)) {
		pfm_leave(ctx);
	} else {
		pfm_begin_record(ctx, pmd, value, regs, ip);
		pfm_read_values(ctx, pmd->ovfl);
		pfm_end_record(ctx, pmd, pfm_stamp(ctx));
	}
}

/*
 * This function is optimised for few instructions. Few values are live across
 * calls, and the rare cases are tail calls, so that few registers are saved.
 * Some code is repeated to avoid a branch.
 */
void notrace pfm_overflow(struct pfm_pmu_reg *reg, u64 value,
			  struct pt_regs *regs, u64 ip)
{
	struct pfm_pmd *pmd = container_of(reg, struct pfm_pmd, hw);
	struct pfm_context *ctx = pmd->ctx;
	u32 owner = pfm_enter_fast(ctx);
	u64 unusual, tstamp;

	if (unlikely(owner))
		goto rare;
	unusual = READ_ONCE(ctx->unusual);
	/*
	 * Usual: not frozen, one counter samples, thread IDs of the initial PID
	 * namespace, no PMD values, time in ns
	 */
	if (likely(!unusual)) {
		pfm_begin_usual(ctx, pmd, value, regs, ip);
		tstamp = pfm_stamp_ns();
	} else if (likely(!(unusual & ~PFM_UNUSUAL_TIME))) {
		pfm_begin_usual(ctx, pmd, value, regs, ip);
		tstamp = pfm_stamp_raw(ctx);
	} else if (likely(!(unusual & ~PFM_UNUSUAL_VALUES))) {
		pfm_begin_usual(ctx, pmd, value, regs, ip);
		pfm_read_values(ctx, pmd->ovfl);
		tstamp = pfm_stamp_ns();
	} else if (likely(!(unusual &
			    ~(PFM_UNUSUAL_VALUES | PFM_UNUSUAL_TIME)))) {
		pfm_begin_usual(ctx, pmd, value, regs, ip);
		pfm_read_values(ctx, pmd->ovfl);
		tstamp = pfm_stamp_raw(ctx);
	} else {
		goto rare;
	}
	pfm_end_record(ctx, pmd, tstamp);
	return;
rare:
	pfm_overflow_rare(pmd, value, regs, ip, owner);
}
EXPORT_SYMBOL_GPL(pfm_overflow);

/*
 * The PMU's read operation finds the sample's data in set->sample. Clear it
 * after the read: pfm_end_record() may handle other overflows before it
 * returns, and the data do not belong to them.
 */
static notrace void pfm_record_sample(struct pfm_pmd *pmd, u64 value,
				      struct pt_regs *regs, u64 ip,
				      const void *sample)
{
	struct pfm_context *ctx = pmd->ctx;

	pfm_begin_record(ctx, pmd, value, regs, ip);
	pmd->hw.set->sample = sample;
	pfm_read_values(ctx, pmd->ovfl);
	pmd->hw.set->sample = NULL;
	pfm_end_record(ctx, pmd, pfm_stamp(ctx));
}

void notrace pfm_overflow_sample(struct pfm_pmu_reg *reg, u64 value,
				 struct pt_regs *regs, u64 ip,
				 const void *sample)
{
	struct pfm_pmd *pmd = container_of(reg, struct pfm_pmd, hw);
	struct pfm_context *ctx = pmd->ctx;
	u32 owner = pfm_enter_fast(ctx);

	if (owner)
		pfm_overflow_rare(pmd, value, regs, ip, owner);
	else if (pfm_discard(pmd))
		pfm_leave(ctx);
	else
		pfm_record_sample(pmd, value, regs, ip, sample);
}
EXPORT_SYMBOL_GPL(pfm_overflow_sample);

void pfm_overflow_lost(struct pfm_pmu_reg *reg, u64 n)
{
	struct pfm_context *ctx = container_of(reg, struct pfm_pmd, hw)->ctx;
	u32 owner = pfm_enter(ctx);

	/* A frozen context does not count, so it cannot lose overflows. */
	if (READ_ONCE(ctx->frozen))
		n = 0;
	if (!owner) {
		ctx->lost += n;
		pfm_leave(ctx);
	} else if (n) {
		pfm_miss(ctx, n, owner);
	}
}
EXPORT_SYMBOL_GPL(pfm_overflow_lost);

static void pfm_ds_event(struct pfm_pmd *pmd, u64 ip, struct pt_regs *regs,
			 struct pfm_ds_record *rec)
{
	DECLARE_BITMAP(ovfl, PFM_MAX_PMDS);

	if (WARN_ON_ONCE(pfm_evtset_of(pmd) != pmd->ctx->set))
		return;
	bitmap_zero(ovfl, PFM_MAX_PMDS);
	__set_bit(pmd->slot, ovfl);
	pfm_instant(pmd->ctx, ovfl, 0, ip, regs, rec);
}

void pfm_ds_overflow(struct pfm_pmu_reg *reg, u64 ip, struct pt_regs *regs,
		     struct pfm_ds_record *rec)
{
	struct pfm_pmd *pmd = container_of(reg, struct pfm_pmd, hw);
	struct pfm_context *ctx = pmd->ctx;
	u32 owner = pfm_enter(ctx);

	if (owner) {
		pfm_defer(pmd, ip, owner);
		return;
	}
	ctx->reported = pmd;
	if (READ_ONCE(ctx->frozen))
		pfm_silence(pmd);
	else
		pfm_ds_event(pmd, ip, regs, rec);
	ctx->reported = NULL;
	pfm_leave(ctx);
}
EXPORT_SYMBOL_GPL(pfm_ds_overflow);

void pfm_timeout(struct pfm_pmu_reg *clock, struct pt_regs *regs)
{
	struct pfm_pmd *pmd = container_of(clock, struct pfm_pmd, hw);
	struct pfm_context *ctx = pmd->ctx;
	u32 owner = pfm_enter(ctx);

	if (owner) {
		pfm_defer(pmd, 0, owner);
		return;
	}
	ctx->reported = pmd;
	pfm_time_is_up(pmd, regs && user_mode(regs));
	ctx->reported = NULL;
	pfm_leave(ctx);
}
EXPORT_SYMBOL_GPL(pfm_timeout);

/*
 * If the counters are narrower than 64 bits, those in @ovfl have wrapped: carry
 * the wraps into pfm_pmd.value, and leave in @ovfl only the PMDs whose 64-bit
 * value has wrapped. Do this even if the context is owned: the owner's
 * pfm_value_read_ovfl() notices the change and retries.
 */
static void pfm_carry(struct pfm_context *ctx, unsigned long *ovfl)
{
	u64 step = pfm_hw_mask(ctx->pmu) + 1;
	unsigned int slot;

	if (!step)
		return;
	for_each_set_bit(slot, ovfl, ctx->pmu->num_pmds) {
		struct pfm_pmd *pmd = pfm_pmd_at(ctx->set, slot);
		u64 upper = (pmd->value & ~(step - 1)) + step;

		pmd->value = upper;
		if (upper)
			__clear_bit(slot, ovfl);
	}
}

void pfm_overflow_many(struct pfm_pmu_set *s, const unsigned long *pmds,
		       u64 ip, struct pt_regs *regs,
		       struct pfm_ds_record *rec)
{
	struct pfm_context *ctx =
		pfm_context_of(container_of(s, struct pfm_evtset, pmu_set));
	DECLARE_BITMAP(ovfl, PFM_MAX_PMDS);
	u32 owner = pfm_enter(ctx);
	u16 i;

	if (READ_ONCE(ctx->frozen))
		goto leave;
	bitmap_zero(ovfl, PFM_MAX_PMDS);
	for (i = 0; i < s->num_regs - 1; i++)
		if (test_bit(ctx->pmu->pmds[i].num, pmds) && ctx->set->regs[i])
			__set_bit(i, ovfl);
	pfm_carry(ctx, ovfl);
	if (owner)
		for_each_set_bit(i, ovfl, ctx->pmu->num_pmds)
			pfm_defer(pfm_pmd_at(ctx->set, i), ip, owner);
	else if (!bitmap_empty(ovfl, PFM_MAX_PMDS))
		pfm_instant(ctx, ovfl, 0, ip, regs, rec);
leave:
	if (!owner)
		pfm_leave(ctx);
}
EXPORT_SYMBOL_GPL(pfm_overflow_many);
