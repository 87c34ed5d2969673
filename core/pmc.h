/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pmc.h - what the PMCs of an event set say of each counter
 */
#ifndef PFM_CORE_PMC_H
#define PFM_CORE_PMC_H

#include "context.h"

/**
 * struct pfm_pmc_words - all that PMCs say of one counter
 * @select: value of the PMC that controls it
 * @config: the words of configuration beside it
 */
struct pfm_pmc_words {
	u64	select;
	u64	config[PFM_PMC_CONFIGS];
};

/* What the PMCs of a PMD say. Context: process, pfm_context.mutex held. */
void pfm_pmc_read(const struct pfm_pmd *pmd, struct pfm_pmc_words *words);

/*
 * What those of a counter, by its place, are to say once one of them, @pmc, has
 * @value. Others have their default values if nobody has spoken of the counter.
 * Context: as pfm_pmc_read(). Return: the number of the one that controls it.
 */
u16 pfm_pmc_change(const struct pfm_evtset *set, unsigned int slot,
		   const struct pfm_reg_desc *pmc, u64 value,
		   struct pfm_pmc_words *words);

/*
 * Have room for @words. Context: process, may sleep, pfm_context.mutex held.
 * Return: 0 or -ENOMEM.
 */
int pfm_pmc_reserve(struct pfm_evtset *set, const struct pfm_pmc_words *words);

/* Do the PMCs of @pmd say just that? Context: as pfm_pmc_read(). */
bool pfm_pmc_says(const struct pfm_pmd *pmd, const struct pfm_pmc_words *words);

/* From now on they do; there is room for it. Context: as pfm_pmc_read(). */
void pfm_pmc_write(struct pfm_pmd *pmd, const struct pfm_pmc_words *words);

/* Free what pfm_pmc_reserve() has got. Context: process. */
void pfm_pmcs_free(struct pfm_evtset *set);

#endif /* PFM_CORE_PMC_H */
