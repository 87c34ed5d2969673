// SPDX-License-Identifier: GPL-2.0
/*
 * sample.c - PMDs with the data that perf supplies about a sample
 *
 * perf passes the data to the overflow handler. If a counter records such PMDs,
 * its handler passes the data on to the core. The core reads the PMDs with the
 * functions here (pfm_overflow_sample()). Other counters do not request the
 * data from perf, and their handlers ignore what perf passes.
 */
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include "sample.h"

#define PERF_SAMPLE_ADDRESSES	(PERF_SAMPLE_ADDR | PERF_SAMPLE_PHYS_ADDR)

/* Is this a software event for which the kernel always has an address? */
static bool perf_is_fault(u64 pmc)
{
	if (perf_pmc_type(pmc) != PERF_TYPE_SOFTWARE)
		return false;
	switch (pmc & PFM_PERF_ID_MASK) {
	case PERF_COUNT_SW_PAGE_FAULTS:
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
	case PERF_COUNT_SW_ALIGNMENT_FAULTS:
	case PERF_COUNT_SW_EMULATION_FAULTS:
		return true;
	default:
		return false;
	}
}

/* Get the sample types that perf may be able to supply for this PMC. */
static u32 perf_data_of(u64 pmc)
{
	if (perf_is_software(pmc))
		return perf_is_fault(pmc) ? PERF_SAMPLE_ADDRESSES : 0;
	if (perf_pmc_type(pmc) == PERF_TYPE_BREAKPOINT)
		return PERF_SAMPLE_ADDRESSES;
	if (perf_is_of_cpu(pmc) && !(pmc & PFM_PERF_PRECISE_MASK))
		return PERF_SAMPLE_BRANCH_STACK;
	return ~0;
}

bool perf_may_have_data(const struct pfm_pmu_reg *reg)
{
	/*
	 * If the set has a debug-store area, these data go into the area's
	 * records, so refuse PMDs that would contain them.
	 */
	return !reg->wants || (!perf_is_ds(reg) &&
			       !(reg->wants & ~perf_data_of(reg->pmc_value)));
}

u64 perf_branch_type(u64 pmc)
{
	return PERF_SAMPLE_BRANCH_ANY |
	       (pmc & PFM_PERF_EXCL_USER ? 0 : PERF_SAMPLE_BRANCH_USER) |
	       (pmc & PFM_PERF_EXCL_KERNEL ? 0 : PERF_SAMPLE_BRANCH_KERNEL);
}

/* Get the sample's data if they include data of this type, else NULL. */
static const struct perf_sample_data *
perf_data_with(const struct perf_sampled *sample, u64 type)
{
	return sample->data->sample_flags & type ? sample->data : NULL;
}

static u64 perf_address_of(const struct perf_sampled *sample)
{
	const struct perf_sample_data *data =
		perf_data_with(sample, PERF_SAMPLE_ADDR);

	return data ? perf_visible_address(sample->reg, data->addr) : 0;
}

u64 perf_sampled_address(const void *sample, u16 num)
{
	return perf_address_of(sample);
}

u64 perf_sampled_latency(const void *sample, u16 num)
{
	const struct perf_sample_data *data =
		perf_data_with(sample, PERF_SAMPLE_WEIGHT_TYPE);

	return data ? data->weight.var1_dw : 0;
}

u64 perf_sampled_weight2(const void *sample, u16 num)
{
	const struct perf_sample_data *data =
		perf_data_with(sample, PERF_SAMPLE_WEIGHT_TYPE);

	return data ? data->weight.var2_w : 0;
}

u64 perf_sampled_weight3(const void *sample, u16 num)
{
	const struct perf_sample_data *data =
		perf_data_with(sample, PERF_SAMPLE_WEIGHT_TYPE);

	return data ? data->weight.var3_w : 0;
}

u64 perf_sampled_source(const void *sample, u16 num)
{
	const struct perf_sample_data *data =
		perf_data_with(sample, PERF_SAMPLE_DATA_SRC);

	return data ? data->data_src.val : 0;
}

u64 perf_sampled_transaction(const void *sample, u16 num)
{
	const struct perf_sample_data *data =
		perf_data_with(sample, PERF_SAMPLE_TRANSACTION);

	return data ? data->txn : 0;
}

/*
 * Get the physical address of a kernel address. Like perf, support only the
 * direct mapping.
 */
static u64 perf_kernel_physical(u64 addr)
{
	void *at = (void *)addr;

	return virt_addr_valid(at) && !is_vmalloc_addr(at) ? virt_to_phys(at) :
							     0;
}

/*
 * Get the physical address of an address of the current process, as perf's
 * perf_virt_to_phys() does. Interrupts are off, so the page tables are not
 * freed.
 */
static u64 perf_user_physical(u64 addr)
{
	struct page *page;
	u64 physical = 0;

	if (!current->mm || current->flags & PF_KTHREAD)
		return 0;
	pagefault_disable();
	if (get_user_page_fast_only(addr, 0, &page)) {
		physical = page_to_phys(page) + offset_in_page(addr);
		put_page(page);
	}
	pagefault_enable();
	return physical;
}

/* Some drivers supply the physical address; otherwise look it up. */
u64 perf_sampled_physical(const void *sample, u16 num)
{
	const struct perf_sample_data *data =
		perf_data_with(sample, PERF_SAMPLE_PHYS_ADDR);
	u64 addr = perf_address_of(sample);

	if (!addr)
		return 0;
	if (data)
		return data->phys_addr;
	return (s64)addr < 0 ? perf_kernel_physical(addr) :
			       perf_user_physical(addr);
}

/*
 * Get the branch to which PMD @num belongs; NULL if perf recorded fewer
 * branches.
 */
static const struct perf_branch_entry *
perf_branch_of(const struct perf_sampled *sample, u16 num)
{
	const struct perf_sample_data *data =
		perf_data_with(sample, PERF_SAMPLE_BRANCH_STACK);
	u16 n = num % PFM_BRANCHES;

	BUILD_BUG_ON(PFM_PMD_BRANCH_FROM(0) % PFM_BRANCHES ||
		     PFM_PMD_BRANCH_TO(0) % PFM_BRANCHES ||
		     PFM_PMD_BRANCH_FLAGS(0) % PFM_BRANCHES);
	return data && n < data->br_stack->nr ? &data->br_stack->entries[n] :
						NULL;
}

/* A branch can lead from the kernel to user space, or back: check each end. */
u64 perf_sampled_from(const void *sample, u16 num)
{
	const struct perf_sampled *s = sample;
	const struct perf_branch_entry *branch = perf_branch_of(s, num);

	return branch ? perf_visible_address(s->reg, branch->from) : 0;
}

u64 perf_sampled_to(const void *sample, u16 num)
{
	const struct perf_sampled *s = sample;
	const struct perf_branch_entry *branch = perf_branch_of(s, num);

	return branch ? perf_visible_address(s->reg, branch->to) : 0;
}

u64 perf_sampled_flags(const void *sample, u16 num)
{
	const struct perf_branch_entry *branch = perf_branch_of(sample, num);

	BUILD_BUG_ON(sizeof(*branch) != 3 * sizeof(u64));
	/*
	 * The branch's flags are bit fields: return the word that contains
	 * them.
	 */
	return branch ? ((const u64 *)branch)[2] : 0;
}
