// SPDX-License-Identifier: GPL-2.0
/*
 * pmc.c - the PMC values of each counter of an event set
 *
 * The value of the PMC that controls a counter is in the structure of the
 * counter's PMD (pfm_pmu_reg.pmc_value). Some counters have further PMCs, their
 * configuration words (PFM_REGD_CONFIG1 and PFM_REGD_CONFIG2). These words are
 * in an array of the set, pfm_evtset.configs, which is allocated when one of
 * them is not 0, because few events need them. The overflow path does not
 * access the array.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include "charge.h"
#include "context.h"
#include "pmc.h"
#include "pmu.h"

static_assert(PFM_PMC_CONFIGS == 2);

static size_t pfm_configs_size(const struct pfm_evtset *set)
{
	return kmalloc_size_roundup(set->pmu_set.num_regs *
				    sizeof(*set->configs));
}

static bool pfm_has_configs(const u64 *config)
{
	return config[0] | config[1];
}

static void pfm_read_configs(const struct pfm_evtset *set, unsigned int slot,
			     u64 *config)
{
	static const u64 none[PFM_PMC_CONFIGS];

	memcpy(config, set->configs ? set->configs[slot] : none, sizeof(none));
}

void pfm_pmc_read(const struct pfm_pmd *pmd, struct pfm_pmc_words *words)
{
	lockdep_assert_held(&pmd->ctx->mutex);
	words->select = pmd->hw.pmc_value;
	pfm_read_configs(pfm_evtset_of(pmd), pmd->slot, words->config);
}

u16 pfm_pmc_change(const struct pfm_evtset *set, unsigned int slot,
		   const struct pfm_reg_desc *pmc, u64 value,
		   struct pfm_pmc_words *words)
{
	const struct pfm_context *ctx = pfm_context_of(set);
	const struct pfm_pmd *pmd = pfm_pmd_at(set, slot);
	const struct pfm_reg_desc *selector;

	lockdep_assert_held(&ctx->mutex);
	pfm_read_configs(set, slot, words->config);
	if (!pmc->flags) {
		words->select = value;
		return pmc->num;
	}
	selector = pfm_pmu_selector(ctx->pmu, pmc->pmd);
	words->select = pmd ? pmd->hw.pmc_value : selector->dfl;
	words->config[pmc->flags & PFM_REGD_CONFIG1 ? 0 : 1] = value;
	return selector->num;
}

int pfm_pmc_reserve(struct pfm_evtset *set, const struct pfm_pmc_words *words)
{
	size_t size;

	if (set->configs || !pfm_has_configs(words->config))
		return 0;
	size = pfm_configs_size(set);
	if (!pfm_charge_more(set->charge, size))
		return -ENOMEM;
	set->configs = kzalloc(size, PFM_GFP);
	if (set->configs)
		return 0;
	pfm_charge_less(set->charge, size);
	return -ENOMEM;
}

bool pfm_pmc_says(const struct pfm_pmd *pmd, const struct pfm_pmc_words *words)
{
	struct pfm_pmc_words now;

	pfm_pmc_read(pmd, &now);
	return now.select == words->select &&
	       now.config[0] == words->config[0] &&
	       now.config[1] == words->config[1];
}

void pfm_pmc_write(struct pfm_pmd *pmd, const struct pfm_pmc_words *words)
{
	struct pfm_evtset *set = pfm_evtset_of(pmd);

	pmd->hw.pmc_value = words->select;
	if (set->configs)
		memcpy(set->configs[pmd->slot], words->config,
		       sizeof(words->config));
}

void pfm_pmcs_free(struct pfm_evtset *set)
{
	if (!set->configs)
		return;
	kfree(set->configs);
	pfm_charge_less(set->charge, pfm_configs_size(set));
}

void pfm_pmc_configs(const struct pfm_pmu_reg *reg, u64 *config)
{
	const struct pfm_pmd *pmd = container_of(reg, struct pfm_pmd, hw);

	pfm_read_configs(pfm_evtset_of(pmd), pmd->slot, config);
}
EXPORT_SYMBOL_GPL(pfm_pmc_configs);
