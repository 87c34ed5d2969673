/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_live.h - mappings that an overflow looks up itself
 *
 * Stack walks normally use a copy of the process's mappings, which is made when
 * a thread returns to user space. A thread that sleeps in the kernel may return
 * only much later, and until then callers could be found only by frame
 * pointers. So if the process does not have a valid copy, an overflow looks up
 * the mappings itself, provided that it can take the mmap_lock without waiting.
 * Only an overflow that interrupted the kernel, or that the thread itself
 * caused, does this.
 *
 * Releasing the mmap_lock may wake a thread that waits for it. The overflow
 * must not wake a thread, because it may have interrupted the scheduler, which
 * holds the lock of this CPU's run queue. Therefore an irq_work releases the
 * mmap_lock, as soon as the CPU enables interrupts. The interrupted thread may
 * then run on another CPU, or exit, so the irq_work needs a reference to the
 * mm.
 */
#ifndef PFM_UNWIND_LIVE_H
#define PFM_UNWIND_LIVE_H

#include <linux/workqueue.h>
#include <perfmon/perfmon_irq_work.h>
#include "unwind_maps.h"

/*
 * Limits, because an overflow must not take long. The lookup fails if the
 * process has PFM_UNWIND_LIVE_TEXTS or more executable mappings, or more than
 * PFM_UNWIND_LIVE_MAPS mappings in all. If more than PFM_UNWIND_LIVE_STACKS
 * mappings may be stacks, only the lowest ones and the highest one are found.
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
 * @texts:  the array @space.texts
 * @stacks: the array @space.stacks
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

/* Initialise @live, which the caller has zeroed. */
void pfm_unwind_live_init(struct pfm_unwind_live *live);

/* Allocate and free a structure for each CPU. Context: process. */
int pfm_unwind_lives_init(void);
void pfm_unwind_lives_exit(void);

/* Get this CPU's structure. Context: any, migration disabled. */
struct pfm_unwind_live *pfm_unwind_live_here(void);

/*
 * Look up the mappings of the current process, which has an mm. @live is this
 * CPU's structure, @sp the thread's stack pointer. Context: any, migration
 * disabled. Return: true if @live->space has the mappings; the caller must then
 * call pfm_unwind_live_end() when it has walked the stack. Otherwise false.
 */
bool pfm_unwind_live_begin(struct pfm_unwind_live *live, u64 sp,
			   pfm_unwind_lookup_t lookup, void *arg);
void pfm_unwind_live_end(struct pfm_unwind_live *live);

/*
 * Wait until the mmap_lock and the reference to the mm have been released. The
 * caller ensures that no overflow can use @live any more. Context: process, may
 * sleep.
 */
void pfm_unwind_live_wait(struct pfm_unwind_live *live);

#endif /* PFM_UNWIND_LIVE_H */
