// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_live.c - mappings that an overflow looks up itself
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kconfig.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <perfmon/perfmon_work.h>
#include "unwind_live.h"

static struct pfm_unwind_live __percpu *lives;

static void drop(struct work_struct *work)
{
	struct pfm_unwind_live *live = container_of(work,
						    struct pfm_unwind_live,
						    drop);

	mmdrop(live->mm);
	clear_bit_unlock(0, &live->busy);
}

static void unlock(struct irq_work *work)
{
	struct pfm_unwind_live *live = container_of(work,
						    struct pfm_unwind_live,
						    unlock.work);

	mmap_read_unlock_non_owner(live->mm);
	/* An interrupt must not free an mm: leave that to a work item. */
	if (atomic_add_unless(&live->mm->mm_count, -1, 1))
		clear_bit_unlock(0, &live->busy);
	else
		queue_work(pfm_wq, &live->drop);
	pfm_irq_work_done(&live->unlock);
}

void pfm_unwind_live_init(struct pfm_unwind_live *live)
{
	live->unlock.work = PFM_IRQ_WORK_INIT(unlock);
	INIT_WORK(&live->drop, drop);
	live->space.texts = live->texts;
	live->space.stacks = live->stacks;
}

void pfm_unwind_live_wait(struct pfm_unwind_live *live)
{
	pfm_irq_work_wait(&live->unlock);
	flush_work(&live->drop);
}

int pfm_unwind_lives_init(void)
{
	int cpu;

	lives = alloc_percpu(struct pfm_unwind_live);
	if (!lives)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		pfm_unwind_live_init(per_cpu_ptr(lives, cpu));
	return 0;
}

void pfm_unwind_lives_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		pfm_unwind_live_wait(per_cpu_ptr(lives, cpu));
	free_percpu(lives);
}

struct pfm_unwind_live *notrace pfm_unwind_live_here(void)
{
	return this_cpu_ptr(lives);
}

/*
 * Fill @live->space. Context: as pfm_unwind_live_begin(), mmap_lock held.
 * Return: false if the process has too many mappings, or the stack that
 * contains @sp was not found.
 */
static bool notrace look_up(struct pfm_unwind_live *live, u64 sp,
			    pfm_unwind_lookup_t lookup, void *arg)
{
	struct pfm_unwind_space *space = &live->space;

	if (live->mm->map_count > PFM_UNWIND_LIVE_MAPS)
		return false;
	space->nr_texts = PFM_UNWIND_LIVE_TEXTS;
	space->nr_stacks = PFM_UNWIND_LIVE_STACKS;
	pfm_unwind_maps_fill(space, live->mm, lookup, arg);
	return space->nr_texts < PFM_UNWIND_LIVE_TEXTS &&
	       pfm_unwind_find_end(space, sp);
}

bool notrace pfm_unwind_live_begin(struct pfm_unwind_live *live, u64 sp,
				   pfm_unwind_lookup_t lookup, void *arg)
{
	/* On PREEMPT_RT, an irq_work cannot release a thread's mmap_lock. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) || in_nmi() ||
	    test_and_set_bit_lock(0, &live->busy))
		return false;
	live->mm = current->mm;
	if (!mmap_read_trylock(live->mm)) {
		clear_bit_unlock(0, &live->busy);
		return false;
	}
	mmgrab(live->mm);
	if (look_up(live, sp, lookup, arg))
		return true;
	pfm_unwind_live_end(live);
	return false;
}

void notrace pfm_unwind_live_end(struct pfm_unwind_live *live)
{
	/*
	 * Tell lockdep that this thread releases the lock, because
	 * mmap_read_unlock_non_owner() does not tell it.
	 */
	rwsem_release(&live->mm->mmap_lock.dep_map, _RET_IP_);
	pfm_irq_work_queue(&live->unlock);
}
