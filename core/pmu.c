// SPDX-License-Identifier: GPL-2.0
/*
 * pmu.c - the PMU description in use (Eranian 2006, 4.4)
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/ctype.h>
#include <linux/mutex.h>
#include "pmu.h"
#include "sysfs.h"

/*
 * Sizes that are compiled into descriptions. A change must raise
 * PFM_PMU_INTERFACE, so that older descriptions are rejected.
 */
static_assert(PFM_PMU_INTERFACE == 5);
static_assert(sizeof(struct pfm_pmu) == 136);
static_assert(sizeof(struct pfm_reg_desc) == 64);
static_assert(sizeof(struct pfm_pmu_reg) == 72);
static_assert(sizeof(struct pfm_pmu_set) == 80);

static const struct pfm_pmu *pfm_pmu;
static DEFINE_MUTEX(pfm_pmu_lock);

/* Names are part of sysfs lines, so they must be printable and short. */
static bool pfm_name_is_valid(const char *name)
{
	size_t n;

	if (!name || !*name)
		return false;
	for (n = 0; name[n]; n++)
		if (n == PFM_REGD_NAME_MAX || !isascii(name[n]) ||
		    !isprint(name[n]))
			return false;
	return true;
}

/* A PMD with data of samples must be read-only, and 0 by default. */
static bool pfm_sample_is_valid(const struct pfm_reg_desc *reg)
{
	return !reg->read_sample ? !reg->wants :
				   reg->wants && !reg->read && !reg->dfl &&
					   reg->flags == PFM_REGD_READ_ONLY;
}

static bool pfm_reg_is_valid(const struct pfm_reg_desc *reg,
			     unsigned int max, u16 flags)
{
	return reg->num < max && pfm_name_is_valid(reg->name) &&
	       reg->type >= PFM_REG_TYPE_PMC &&
	       reg->type <= PFM_REG_TYPE_VIRTUAL && !(reg->flags & ~flags) &&
	       hweight16(reg->flags) <= 1 &&
	       !(reg->flags & (PFM_REGD_COUNTER | PFM_REGD_MONOTONIC) &&
		 reg->read) &&
	       pfm_sample_is_valid(reg);
}

/* Numbers must increase, because the tables are searched by binary search. */
static bool pfm_regs_are_valid(const struct pfm_reg_desc *regs, u16 n,
			       unsigned int max, u16 flags)
{
	u16 i;

	if (n > max || (n && !regs))
		return false;
	for (i = 0; i < n; i++)
		if (!pfm_reg_is_valid(&regs[i], max, flags) ||
		    (i && regs[i].num <= regs[i - 1].num))
			return false;
	return true;
}

/*
 * Check the PMCs whose flags are exactly @flags: each must control or configure
 * a counter, and no two the same one. If @flags is 0, PMCs that control no PMD
 * are allowed, too. @controlled: out: slots of the counters.
 */
static bool pfm_pmcs_have_counters(const struct pfm_pmu *pmu, u16 flags,
				   unsigned long *controlled)
{
	u16 i;
	int slot;

	bitmap_zero(controlled, PFM_MAX_PMDS);
	for (i = 0; i < pmu->num_pmcs; i++) {
		const struct pfm_reg_desc *pmc = &pmu->pmcs[i];

		if (pmc->flags != flags ||
		    (!flags && pmc->pmd == PFM_REGD_NO_PMD))
			continue;
		slot = pfm_pmu_find(pmu->pmds, pmu->num_pmds, pmc->pmd);
		if (slot < 0 || !(pmu->pmds[slot].flags & PFM_REGD_COUNTER) ||
		    (flags && pmc->dfl) ||
		    __test_and_set_bit(slot, controlled))
			return false;
	}
	return true;
}

/*
 * Does each PMC control or configure a counter of its own, or control none? And
 * does each counter with configuration words have a PMC that controls it?
 */
static bool pfm_pmcs_control_counters(const struct pfm_pmu *pmu)
{
	DECLARE_BITMAP(selected, PFM_MAX_PMDS);
	DECLARE_BITMAP(configured, PFM_MAX_PMDS);

	return pfm_pmcs_have_counters(pmu, 0, selected) &&
	       pfm_pmcs_have_counters(pmu, PFM_REGD_CONFIG1, configured) &&
	       bitmap_subset(configured, selected, PFM_MAX_PMDS) &&
	       pfm_pmcs_have_counters(pmu, PFM_REGD_CONFIG2, configured) &&
	       bitmap_subset(configured, selected, PFM_MAX_PMDS);
}

