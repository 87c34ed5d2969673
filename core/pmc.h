/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pmc.h - the PMC values of each counter of an event set
 */
#ifndef PFM_CORE_PMC_H
#define PFM_CORE_PMC_H

#include "context.h"

/**
 * struct pfm_pmc_words - the PMC values of one counter
 * @select: value of the PMC that controls it
 * @config: configuration words
 */
struct pfm_pmc_words {
	u64	select;
	u64	config[PFM_PMC_CONFIGS];
};

/* Get the PMC values of @pmd. Context: process, pfm_context.mutex held. */
void pfm_pmc_read(const struct pfm_pmd *pmd, struct pfm_pmc_words *words);

/*
 * Compute the PMC values that the counter in @slot will have if @value is
 * written to @pmc, one of its PMCs. If the counter is not allocated yet, its
 * other PMCs have their default values. Context: as pfm_pmc_read(). Return: the
 * number of the PMC that controls the counter.
 */
u16 pfm_pmc_change(const struct pfm_evtset *set, unsigned int slot,
		   const struct pfm_reg_desc *pmc, u64 value,
		   struct pfm_pmc_words *words);

/*
 * Allocate space for @words if needed. Context: process, may sleep,
 * pfm_context.mutex held. Return: 0 or -ENOMEM.
 */
int pfm_pmc_reserve(struct pfm_evtset *set, const struct pfm_pmc_words *words);

/* Are these the PMC values of @pmd? Context: as pfm_pmc_read(). */
bool pfm_pmc_says(const struct pfm_pmd *pmd, const struct pfm_pmc_words *words);

/* Set the values, after pfm_pmc_reserve(). Context: as pfm_pmc_read(). */
void pfm_pmc_write(struct pfm_pmd *pmd, const struct pfm_pmc_words *words);

/* Free what pfm_pmc_reserve() has allocated. Context: process. */
void pfm_pmcs_free(struct pfm_evtset *set);

#endif /* PFM_CORE_PMC_H */
