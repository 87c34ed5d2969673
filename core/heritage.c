// SPDX-License-Identifier: GPL-2.0
/*
 * heritage.c - the registers that members of a family inherit: all counters of
 *		the root that measure something
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

	return desc->flags & PFM_REGD_COUNTER &&
	       pmd->hw.pmc_value != pfm_pmu_selector(pmu, desc->num)->dfl;
}

static u16 pfm_count_inherited(const struct pfm_evtset *set)
{
	struct pfm_pmd *pmd;
	u16 i, n = 0;

	pfm_for_each_real_pmd(set, i, pmd)
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
	pfm_for_each_real_pmd(set, i, pmd) {
		if (!pfm_is_inherited(pmd))
			continue;
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
	for (i = 0; i < family->num_pmds && !ret; i++)
		ret = pfm_reg_paste(ctx->set, family->pmds[i].slot,
				    &family->pmds[i].reg);
	return ret;
}
