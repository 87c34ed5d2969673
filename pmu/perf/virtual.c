// SPDX-License-Identifier: GPL-2.0
/*
 * virtual.c - PMDs without a perf event: resources, clocks, data of samples
 */
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task.h>
#include <linux/timekeeping.h>
#include "clock.h"
#include "virtual.h"

u64 perf_tid(struct task_struct *task)
{
	return task->pid;
}

u64 perf_resident_pages(struct task_struct *task)
{
	struct mm_struct *mm = READ_ONCE(task->mm);
	u64 pages = 0;

	/*
	 * The thread's mm cannot go away while the thread is interrupted. The
	 * counters are read without a lock because this may be an NMI.
	 */
	if (task == current)
		return mm ? get_mm_rss(mm) : 0;
	/*
	 * The thread left the CPU before its overflow was handled. task_lock()
	 * must not be called in an interrupt.
	 */
	if (!in_task() || irqs_disabled())
		return 0;
	/*
	 * Do not take a reference to the mm: if it became the last one,
	 * dropping it would free the mm here.
	 */
	task_lock(task);
	if (task->mm && !(task->flags & PF_KTHREAD))
		pages = get_mm_rss(task->mm);
	task_unlock(task);
	return pages;
}

/* Read the clock that both perf and the formats use for time stamps. */
u64 perf_clock_now(struct task_struct *task)
{
	return local_clock();
}

/*
 * Return the thread's state as a letter: R, S, D, ... A thread that was
 * preempted just before it waits counts as waiting. A thread that exits and has
 * released its memory counts as ended (X) unless it waits.
 */
u64 perf_thread_state(struct task_struct *task)
{
	char state = task_state_to_char(task);

	if (state == 'Z' || (state == 'R' && task->flags & PF_EXITING &&
			     !READ_ONCE(task->mm)))
		return 'X';
	return state;
}

/*
 * Return the count of a virtual PMD that has no read() of its own, or of a
 * counter without an event, which does not advance. PMDs that return data of a
 * sample read as 0 unless a sample is being taken. The set's clock is read here
 * only while the set is stopped, or in an interrupt of its thread.
 */
static u64 perf_virtual_count(const struct pfm_pmu_reg *reg)
{
	if (perf_is_set_clock(reg))
		return perf_clock_count_here(reg->set->priv);
	if (reg->desc->num == PFM_PMD_ELAPSED)
		return ktime_get_mono_fast_ns();
	if (reg->desc->read_sample && reg->set->sample)
		return reg->desc->read_sample(reg->set->sample,
					      reg->desc->num);
	return 0;
}

u64 perf_read_virtual(const struct pfm_pmu_reg *reg, struct task_struct *task)
{
	if (reg->desc->read)
		return reg->desc->read(task);
	return perf_virtual_count(reg) - reg->offset;
}

void perf_write_virtual(struct pfm_pmu_reg *reg, u64 value)
{
	reg->offset = perf_virtual_count(reg) - value;
}