/* Check the tables of registers. Return: what is wrong, as text, or NULL. */
static const char *pfm_tables_fault(const struct pfm_pmu *pmu)
{
	u16 i;

	if (!pmu->num_pmds)
		return "num_pmds is 0";
	if (!pfm_regs_are_valid(pmu->pmcs, pmu->num_pmcs, PFM_MAX_PMCS,
				PFM_REGD_CONFIG1 | PFM_REGD_CONFIG2))
		return "an entry of pmcs is not well formed, or out of order";
	if (!pfm_regs_are_valid(pmu->pmds, pmu->num_pmds, PFM_MAX_PMDS,
				PFM_REGD_COUNTER | PFM_REGD_READ_ONLY |
				PFM_REGD_MONOTONIC))
		return "an entry of pmds is not well formed, or out of order";
	for (i = 0; i < pfm_pmu_places(pmu); i++)
		if (pmu->pmds[i].read_sample)
			return "PMDs with data of samples do not come last";
	if (!pfm_pmcs_control_counters(pmu))
		return "a PMC has no counter of its own";
	return NULL;
}

static bool pfm_ops_are_there(const struct pfm_pmu *pmu)
{
	return pmu->load && pmu->unload && pmu->start && pmu->stop &&
	       pmu->write_pmc && pmu->write_pmd && pmu->read_pmd &&
	       pmu->read_pmds_ovfl && pmu->reset_pmd;
}

/* Check a description. Return: what is wrong, as text, or NULL. */
static const char *pfm_pmu_fault(const struct pfm_pmu *pmu,
				 struct module *owner)
{
	if (!pfm_name_is_valid(pmu->pmu_name))
		return "pmu_name is missing, or not a short printable line";
	if (pmu->owner != owner)
		return "owner is not THIS_MODULE";
	if (!pmu->counter_width || pmu->counter_width > 64)
		return "counter_width is not 1 to 64";
	if (pmu->actual_width > 64)
		return "actual_width exceeds 64";
	if (pmu->ds > PFM_DS_PRECISE)
		return "ds is unknown";
	if (!pfm_ops_are_there(pmu))
		return "an operation is missing";
	return pfm_tables_fault(pmu);
}

/* Check the interface first: it determines the layout of the description. */
static int pfm_pmu_check(const struct pfm_pmu *pmu, struct module *owner,
			 unsigned int interface)
{
	const char *module = module_name(owner);
	const char *fault;

	if (interface != PFM_PMU_INTERFACE) {
		pr_err("perfmon: PMU description in module %s: built for interface %u of perfmon_pmu.h, but perfmon has interface %u: rebuild it\n",
		       module, interface, PFM_PMU_INTERFACE);
		return -EINVAL;
	}
	fault = pmu ? pfm_pmu_fault(pmu, owner) : "no description";
	if (fault) {
		pr_err("perfmon: PMU description in module %s: %s\n", module,
		       fault);
		return -EINVAL;
	}
	return 0;
}

static int pfm_pmu_add(const struct pfm_pmu *pmu)
{
	int ret;

	lockdep_assert_held(&pfm_pmu_lock);
	if (pfm_pmu) {
		pr_err("perfmon: PMU description %s: %s is already registered\n",
		       pmu->pmu_name, pfm_pmu->pmu_name);
		return -EBUSY;
	}
	ret = pfm_sysfs_add_pmu(pmu);
	if (!ret)
		pfm_pmu = pmu;
	return ret;
}

int __pfm_register_pmu(const struct pfm_pmu *pmu, struct module *owner,
		       unsigned int interface)
{
	int ret = pfm_pmu_check(pmu, owner, interface);

	if (ret)
		return ret;
	mutex_lock(&pfm_pmu_lock);
	ret = pfm_pmu_add(pmu);
	mutex_unlock(&pfm_pmu_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(__pfm_register_pmu);

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

const struct pfm_pmu *pfm_pmu_hold(const struct pfm_pmu *pmu)
{
	__module_get(pmu->owner);
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

u16 pfm_pmu_places(const struct pfm_pmu *pmu)
{
	u16 n = pmu->num_pmds;

	while (n && pmu->pmds[n - 1].read_sample)
		n--;
	return n;
}

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

const struct pfm_reg_desc *pfm_pmu_selector(const struct pfm_pmu *pmu, u16 num)
{
	const struct pfm_reg_desc *pmc = pmu->pmcs;

	while (pmc->pmd != num || pmc->flags)
		pmc++;
	return pmc;
}

void pfm_bv_from_slots(const struct pfm_pmu *pmu, const unsigned long *slots,
		       u64 *bv)
{
	unsigned int slot;

	memset(bv, 0, sizeof(u64) * PFM_MAX_PMD_BITVECTOR);
	for_each_set_bit(slot, slots, pmu->num_pmds)
		pfm_bv_set(bv, pmu->pmds[slot].num);
}

int pfm_bv_to_slots(const struct pfm_pmu *pmu, const u64 *bv,
		    unsigned long *slots)
{
	unsigned int word;
	int slot, n = 0;
	u64 left;

	bitmap_zero(slots, PFM_MAX_PMDS);
	for (word = 0; word < PFM_MAX_PMD_BITVECTOR; word++) {
		for (left = bv[word]; left; left &= left - 1) {
			slot = pfm_pmu_find(pmu->pmds, pmu->num_pmds,
					    64 * word + __ffs64(left));
			if (slot < 0)
				return -EINVAL;
			__set_bit(slot, slots);
			n++;
		}
	}
	return n;
}
