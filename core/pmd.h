/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pmd.h - the PMDs of an event set
 */
#ifndef PFM_CORE_PMD_H
#define PFM_CORE_PMD_H

#include "context.h"

/*
 * Create the PMDs that a new set begins with, and its clock.
 * Context: process, may sleep. Return: 0 or -ENOMEM, and some may exist.
 */
int pfm_pmds_create(struct pfm_context *ctx, struct pfm_evtset *set);

/*
 * Somebody speaks of a PMD, by its place: from now on it exists.
 * Context: process, pfm_context.mutex held, the context paused, may sleep.
 * Return: 0, -ENOMEM, or what the PMU says.
 */
int pfm_pmd_need(struct pfm_evtset *set, unsigned int slot);

/*
 * What a PMD of @set needs to overflow, as long as the values of @num_smpl PMDs
 * and @num_reset places need; the rest is zero. It may take the place of
 * @before, which is NULL if there is none. Only one of both is paid for, the
 * larger one, until pfm_ovfl_drop(): where there is room for one of that size,
 * it can be replaced.
 * Context: process, may sleep, pfm_context.mutex held. Return: it, or NULL.
 */
struct pfm_pmd_ovfl *pfm_ovfl_create(struct pfm_evtset *set, u16 num_smpl,
				     u16 num_reset,
				     const struct pfm_pmd_ovfl *before);
/* Of both, @ovfl goes and @kept, which may be NULL, stays. */
void pfm_ovfl_drop(struct pfm_evtset *set, struct pfm_pmd_ovfl *ovfl,
		   const struct pfm_pmd_ovfl *kept);

/* Free those that exist. Context: process. */
void pfm_pmds_free(struct pfm_evtset *set);

/* Context: process; no context exists yet, or any more. */
int pfm_pmd_init(void);
void pfm_pmd_exit(void);

#endif /* PFM_CORE_PMD_H */
