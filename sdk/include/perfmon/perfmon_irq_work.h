/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: An irq_work that counts its runs, so that all of them can be waited for
 *
 * irq_work_sync() is not sufficient: it waits for the latest run only. An
 * earlier run may still be in progress on a CPU that the monitored thread has
 * left. Therefore struct pfm_irq_work counts the runs, and pfm_irq_work_wait()
 * waits for all of them.
 *
 * On PREEMPT_RT an ordinary irq_work runs in a thread of low priority, which a
 * monitored real-time thread can keep from running. PFM_IRQ_WORK_INIT() makes
 * an irq_work run in an interrupt on all kernels. If PFM_IRQ_WORK_IS_RAW, the
 * function of the irq_work must not wake threads or send signals, because this
 * takes sleeping locks. Instead, it must queue a work item that does this.
 */
#ifndef PERFMON_PERFMON_IRQ_WORK_H
#define PERFMON_PERFMON_IRQ_WORK_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/kconfig.h>
#include <linux/processor.h>

/**
 * struct pfm_irq_work - a counted irq_work
 * @work: the irq_work, whose function must end with pfm_irq_work_done()
 * @runs: number of times it is queued or running, on all CPUs
 */
struct pfm_irq_work {
	struct irq_work	work;
	atomic_t	runs;
};

/*
 * Are the functions of irq_works allowed to take only raw spinlocks? This is so
 * on PREEMPT_RT. With PROVE_RAW_LOCK_NESTING, lockdep checks it on all kernels.
 */
#define PFM_IRQ_WORK_IS_RAW					\
	(IS_ENABLED(CONFIG_PREEMPT_RT) ||			\
	 IS_ENABLED(CONFIG_PROVE_RAW_LOCK_NESTING))

/* Initialise a struct irq_work whose function @func runs in an interrupt. */
#define PFM_IRQ_WORK_INIT(func)						\
	__IRQ_WORK_INIT(func, PFM_IRQ_WORK_IS_RAW ? IRQ_WORK_HARD_IRQ : 0)

/*
 * Record that a run has ended. The function of the irq_work must call this as
 * its last action. Context: irq_work.
 */
static inline void pfm_irq_work_done(struct pfm_irq_work *w)
{
	/* Pairs with the acquire in pfm_irq_work_wait(). */
	atomic_dec_return_release(&w->runs);
}

/* Queue the irq_work. Context: any. */
static inline void pfm_irq_work_queue(struct pfm_irq_work *w)
{
	atomic_inc(&w->runs);
	if (!irq_work_queue(&w->work))
		pfm_irq_work_done(w);
}

/*
 * Wait until all runs that are now queued or running have ended, on all CPUs.
 * Context: process.
 */
static inline void pfm_irq_work_wait(struct pfm_irq_work *w)
{
	irq_work_sync(&w->work);
	/* Pairs with the release in pfm_irq_work_done(). */
	while (atomic_read_acquire(&w->runs))
		cpu_relax();
}

#endif /* PERFMON_PERFMON_IRQ_WORK_H */
