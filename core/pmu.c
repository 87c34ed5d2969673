// SPDX-License-Identifier: GPL-2.0
/*
 * pmu.c - the PMU description in use (2006 paper, 4.4)
 */
#include "core.h"

static const struct pfm_pmu *pfm_pmu;
static DEFINE_MUTEX(pfm_pmu_lock);

static bool pfm_regs_are_valid(const struct pfm_reg_desc *regs, u16 n,
			       unsigned int max)
{
	u16 i;

	if (!n || !regs)
		return false;
	for (i = 0; i < n; i++)
		if (regs[i].num >= max || !regs[i].name ||
		    (i && regs[i].num <= regs[i - 1].num))
			return false;
	return true;
}

/* Every PMC that controls a PMD names one that counts. */
static bool pfm_pmcs_control_counters(const struct pfm_pmu *pmu)
{
	u16 i;
	int slot;

	for (i = 0; i < pmu->num_pmcs; i++) {
		if (pmu->pmcs[i].pmd == PFM_REGD_NO_PMD)
			continue;
		slot = pfm_pmu_find(pmu->pmds, pmu->num_pmds, pmu->pmcs[i].pmd);
		if (slot < 0 || !(pmu->pmds[slot].flags & PFM_REGD_COUNTER))
			return false;
	}
	return true;
}

static bool pfm_pmu_is_valid(const struct pfm_pmu *pmu)
{
	return pmu->pmu_name && pmu->counter_width && pmu->counter_width <= 64 &&
	       pfm_regs_are_valid(pmu->pmcs, pmu->num_pmcs, PFM_MAX_PMCS) &&
	       pfm_regs_are_valid(pmu->pmds, pmu->num_pmds, PFM_MAX_PMDS) &&
	       pfm_pmcs_control_counters(pmu) && pmu->load && pmu->unload &&
	       pmu->start && pmu->stop && pmu->write_pmc && pmu->write_pmd &&
	       pmu->read_pmd && pmu->read_pmds_ovfl && pmu->reset_pmd;
}

int pfm_register_pmu(const struct pfm_pmu *pmu)
{
	int ret = -EBUSY;

	if (!pfm_pmu_is_valid(pmu))
		return -EINVAL;
	mutex_lock(&pfm_pmu_lock);
	if (!pfm_pmu) {
		ret = pfm_sysfs_add_pmu(pmu);
		if (!ret)
			pfm_pmu = pmu;
	}
	mutex_unlock(&pfm_pmu_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(pfm_register_pmu);

void pfm_unregister_pmu(const struct pfm_pmu *pmu)
{
	mutex_lock(&pfm_pmu_lock);
	if (pfm_pmu == pmu) {
		pfm_sysfs_del_pmu();
		pfm_pmu = NULL;
	}
	mutex_unlock(&pfm_pmu_lock);
}
EXPORT_SYMBOL_GPL(pfm_unregister_pmu);

/* Hold the PMU. Return: the description, or NULL if there is none. */
const struct pfm_pmu *pfm_pmu_get(void)
{
	const struct pfm_pmu *pmu;

	mutex_lock(&pfm_pmu_lock);
	pmu = pfm_pmu;
	if (pmu && !try_module_get(pmu->owner))
		pmu = NULL;
	mutex_unlock(&pfm_pmu_lock);
	return pmu;
}

void pfm_pmu_put(const struct pfm_pmu *pmu)
{
	module_put(pmu->owner);
}

u16 pfm_num_pmds(void)
{
	u16 n;

	mutex_lock(&pfm_pmu_lock);
	n = pfm_pmu ? pfm_pmu->num_pmds : 0;
	mutex_unlock(&pfm_pmu_lock);
	return n;
}
EXPORT_SYMBOL_GPL(pfm_num_pmds);

/* Return: place of register @num in the table, or -ENOENT. */
int pfm_pmu_find(const struct pfm_reg_desc *regs, u16 n, u16 num)
{
	int low = 0, high = n - 1;

	while (low <= high) {
		int mid = (low + high) / 2;

		if (regs[mid].num == num)
			return mid;
		if (regs[mid].num < num)
			low = mid + 1;
		else
			high = mid - 1;
	}
	return -ENOENT;
}
