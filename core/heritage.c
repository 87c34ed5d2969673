// SPDX-License-Identifier: GPL-2.0
/*
 * heritage.c - the registers that members of a family inherit: the clock, and
 *		all counters of the root that measure something
 */
#include "context.h"
#include "family.h"
#include "heritage.h"
#include "pmu.h"
#include "regs.h"

static bool pfm_is_inherited(const struct pfm_pmd *pmd)
{
	const struct pfm_pmu *pmu = pmd->ctx->pmu;
	const struct pfm_reg_desc *desc = pmd->hw.desc;

	if (pfm_is_clock(pmd))
		return true;
	return desc->flags & PFM_REGD_COUNTER &&
	       pmd->hw.pmc_value != pfm_pmu_selector(pmu, desc->num)->dfl;
}

static u16 pfm_count_inherited(const struct pfm_evtset *set)
{
	struct pfm_pmd *pmd;
	u16 i, n = 0;

	pfm_for_each_pmd(set, i, pmd)
		n += pfm_is_inherited(pmd);
	return n;
}

struct pfm_family *pfm_heritage_begin(struct pfm_context *root,
				      work_func_t bury)
{
	struct pfm_evtset *set = root->set;
	struct pfm_family_pmd *entry;
	struct pfm_family *family;
	struct pfm_pmd *pmd;
	u16 i;

	family = pfm_family_create(root, pfm_count_inherited(set), bury);
	if (!family)
		return NULL;
	entry = family->pmds;
	pfm_for_each_pmd(set, i, pmd) {
		if (!pfm_is_inherited(pmd))
			continue;
		if (!pfm_is_clock(pmd))
			pfm_reg_copy(pmd, &entry->reg);
		entry->slot = pmd->slot;
		entry++;
	}
	return family;
}

int pfm_heritage_equip(struct pfm_context *ctx)
{
	const struct pfm_family *family = ctx->family;
	int ret = 0;
	u16 i;

	lockdep_assert_held(&ctx->mutex);
	/* The last entry is the clock. */
	for (i = 0; i < family->num_pmds - 1 && !ret; i++)
		ret = pfm_reg_paste(ctx->set, family->pmds[i].slot,
				    &family->pmds[i].reg);
	pfm_clock_of(ctx->set)->value = 0;
	ctx->set->duration = 0;
	return ret;
}

void pfm_heritage_update(struct pfm_context *ctx)
{
	struct pfm_family *family = ctx->family;
	struct pfm_reg_copy now;
	u16 i;

	lockdep_assert_held(&ctx->mutex);
	for (i = 0; i < family->num_pmds; i++) {
		if (!family->pmds[i].reg.sampling)
			continue;
		spin_lock(&family->lock);
		now.short_reset = family->pmds[i].reg.short_reset;
		now.long_reset = family->pmds[i].reg.long_reset;
		spin_unlock(&family->lock);
		pfm_reg_set_resets(pfm_pmd_at(ctx->set, family->pmds[i].slot),
				   &now);
	}
}

/* Return the copy of the counter in @slot if it samples, else NULL. */
static struct pfm_reg_copy *pfm_find_sampling(struct pfm_family *family,
					      unsigned int slot)
{
	u16 i;

	for (i = 0; i < family->num_pmds; i++)
		if (family->pmds[i].slot == slot &&
		    family->pmds[i].reg.sampling)
			return &family->pmds[i].reg;
	return NULL;
}

int pfm_heritage_write(struct pfm_context *root, pfarg_pmd_t *req)
{
	struct pfm_family *family = root->family;
	struct pfm_reg_copy *reg, new;
	int slot;

	if (!root->share)
		return -EBUSY;
	slot = pfm_reg_take_resets(root, req, &new);
	if (slot < 0)
		return slot;
	reg = pfm_find_sampling(family, slot);
	if (!reg)
		return -EBUSY;
	spin_lock(&family->lock);
	reg->value = new.value;
	reg->short_reset = new.short_reset;
	reg->long_reset = new.long_reset;
	spin_unlock(&family->lock);
	pfm_heritage_update(root);
	pfm_family_walk(family, pfm_heritage_update);
	return 0;
}
