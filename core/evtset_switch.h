/* SPDX-License-Identifier: GPL-2.0 */
/*
 * evtset_switch.h - going from one event set to the next
 */
#ifndef PFM_CORE_EVTSET_SWITCH_H
#define PFM_CORE_EVTSET_SWITCH_H

#include <linux/types.h>

struct pfm_context;
struct pfm_evtset;
struct pfm_pmd;

/* Context: process, a new context. */
void pfm_switch_init(struct pfm_context *ctx);

/*
 * Link the sets, for PFM_LOAD_CONTEXT.
 * Context: process, pfm_context.mutex held.
 * Return: 0, or -EINVAL if an explicit next does not exist.
 */
int pfm_switch_link(struct pfm_context *ctx);

/*
 * Make @set the active one: what overflowed there last is reset.
 * Context: the owner of the overflow path, interrupts off; or the set is
 * frozen.
 */
void pfm_begin_evtset(struct pfm_context *ctx, struct pfm_evtset *set,
		      bool long_reset);

/* @set is no longer the active one. Context: as pfm_begin_evtset(). */
void pfm_end_evtset(struct pfm_evtset *set);

/*
 * Switch to the next set, which may be the same. irq_work is to be queued for
 * what is left in pfm_context.ovfl_end.
 * Context: the owner of the overflow path, interrupts off.
 */
void pfm_switch(struct pfm_context *ctx, bool at_user_level);

/*
 * Count the overflows of triggers. Context: the owner of the overflow path.
 * Return: true if one has reached its threshold.
 */
bool pfm_count_triggers(struct pfm_context *ctx, const unsigned long *ovfl);

/*
 * The timeout of a set. While the monitored thread calls the interface, no set
 * is switched from (3.7.7); a masked set finds that its time is up when it is
 * restarted. The idle thread does not stop it.
 * Context: the owner of the overflow path.
 */
void pfm_time_is_up(struct pfm_pmd *clock, bool at_user_level);

/*
 * Write a set's clock without losing what it has counted. A PMU that has
 * re-armed it goes on from there: what was written is what it says.
 * Context: the owner of the overflow path, interrupts off; or the set is not
 * active.
 */
void pfm_clock_write(struct pfm_evtset *set, u64 value);

/*
 * A timeout that came while nothing could be switched comes soon.
 * Context: the set is frozen.
 */
void pfm_catch_up(struct pfm_evtset *set);

/*
 * Have the switch finished: in the monitored thread before it is at user level,
 * if @here, or by a work item, whichever runs first.
 * Context: any but NMI, interrupts off.
 */
void pfm_switch_request(struct pfm_context *ctx, bool here);

/*
 * Let the PMU follow a switch, if it has not yet, and the context is still
 * frozen for it. Context: process, pfm_context.mutex not held.
 */
void pfm_finish_switch(struct pfm_context *ctx);

#endif /* PFM_CORE_EVTSET_SWITCH_H */
