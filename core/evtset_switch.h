/* SPDX-License-Identifier: GPL-2.0 */
/*
 * evtset_switch.h - switching event sets
 */
#ifndef PFM_CORE_EVTSET_SWITCH_H
#define PFM_CORE_EVTSET_SWITCH_H

#include <linux/types.h>

struct pfm_context;
struct pfm_evtset;
struct pfm_pmd;

/* Prepare a new context for switches. Context: process. */
void pfm_switch_init(struct pfm_context *ctx);

/*
 * Determine the next set of each set, for PFM_LOAD_CONTEXT. Context: process,
 * pfm_context.mutex held. Return: 0; -EINVAL if an explicit next set does not
 * exist.
 */
int pfm_switch_link(struct pfm_context *ctx);

/*
 * Make @set the active set, and reset the PMDs that overflowed when it was last
 * active. Context: the caller owns the context, interrupts off; or the set is
 * frozen.
 */
void pfm_begin_evtset(struct pfm_context *ctx, struct pfm_evtset *set,
		      bool long_reset);

/*
 * End the turn of @set, the active set: restart its timeout. Context: as
 * pfm_begin_evtset().
 */
void pfm_end_evtset(struct pfm_evtset *set);

/*
 * Switch to the next set, which may be the active one itself. If bits of
 * pfm_context.ovfl_end are set afterwards, the caller must queue the irq_work.
 * Context: the caller owns the context, interrupts off.
 */
void pfm_switch(struct pfm_context *ctx, bool at_user_level);

/*
 * Count overflows towards the switch. Context: the caller owns the context.
 * Return: true if a PMD has reached its threshold.
 */
bool pfm_count_triggers(struct pfm_context *ctx, const unsigned long *ovfl);

/*
 * Handle the timeout of a set. Sets are not switched while the monitored thread
 * is in a command (3.7.7). A timeout that expires while the set is masked takes
 * effect after the restart. Excluded idle time does not delay a timeout.
 * Context: the caller owns the context.
 */
void pfm_time_is_up(struct pfm_pmd *clock, bool at_user_level);

/*
 * Write a set's clock, and add the time that it has counted so far to
 * pfm_evtset.duration. If the PMU has already re-armed the clock, the clock's
 * new value is not @value: it also includes the time since then. This function
 * allows for that.
 * Context: the caller owns the context, interrupts off; or the set is not
 * active.
 */
void pfm_clock_write(struct pfm_evtset *set, u64 value);

/*
 * Reschedule a timeout that expired while the set could not be switched.
 * Context: the set is frozen.
 */
void pfm_catch_up(struct pfm_evtset *set);

/*
 * Request that the PMU be reprogrammed after a switch. @here: the monitored
 * thread does it before it reaches user mode. Otherwise the thread or a work
 * item does it, whichever runs first. Context: any but NMI, interrupts off.
 */
void pfm_switch_request(struct pfm_context *ctx, bool here);

/*
 * Reprogram the PMU if this is still to be done after a switch. Context:
 * process, pfm_context.mutex not held.
 */
void pfm_finish_switch(struct pfm_context *ctx);

#endif /* PFM_CORE_EVTSET_SWITCH_H */
