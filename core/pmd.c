// SPDX-License-Identifier: GPL-2.0
/*
 * pmd.c - the PMDs of an event set, and its clock
 *
 * A counter whose PMC has its default value measures nothing: it is not there
 * until somebody writes it or its PMC, or asks for it to be recorded or reset
 * with another. Then it stays as long as its set. Most sets use few counters;
 * so they cost little memory, and nothing in the walks over a set.
 */
#include <linux/slab.h>
#include "context.h"
#include "pmd.h"
#include "pmu.h"
#include "value.h"

static struct kmem_cache *pfm_pmd_cache;

static const struct pfm_reg_desc pfm_clock_desc = {
	.num	= PFM_REG_CLOCK,
	.type	= PFM_REG_TYPE_VIRTUAL,
	.flags	= PFM_REGD_COUNTER,
	.pmd	= PFM_REGD_NO_PMD,
	.index	= PFM_REG_IDX_NONE,
	.name	= "CLOCK",
};

static struct pfm_pmd *pfm_pmd_new(struct pfm_context *ctx,
				   struct pfm_evtset *set, u16 slot,
				   const struct pfm_reg_desc *desc)
{
	struct pfm_pmd *pmd = kmem_cache_zalloc(pfm_pmd_cache, GFP_KERNEL);

	if (!pmd)
		return NULL;
	pmd->ctx = ctx;
	pmd->slot = slot;
	pmd->hw.set = &set->pmu_set;
	pmd->hw.desc = desc;
	pmd->hw.reload = PFM_RELOAD_NONE;
	pmd->value = desc->dfl;
	pmd->last_reset = desc->dfl;
	pmd->random = 1;
	return pmd;
}

/* PMDs that measure nothing until their PMC is written. */
static void pfm_find_controlled(const struct pfm_pmu *pmu, unsigned long *slots)
{
	u16 i;

	bitmap_zero(slots, PFM_MAX_PMDS);
	for (i = 0; i < pmu->num_pmcs; i++)
		if (pmu->pmcs[i].pmd != PFM_REGD_NO_PMD)
			__set_bit(pfm_pmu_find(pmu->pmds, pmu->num_pmds,
					       pmu->pmcs[i].pmd), slots);
}

static int pfm_pmd_create(struct pfm_context *ctx, struct pfm_evtset *set,
			  u16 slot, const struct pfm_reg_desc *desc)
{
	struct pfm_pmd *pmd = pfm_pmd_new(ctx, set, slot, desc);

	if (!pmd)
		return -ENOMEM;
	set->regs[slot] = &pmd->hw;
	return 0;
}

int pfm_pmds_create(struct pfm_context *ctx, struct pfm_evtset *set)
{
	DECLARE_BITMAP(controlled, PFM_MAX_PMDS);
	const struct pfm_pmu *pmu = ctx->pmu;
	unsigned int slot;
	int ret = pfm_pmd_create(ctx, set, pmu->num_pmds, &pfm_clock_desc);

	pfm_find_controlled(pmu, controlled);
	for_each_clear_bit(slot, controlled, pmu->num_pmds)
		ret = ret ?: pfm_pmd_create(ctx, set, slot, &pmu->pmds[slot]);
	return ret;
}

/* Default value of the PMC that controls a PMD. */
static u64 pfm_default_pmc(const struct pfm_pmu *pmu, u16 num)
{
	const struct pfm_reg_desc *pmc = pmu->pmcs;

	while (pmc->pmd != num)
		pmc++;
	return pmc->dfl;
}

int pfm_pmd_need(struct pfm_evtset *set, unsigned int slot)
{
	struct pfm_context *ctx = pfm_context_of(set);
	const struct pfm_pmu *pmu = ctx->pmu;
	struct pfm_pmd *pmd;
	int ret = 0;

	lockdep_assert_held(&ctx->mutex);
	if (set->regs[slot])
		return 0;
	pmd = pfm_pmd_new(ctx, set, slot, &pmu->pmds[slot]);
	if (!pmd)
		return -ENOMEM;
	pmd->hw.pmc_value = pfm_default_pmc(pmu, pmu->pmds[slot].num);
	if (ctx->loaded)
		ret = pmu->write_pmc(&pmd->hw) ?:
		      pfm_value_write(pmd, pmd->value);
	if (ret)
		kmem_cache_free(pfm_pmd_cache, pmd);
	else
		set->regs[slot] = &pmd->hw;
	return ret;
}

void pfm_pmds_free(struct pfm_evtset *set)
{
	struct pfm_pmd *pmd;
	u16 i;

	pfm_for_each_pmd(set, i, pmd) {
		kfree(pmd->ovfl);
		kmem_cache_free(pfm_pmd_cache, pmd);
	}
}

int pfm_pmd_init(void)
{
	pfm_pmd_cache = KMEM_CACHE(pfm_pmd, SLAB_ACCOUNT);
	return pfm_pmd_cache ? 0 : -ENOMEM;
}

void pfm_pmd_exit(void)
{
	kmem_cache_destroy(pfm_pmd_cache);
}
