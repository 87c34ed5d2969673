// SPDX-License-Identifier: GPL-2.0
/*
 * pmd.c - the PMDs of an event set, and its clock
 *
 * A counter whose PMC has its default value measures nothing. Therefore a
 * counter is allocated on first use: when its PMD or PMC is written, or when
 * overflows of another PMD are to record or reset it. Other PMDs and the clock
 * are allocated with the set. All are freed with the set. Most sets use few
 * counters, so they need little memory, and walks over a set are short.
 *
 * A set has no PMDs for the data of a sample, such as an address. If the
 * samples of a PMD record such data, its pfm_pmd_ovfl contains a struct
 * pfm_pmu_reg for each value.
 */
#include <linux/slab.h>
#include "charge.h"
#include "context.h"
#include "pmd.h"
#include "pmu.h"
#include "value.h"

/*
 * Size of most pfm_pmd_ovfl structures: no values to record, no PMDs to reset
 */
#define PFM_PLAIN_OVFL	offsetof(struct pfm_pmd_ovfl, arg.smpl_pmds_values)

static struct kmem_cache *pfm_pmd_cache;
static struct kmem_cache *pfm_ovfl_cache;

static const struct pfm_reg_desc pfm_clock_desc = {
	.num	= PFM_REG_CLOCK,
	.type	= PFM_REG_TYPE_VIRTUAL,
	.flags	= PFM_REGD_COUNTER,
	.pmd	= PFM_REGD_NO_PMD,
	.index	= PFM_REG_IDX_NONE,
	.name	= "CLOCK",
};

/* Get the allocation size of a pfm_pmd_ovfl with these numbers of entries. */
static size_t pfm_ovfl_bytes(u16 num_smpl, u16 num_data, u16 num_reset)
{
	size_t size = PFM_PLAIN_OVFL +
		      num_smpl * (sizeof(u64) + sizeof(struct pfm_pmu_reg *)) +
		      num_data * sizeof(struct pfm_pmu_reg) +
		      num_reset * sizeof(u16);

	return size == PFM_PLAIN_OVFL ? size : kmalloc_size_roundup(size);
}

/* Get the allocation size of @ovfl, which may be NULL. */
static size_t pfm_ovfl_size(const struct pfm_pmd_ovfl *ovfl)
{
	return ovfl ? pfm_ovfl_bytes(ovfl->arg.num_smpl_pmds, ovfl->num_data,
				     ovfl->num_reset) :
		      0;
}

struct pfm_pmd_ovfl *pfm_ovfl_create(struct pfm_evtset *set, u16 num_smpl,
				     u16 num_data, u16 num_reset,
				     const struct pfm_pmd_ovfl *before)
{
	size_t size = pfm_ovfl_bytes(num_smpl, num_data, num_reset);
	size_t more = size - min(size, pfm_ovfl_size(before));
	struct pfm_pmd_ovfl *ovfl;

	if (!pfm_charge_more(set->charge, more))
		return NULL;
	ovfl = size == PFM_PLAIN_OVFL ?
		       kmem_cache_zalloc(pfm_ovfl_cache, PFM_GFP) :
		       kzalloc(size, PFM_GFP);
	if (!ovfl) {
		pfm_charge_less(set->charge, more);
		return NULL;
	}
	ovfl->num_data = num_data;
	ovfl->num_reset = num_reset;
	ovfl->arg.num_smpl_pmds = num_smpl;
	return ovfl;
}

void pfm_ovfl_drop(struct pfm_evtset *set, struct pfm_pmd_ovfl *ovfl,
		   const struct pfm_pmd_ovfl *kept)
{
	size_t size = pfm_ovfl_size(ovfl), stays = pfm_ovfl_size(kept);

	if (size == PFM_PLAIN_OVFL)
		kmem_cache_free(pfm_ovfl_cache, ovfl);
	else
		kfree(ovfl);
	pfm_charge_less(set->charge, size - min(size, stays));
}

