/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_live.h - mappings that an overflow looks up itself
 *
 * The copy of a process's mappings is made when the thread returns to user
 * space. A thread that sleeps in the kernel may return only much later, and
 * until then its samples would have no callers in user space. So an overflow
 * that has interrupted the kernel looks up the mappings if there is no valid
 * copy, provided that it can take the mmap_lock without waiting.
 *
 * The scheduler may hold the lock of this CPU's run queue, so the overflow must
 * not wake threads that wait for the mmap_lock. Therefore an irq_work releases
 * the mmap_lock, as soon as the CPU enables interrupts. At that time the thread
 * may run on another CPU and exit, so the irq_work needs a reference to the mm.
 */
#ifndef PFM_UNWIND_LIVE_H
#define PFM_UNWIND_LIVE_H

#include <linux/workqueue.h>
#include <perfmon/perfmon_irq_work.h>
#include "unwind_maps.h"

/*
 * Limits, because an overflow must not take long. A process is not looked up if
 * its executable mappings fill the array of PFM_UNWIND_LIVE_TEXTS, or if it has
 * more than PFM_UNWIND_LIVE_MAPS mappings in all. If it has too many possible
 * stacks, only the lowest ones and the highest are found.
 */
#define PFM_UNWIND_LIVE_TEXTS	256
#define PFM_UNWIND_LIVE_STACKS	256
#define PFM_UNWIND_LIVE_MAPS	512

/**
 * struct pfm_unwind_live - the mappings that a CPU has looked up
 * @busy:   bit 0: in use
 * @mm:     the mm whose mmap_lock is held, with a reference
 * @unlock: releases the lock and the reference
 * @drop:   releases the reference if it is the last one
 * @space:  the mappings
 * @texts:  array of @space
 * @stacks: array of @space
 */
struct pfm_unwind_live {
	unsigned long		busy;
	struct mm_struct	*mm;
	struct pfm_irq_work	unlock;
	struct work_struct	drop;
	struct pfm_unwind_space	space;
	struct pfm_unwind_text	texts[PFM_UNWIND_LIVE_TEXTS];
	struct pfm_unwind_stack	stacks[PFM_UNWIND_LIVE_STACKS];
};

/* Initialise a structure that is all zero. */
void pfm_unwind_live_init(struct pfm_unwind_live *live);

/* Allocate and free a structure for each CPU. Context: process. */
int pfm_unwind_lives_init(void);
void pfm_unwind_lives_exit(void);

/* Get this CPU's structure. Context: any, migration disabled. */
struct pfm_unwind_live *pfm_unwind_live_here(void);

/*
 * Look up the mappings of the current process, which has an mm. @live is this
 * CPU's structure, @sp the thread's stack pointer. Context: any, migration
 * disabled. Return: false if this is not possible now. After true, the caller
 * must call pfm_unwind_live_end() when it has walked the stack.
 */
bool pfm_unwind_live_begin(struct pfm_unwind_live *live, u64 sp,
			   pfm_unwind_lookup_t lookup, void *arg);
void pfm_unwind_live_end(struct pfm_unwind_live *live);

/*
 * Wait until no lock and no reference is held. Context: process, may sleep; no
 * overflow uses @live.
 */
void pfm_unwind_live_wait(struct pfm_unwind_live *live);

#endif /* PFM_UNWIND_LIVE_H */
