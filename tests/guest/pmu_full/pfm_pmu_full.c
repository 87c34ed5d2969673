// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_pmu_full - the largest possible PMU description, for tests: the maximum
 * number of registers, with the longest names. It counts nothing.
 */
#include <linux/module.h>
#include <perfmon/perfmon_pmu.h>

static struct pfm_reg_desc full_pmcs[PFM_MAX_PMCS];
static struct pfm_reg_desc full_pmds[PFM_MAX_PMDS];
static char full_names[PFM_MAX_PMDS][PFM_REGD_NAME_MAX + 1];

static int full_load(struct pfm_pmu_set *s, struct pfm_pmu_reg *const *regs)
{
	return 0;
}

static void full_nothing(struct pfm_pmu_set *s)
{
}

static int full_start(struct pfm_pmu_set *s)
{
	return 0;
}

static int full_write_pmc(struct pfm_pmu_reg *reg)
{
	return 0;
}

/* Store the value. The PMDs of this PMU do nothing else. */
static int full_write_pmd(struct pfm_pmu_reg *reg, u64 value)
{
	reg->offset = value;
	return 0;
}

static u64 full_read_pmd(struct pfm_pmu_reg *reg)
{
	return reg->offset;
}

static void full_read_pmds_ovfl(struct pfm_pmu_reg *const *regs, u64 *values,
				unsigned int n)
{
	while (n--)
		*values++ = full_read_pmd(*regs++);
}

static void full_reset_pmd(struct pfm_pmu_reg *reg, u64 value, bool reported)
{
	reg->offset = value;
}

static const struct pfm_pmu full_pmu = {
	.pmu_name	= "full",
	.owner		= THIS_MODULE,
	.counter_width	= 64,
	.actual_width	= 47,
	.num_pmcs	= PFM_MAX_PMCS,
	.num_pmds	= PFM_MAX_PMDS,
	.pmcs		= full_pmcs,
	.pmds		= full_pmds,
	.load		= full_load,
	.unload		= full_nothing,
	.start		= full_start,
	.stop		= full_nothing,
	.write_pmc	= full_write_pmc,
	.write_pmd	= full_write_pmd,
	.read_pmd	= full_read_pmd,
	.read_pmds_ovfl	= full_read_pmds_ovfl,
	.reset_pmd	= full_reset_pmd,
};

static int __init full_init(void)
{
	u16 i;

	for (i = 0; i < PFM_MAX_PMDS; i++) {
		memset(full_names[i], 'N', PFM_REGD_NAME_MAX);
		full_pmcs[i] = (struct pfm_reg_desc){
			.num = i, .type = PFM_REG_TYPE_PMC, .pmd = i,
			.rsvd = ~1ULL, .index = i, .name = full_names[i],
		};
		full_pmds[i] = (struct pfm_reg_desc){
			.num = i, .type = PFM_REG_TYPE_PMD,
			.flags = PFM_REGD_COUNTER, .pmd = PFM_REGD_NO_PMD,
			.index = i, .name = full_names[i],
		};
	}
	return pfm_register_pmu(&full_pmu);
}

static void __exit full_exit(void)
{
	pfm_unregister_pmu(&full_pmu);
}

static_assert(PFM_MAX_PMCS == PFM_MAX_PMDS);
module_init(full_init);
module_exit(full_exit);
MODULE_DESCRIPTION("perfmon2: test, the largest PMU description");
MODULE_LICENSE("GPL v2");