static struct pfm_pmd *pfm_pmd_new(struct pfm_context *ctx,
				   struct pfm_evtset *set, u16 slot,
				   const struct pfm_reg_desc *desc)
{
	struct pfm_pmd *pmd;

	if (!pfm_charge_more(set->charge, sizeof(*pmd)))
		return NULL;
	pmd = kmem_cache_zalloc(pfm_pmd_cache, PFM_GFP);
	if (!pmd) {
		pfm_charge_less(set->charge, sizeof(*pmd));
		return NULL;
	}
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

static void pfm_pmd_free(struct pfm_evtset *set, struct pfm_pmd *pmd)
{
	if (pmd->ovfl)
		pfm_ovfl_drop(set, pmd->ovfl, NULL);
	kmem_cache_free(pfm_pmd_cache, pmd);
	pfm_charge_less(set->charge, sizeof(*pmd));
}

/*
 * Find the PMDs that have a PMC, and so are allocated on first use. @nums: out:
 * bitmap of their numbers.
 */
static void pfm_find_unused(const struct pfm_pmu *pmu, unsigned long *nums)
{
	u16 i;

	bitmap_zero(nums, PFM_MAX_PMDS);
	for (i = 0; i < pmu->num_pmcs; i++)
		if (pmu->pmcs[i].pmd != PFM_REGD_NO_PMD)
			__set_bit(pmu->pmcs[i].pmd, nums);
}

static void pfm_pmd_publish(struct pfm_evtset *set, struct pfm_pmd *pmd)
{
	/* A deferred overflow may be reading the pointer: pfm_pmd_at() */
	smp_store_release(&set->regs[pmd->slot], &pmd->hw);
	if (!pfm_is_clock(pmd) && pmd->slot >= set->used)
		WRITE_ONCE(set->used, pmd->slot + 1);
}

static int pfm_pmd_create(struct pfm_context *ctx, struct pfm_evtset *set,
			  u16 slot, const struct pfm_reg_desc *desc)
{
	struct pfm_pmd *pmd = pfm_pmd_new(ctx, set, slot, desc);

	if (!pmd)
		return -ENOMEM;
	pfm_pmd_publish(set, pmd);
	return 0;
}

int pfm_pmds_create(struct pfm_context *ctx, struct pfm_evtset *set)
{
	DECLARE_BITMAP(unused, PFM_MAX_PMDS);
	const struct pfm_pmu *pmu = ctx->pmu;
	u16 slot, end = set->pmu_set.num_regs - 1;
	int ret = pfm_pmd_create(ctx, set, end, &pfm_clock_desc);

	/* A member gets only its inherited counters: pfm_heritage_equip() */
	if (pfm_is_member(ctx))
		return ret;
	pfm_find_unused(pmu, unused);
	for (slot = 0; slot < end; slot++)
		if (!test_bit(pmu->pmds[slot].num, unused))
			ret = ret ?: pfm_pmd_create(ctx, set, slot,
						    &pmu->pmds[slot]);
	return ret;
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
	if (pmd->hw.desc->flags & PFM_REGD_COUNTER)
		pmd->hw.pmc_value =
			pfm_pmu_selector(pmu, pmu->pmds[slot].num)->dfl;
	if (ctx->loaded)
		ret = pmu->write_pmc(&pmd->hw) ?:
		      pfm_value_write(pmd, pmd->value);
	if (ret) {
		pfm_pmd_free(set, pmd);
		return ret;
	}
	pfm_pmd_publish(set, pmd);
	return 0;
}

void pfm_pmds_free(struct pfm_evtset *set)
{
	struct pfm_pmd *pmd;
	u16 i;

	pfm_for_each_pmd(set, i, pmd)
		pfm_pmd_free(set, pmd);
}

int pfm_pmd_init(void)
{
	pfm_pmd_cache = KMEM_CACHE(pfm_pmd, SLAB_ACCOUNT);
	pfm_ovfl_cache = kmem_cache_create("pfm_pmd_ovfl", PFM_PLAIN_OVFL, 0,
					   SLAB_ACCOUNT, NULL);
	if (pfm_pmd_cache && pfm_ovfl_cache)
		return 0;
	pfm_pmd_exit();
	return -ENOMEM;
}

void pfm_pmd_exit(void)
{
	kmem_cache_destroy(pfm_ovfl_cache);
	kmem_cache_destroy(pfm_pmd_cache);
}
