// SPDX-License-Identifier: GPL-2.0
/*
 * last.c - the last samples of a thread
 *
 * perf does not count the context switch at a thread's end, so it cannot be
 * sampled. A tool that wants to know what happened between the last ordinary
 * sample and the end, for example how long the thread waited, needs one more
 * sample at the end.
 *
 * The samples are taken while the context is paused, so that the resets that
 * follow them do not arm events of a thread that has exited. If a command has
 * locked the context, another thread takes the samples after the command
 * (attach.c). At that time the monitored thread may no longer have a stack, so
 * its registers cannot be read.
 */
#include <linux/bitmap.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include "context.h"
#include "instant.h"
#include "last.h"
#include "owner.h"
#include "stamp.h"

/* Find the slots of the PMDs that sample at the exit. */
static void pfm_find_at_exit(struct pfm_evtset *set, unsigned long *slots)
{
	struct pfm_pmd *pmd;
	u16 i;

	bitmap_zero(slots, PFM_MAX_PMDS);
	pfm_for_each_real_pmd(set, i, pmd)
		if (pmd->hw.sampling && pmd->ovfl && pmd->ovfl->at_exit)
			__set_bit(i, slots);
}

/*
 * Get the last user-space address of the exiting thread; 0 if it was never in
 * user space, or if another thread takes the samples.
 */
static u64 pfm_exit_ip(const struct pfm_context *ctx)
{
	struct pt_regs *regs = task_pt_regs(current);

	return pfm_is_here(ctx) && user_mode(regs) ? instruction_pointer(regs) :
						     0;
}

void pfm_sample_exit(struct pfm_context *ctx)
{
	DECLARE_BITMAP(slots, PFM_MAX_PMDS);
	unsigned long flags;

	lockdep_assert_held(&ctx->mutex);
	pfm_find_at_exit(ctx->set, slots);
	if (bitmap_empty(slots, PFM_MAX_PMDS))
		return;
	pfm_own(ctx, &flags);
	if (!READ_ONCE(ctx->frozen))
		pfm_instant(ctx, slots, pfm_stamp_unowned(ctx),
			    pfm_exit_ip(ctx), NULL, NULL);
	pfm_disown(ctx, flags);
}
