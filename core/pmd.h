/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pmd.h - the PMDs of an event set
 */
#ifndef PFM_CORE_PMD_H
#define PFM_CORE_PMD_H

#include "context.h"
#include "pmc.h"

/*
 * The settings for a counter's overflows, from an element of PFM_WRITE_PMCS or
 * PFM_WRITE_PMDS. @num_smpl and @num_reset are the numbers of PMDs in the
 * bitmaps @smpl_pmds (to be recorded) and @reset_pmds (to be reset), usually 0.
 * The recorded PMDs that hold data of samples are also counted in @num_data.
 * Such PMDs cannot be reset, and are not counted in @num_reset.
 */
struct pfm_smpl_conf {
	u32		flags;
	int		num_smpl;
	int		num_data;
	int		num_reset;
	u64		eventid;
	unsigned long	smpl_pmds[BITS_TO_LONGS(PFM_MAX_PMDS)];
	unsigned long	reset_pmds[BITS_TO_LONGS(PFM_MAX_PMDS)];
};

/**
 * struct pfm_reg_copy - a counter's settings, to be copied to other contexts
 * @words:    PMC values
 * @short_reset: as pfm_pmd.short_reset
 * @long_reset: as pfm_pmd.long_reset
 * @sampling: the counter samples; if not, the fields below are 0
 * @conf:     what its overflows record and reset
 * @value:    initial value
 * @random_mask: as pfm_pmd.random_mask
 * @random:   as pfm_pmd.random
 */
struct pfm_reg_copy {
	struct pfm_pmc_words	words;
	u64			short_reset;
	u64			long_reset;
	bool			sampling;
	struct pfm_smpl_conf	conf;
	u64			value;
	u64			random_mask;
	u32			random;
};

/*
 * Create the initial PMDs of a new set, and its clock. Context: process, may
 * sleep. Return: 0; -ENOMEM, after which some of them may exist.
 */
int pfm_pmds_create(struct pfm_context *ctx, struct pfm_evtset *set);

/*
 * Allocate the PMD at @slot of pfm_evtset.regs, if it does not exist yet.
 * Context: process, pfm_context.mutex held, the context paused, may sleep.
 * Return: 0, -ENOMEM, or an error of the PMU.
 */
int pfm_pmd_need(struct pfm_evtset *set, unsigned int slot);

/*
 * Allocate a pfm_pmd_ovfl for a PMD of @set, with space for @num_smpl values
 * and @num_reset slots. @num_data of the values are data of the sample. The
 * other fields are zero. The structure is to replace @before, which may be
 * NULL. Until pfm_ovfl_drop() only the larger of the two is charged, so that a
 * replacement of the same size cannot exceed the limit. Context: process, may
 * sleep, pfm_context.mutex held. Return: the structure or NULL.
 */
struct pfm_pmd_ovfl *pfm_ovfl_create(struct pfm_evtset *set, u16 num_smpl,
				     u16 num_data, u16 num_reset,
				     const struct pfm_pmd_ovfl *before);
/*
 * Free @ovfl, which is either the new or the replaced structure. @kept, the
 * other one, stays; it may be NULL.
 */
void pfm_ovfl_drop(struct pfm_evtset *set, struct pfm_pmd_ovfl *ovfl,
		   const struct pfm_pmd_ovfl *kept);

/* Free the PMDs that exist. Context: process. */
void pfm_pmds_free(struct pfm_evtset *set);

/* Create the slab caches. Context: process, before contexts can be created. */
int pfm_pmd_init(void);
void pfm_pmd_exit(void);

#endif /* PFM_CORE_PMD_H */
