/* SPDX-License-Identifier: GPL-2.0 */
/*
 * instant.h - handling all overflows of one instant together
 */
#ifndef PFM_CORE_INSTANT_H
#define PFM_CORE_INSTANT_H

#include "context.h"

struct pfm_ds_record;

/*
 * Record the thread's IDs in the initial PID namespace. They are adjacent in
 * task_struct, unless the kernel randomizes its layout (CONFIG_RANDSTRUCT), so
 * copy both with one load and one store.
 */
static __always_inline void pfm_copy_ids(struct pfm_context *ctx,
					 const struct task_struct *task)
{
	if (offsetof(struct task_struct, tgid) ==
	    offsetof(struct task_struct, pid) + sizeof(pid_t)) {
		memcpy(&ctx->data.ids, &task->pid, sizeof(ctx->data.ids));
	} else {
		ctx->data.tid = task->pid;
		ctx->data.tgid = task->tgid;
	}
}

/*
 * Record the thread's IDs in pfm_context.pid_ns, which is not the initial
 * namespace. Context: any.
 */
void pfm_translate_ids(struct pfm_context *ctx, struct task_struct *task);

/* Record the thread's IDs in the PID namespace of the context. */
static __always_inline void pfm_note_ids(struct pfm_context *ctx,
					 struct task_struct *task)
{
	if (unlikely(ctx->translated))
		pfm_translate_ids(ctx, task);
	else
		pfm_copy_ids(ctx, task);
}

static __always_inline void pfm_begin_arg(pfm_ovfl_arg_t *arg, u64 value)
{
	/* task_cpu() is one load; a per-CPU access takes more. */
	arg->ovfl_cpu = task_cpu(current);
	arg->pmd_value = value;
	arg->ovfl_ctrl.val = 0;
	/* Adjacent to ovfl_ctrl: the compiler merges both into one store. */
	arg->reserved2 = 0;
}

/*
 * Handle overflows of one instant. @ovfl: bitmap of the PMDs' slots. @tstamp: 0
 * for the current time. @regs: NULL for deferred overflows. @rec: record for
 * the debug-store area, or NULL. Context: the caller owns the context.
 */
void pfm_instant(struct pfm_context *ctx, const unsigned long *ovfl,
		 u64 tstamp, u64 ip, struct pt_regs *regs,
		 struct pfm_ds_record *rec);

/*
 * Discard the report of a counter if the context is frozen, or if the overflow
 * was handled together with another PMD's. Context: the caller owns the
 * context.
 * Return: true if the report was discarded; false if the caller must handle it.
 */
bool pfm_discard(struct pfm_pmd *pmd);

/*
 * Check what the fast path does not check: discard the report as pfm_discard()
 * does or, if other counters have overflowed too, handle all together. Context:
 * the caller owns the context. Return: true if the report was discarded or
 * handled; false if @pmd has overflowed alone, so that the caller must handle
 * it.
 */
bool pfm_look_closer(struct pfm_pmd *pmd, u64 ip, struct pt_regs *regs);

/*
 * Discard the report of an overflow that was already handled together with
 * another PMD's. In any case the PMD is no longer PFM_KNOWN afterwards, so call
 * this once per report. Context: an overflow. Return: true if the report was
 * discarded.
 */
bool pfm_discard_known(struct pfm_pmd *pmd);

/*
 * Do what the handler of a single overflow has requested. @err: the handler's
 * return value. Context: the caller owns the context.
 */
void pfm_conclude_one(struct pfm_pmd *pmd, int err);

/*
 * Prevent further overflows of a counter in a frozen context. A counter that
 * kept overflowing could leave the CPU no time to stop the PMU. The counter is
 * reloaded before counting resumes. Do nothing in a paused context: the PMU is
 * stopped, and a command may be loading the counter.
 * Context: the caller owns the context.
 */
void pfm_silence(struct pfm_pmd *pmd);

#endif /* PFM_CORE_INSTANT_H */
