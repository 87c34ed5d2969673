/* SPDX-License-Identifier: GPL-2.0 */
/*
 * value.h - PMD values
 */
#ifndef PFM_CORE_VALUE_H
#define PFM_CORE_VALUE_H

#include "context.h"

/* Read a PMD. Context: process, pfm_context.mutex held. */
u64 pfm_value_read(struct pfm_pmd *pmd);

/*
 * Write a PMD. Context: process, pfm_context.mutex held, the context paused or
 * not counting. Return: 0, or an error of the PMU.
 */
int pfm_value_write(struct pfm_pmd *pmd, u64 value);

/* Read a PMD. Context: the caller owns the context, or the set is frozen. */
u64 pfm_value_read_ovfl(struct pfm_pmd *pmd);

/* Write a PMD. Context: the caller owns the context, interrupts off. */
void pfm_value_write_ovfl(struct pfm_pmd *pmd, u64 value);

/*
 * Program the hardware with the values of the active set. Context: process,
 * pfm_context.mutex held, the PMU loaded and not counting. Return: 0, or the
 * first error of the PMU.
 */
int pfm_program_regs(struct pfm_context *ctx);

/* Record the value last loaded into a PMD. Context: see pfm_next_reset(). */
void pfm_note_reset(struct pfm_pmd *pmd, u64 value);

/*
 * Get the next value to reset a PMD to: @base, plus a random number if
 * PFM_REGFL_RANDOM is set. The result is recorded as the last reset value.
 * Context: the caller owns the context, or the context is paused.
 */
u64 pfm_next_reset(struct pfm_pmd *pmd, u64 base);

/*
 * Let a PMD that has overflowed, but is not reset, continue from its current
 * value. This discards the period that was armed: the PMD next overflows when
 * it wraps at 2^64. Context: the caller owns the context, interrupts off.
 */
void pfm_count_on(struct pfm_pmd *pmd);

/*
 * Reset the PMDs in the bitmap @slots, and those in their reset_pmds, each
 * once. Context: the caller owns the context, interrupts off.
 */
void pfm_reset_pmds(struct pfm_evtset *set, const unsigned long *slots,
		    bool long_reset);

/*
 * Update pfm_context.several and .values for the overflow path. Context: that
 * of pfm_begin_evtset(), or the context is paused.
 */
void pfm_note_sampling(struct pfm_context *ctx);

/* Write the page of a set that has one. Context: see pfm_publish(). */
void pfm_page_write(struct pfm_evtset *set);

/*
 * Update the set's page, if it has one, after its values or the way to read
 * them have changed. Context: the caller owns the context, or no overflow is
 * being handled, or overflows are discarded.
 */
static inline void pfm_publish(struct pfm_evtset *set)
{
	if (unlikely(set->page))
		pfm_page_write(set);
}

#endif /* PFM_CORE_VALUE_H */
