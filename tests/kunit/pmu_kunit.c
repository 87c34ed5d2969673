// SPDX-License-Identifier: GPL-2.0
/*
 * pmu_kunit.c - validate PMU descriptions (Eranian 2006, 4.4)
 *
 * The simulated PMU is always registered, so a valid description is refused
 * with EBUSY. An invalid description is refused earlier, with EINVAL.
 */
#include "fixture.h"
#include "pmu.h"

static int desc_load(struct pfm_pmu_set *s, struct pfm_pmu_reg *const *regs)
{
	return -ENODEV;
}

static void desc_unload(struct pfm_pmu_set *s)
{
}

static int desc_start(struct pfm_pmu_set *s)
{
	return 0;
}

static int desc_write_pmc(struct pfm_pmu_reg *reg)
{
	return 0;
}

static int desc_write_pmd(struct pfm_pmu_reg *reg, u64 value)
{
	return 0;
}

static u64 desc_read(struct task_struct *task)
{
	return 0;
}

static u64 desc_read_sample(const void *sample, u16 num)
{
	return 0;
}

static u64 desc_read_pmd(struct pfm_pmu_reg *reg)
{
	return 0;
}

static void desc_read_pmds(struct pfm_pmu_reg *const *regs, u64 *values,
			   unsigned int n)
{
}

static void desc_reset_pmd(struct pfm_pmu_reg *reg, u64 value, bool reported)
{
}

/* A valid description with its tables. Each test makes one field invalid. */
struct desc {
	struct pfm_pmu		pmu;
	struct pfm_reg_desc	pmcs[PFM_MAX_PMCS];
	struct pfm_reg_desc	pmds[PFM_MAX_PMDS];
	char			name[PFM_REGD_NAME_MAX + 2];
};

static void fill_tables(struct desc *d)
{
	u16 i;

	for (i = 0; i < PFM_MAX_PMDS; i++) {
		d->pmcs[i] = (struct pfm_reg_desc){ .num = i, .pmd = i,
			.type = PFM_REG_TYPE_PMC, .name = "SEL" };
		d->pmds[i] = (struct pfm_reg_desc){ .num = i, .name = "CTR",
			.type = PFM_REG_TYPE_PMD, .flags = PFM_REGD_COUNTER,
			.pmd = PFM_REGD_NO_PMD };
	}
}

/* Return a valid description with two pairs of registers. */
static struct desc *good(struct kunit *test)
{
	struct desc *d = kunit_kzalloc(test, sizeof(*d), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, d);
	d->pmu = (struct pfm_pmu){
		.pmu_name = "good", .owner = THIS_MODULE,
		.counter_width = 48, .num_pmcs = 2, .num_pmds = 2,
		.pmcs = d->pmcs, .pmds = d->pmds, .load = desc_load,
		.unload = desc_unload, .start = desc_start,
		.stop = desc_unload, .write_pmc = desc_write_pmc,
		.write_pmd = desc_write_pmd, .read_pmd = desc_read_pmd,
		.read_pmds_ovfl = desc_read_pmds, .reset_pmd = desc_reset_pmd,
	};
	fill_tables(d);
	memset(d->name, 'x', PFM_REGD_NAME_MAX);
	return d;
}

static void expect(struct kunit *test, const struct desc *d, int err)
{
	u16 pmds = pfm_num_pmds();

	KUNIT_EXPECT_EQ(test, pfm_register_pmu(&d->pmu), err);
	KUNIT_EXPECT_EQ(test, pfm_num_pmds(), pmds);
}

/* Proves P4.4-02 */
static void second_description_is_ebusy(struct kunit *test)
{
	struct desc *d = good(test);

	expect(test, d, -EBUSY);
	/*
	 * Unregistering the refused description must not unregister the
	 * simulated PMU.
	 */
	pfm_unregister_pmu(&d->pmu);
	expect(test, d, -EBUSY);
}

static void largest_description_is_valid(struct kunit *test)
{
	struct desc *d = good(test);

	d->pmu.num_pmcs = PFM_MAX_PMCS;
	d->pmu.num_pmds = PFM_MAX_PMDS;
	d->pmu.counter_width = 64;
	d->pmu.pmu_name = d->name;
	d->pmds[0].name = d->name;
	expect(test, d, -EBUSY);
}

static void null_description_is_einval(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pfm_register_pmu(NULL), -EINVAL);
}

/*
 * A description that was built for another version of the interface must not be
 * read.
 */
static void description_for_another_interface_is_einval(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, __pfm_register_pmu(NULL, THIS_MODULE,
						 PFM_PMU_INTERFACE + 1),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, __pfm_register_pmu(&good(test)->pmu, THIS_MODULE,
						 PFM_PMU_INTERFACE - 1),
			-EINVAL);
}

static void description_of_another_module_is_einval(struct kunit *test)
{
	struct desc *d = good(test);

	/* The core only compares this pointer and never dereferences it. */
	d->pmu.owner = (struct module *)test;
	expect(test, d, -EINVAL);
}

#define REFUSED_WITHOUT(test, member)					\
	do {								\
		struct desc *_d = good(test);				\
									\
		memset(&_d->pmu.member, 0, sizeof(_d->pmu.member));	\
		expect(test, _d, -EINVAL);				\
	} while (0)

static void missing_operation_is_einval(struct kunit *test)
{
	REFUSED_WITHOUT(test, load);
	REFUSED_WITHOUT(test, unload);
	REFUSED_WITHOUT(test, start);
	REFUSED_WITHOUT(test, stop);
	REFUSED_WITHOUT(test, write_pmc);
	REFUSED_WITHOUT(test, write_pmd);
	REFUSED_WITHOUT(test, read_pmd);
	REFUSED_WITHOUT(test, read_pmds_ovfl);
	REFUSED_WITHOUT(test, reset_pmd);
}

static void missing_table_is_einval(struct kunit *test)
{
	REFUSED_WITHOUT(test, pmcs);
	REFUSED_WITHOUT(test, pmds);
	REFUSED_WITHOUT(test, num_pmds);
}

static void description_with_virtual_pmds_only_is_valid(struct kunit *test)
{
	struct desc *d = good(test);
	u16 i;

	d->pmu.num_pmcs = 0;
	d->pmu.pmcs = NULL;
	for (i = 0; i < 2; i++) {
		d->pmds[i].type = PFM_REG_TYPE_VIRTUAL;
		d->pmds[i].flags = PFM_REGD_READ_ONLY;
		d->pmds[i].read = desc_read;
	}
	expect(test, d, -EBUSY);
	/*
	 * The description of a counter or a clock must not contain a read
	 * function.
	 */
	d->pmds[1].flags = PFM_REGD_COUNTER;
	expect(test, d, -EINVAL);
	d->pmds[1].flags = PFM_REGD_MONOTONIC;
	expect(test, d, -EINVAL);
	d->pmds[1].read = NULL;
	expect(test, d, -EBUSY);
}

static struct pfm_reg_desc sample_pmd(u16 num)
{
	return (struct pfm_reg_desc){
		.num = num, .name = "DATA", .type = PFM_REG_TYPE_VIRTUAL,
		.flags = PFM_REGD_READ_ONLY, .pmd = PFM_REGD_NO_PMD,
		.read_sample = desc_read_sample, .wants = 1,
	};
}

/*
 * A PMD with sample data must be read-only, and must have a function to get the
 * data.
 */
static void sample_pmds_need_all_their_fields(struct kunit *test)
{
	struct desc *d = good(test);
	struct pfm_reg_desc *pmd = &d->pmds[1];

	d->pmu.num_pmcs = 1;
	*pmd = sample_pmd(1);
	expect(test, d, -EBUSY);
	pmd->wants = 0;
	expect(test, d, -EINVAL);
	pmd->wants = 1;
	pmd->flags = 0;
	expect(test, d, -EINVAL);
	pmd->flags = PFM_REGD_READ_ONLY;
	pmd->read = desc_read;
	expect(test, d, -EINVAL);
	pmd->read = NULL;
	pmd->dfl = 1;
	expect(test, d, -EINVAL);
	pmd->dfl = 0;
	pmd->read_sample = NULL;
	expect(test, d, -EINVAL);
}

static void sample_pmds_follow_all_others(struct kunit *test)
{
	struct desc *d = good(test);

	d->pmu.num_pmcs = 0;
	d->pmu.num_pmds = 3;
	d->pmds[1] = sample_pmd(1);
	d->pmds[2] = sample_pmd(2);
	KUNIT_EXPECT_EQ(test, pfm_pmu_places(&d->pmu), 1);
	expect(test, d, -EBUSY);
	swap(d->pmds[0], d->pmds[1]);
	swap(d->pmds[0].num, d->pmds[1].num);
	expect(test, d, -EINVAL);
}

static void counter_width_out_of_range_is_einval(struct kunit *test)
{
	struct desc *d = good(test);

	d->pmu.counter_width = 0;
	expect(test, d, -EINVAL);
	d->pmu.counter_width = 65;
	expect(test, d, -EINVAL);
	d->pmu.counter_width = 64;
	d->pmu.actual_width = 65;
	expect(test, d, -EINVAL);
}

static void too_many_registers_are_einval(struct kunit *test)
{
	struct desc *d = good(test);

	/* Entries beyond the maximum are not read. */
	d->pmu.num_pmcs = PFM_MAX_PMCS + 1;
	expect(test, d, -EINVAL);
	d = good(test);
	d->pmu.num_pmds = U16_MAX;
	expect(test, d, -EINVAL);
}

static void number_out_of_range_is_einval(struct kunit *test)
{
	struct desc *d = good(test);

	d->pmcs[1].num = PFM_MAX_PMCS;
	expect(test, d, -EINVAL);
	d = good(test);
	d->pmds[1].num = PFM_MAX_PMDS;
	expect(test, d, -EINVAL);
}

static void duplicate_register_number_is_einval(struct kunit *test)
{
	struct desc *d = good(test);

	d->pmcs[1].num = 0;
	expect(test, d, -EINVAL);
	d = good(test);
	d->pmds[1].num = 0;
	expect(test, d, -EINVAL);
}

static void numbers_out_of_order_are_einval(struct kunit *test)
{
	struct desc *d = good(test);

	d->pmds[0].num = 5;
	expect(test, d, -EINVAL);
}

static void pmc_without_its_counter_is_einval(struct kunit *test)
{
	struct desc *d = good(test);

	d->pmcs[1].pmd = 2;
	expect(test, d, -EINVAL);
	d = good(test);
	d->pmds[1].flags = 0;
	expect(test, d, -EINVAL);
	/* A PMC without a counter is valid. */
	d->pmcs[1].pmd = PFM_REGD_NO_PMD;
	expect(test, d, -EBUSY);
}

static void counter_of_two_pmcs_is_einval(struct kunit *test)
{
	struct desc *d = good(test);

	d->pmcs[1].pmd = 0;
	expect(test, d, -EINVAL);
}

/* Add PMC2, an additional configuration word of PMC0's counter. */
static struct desc *with_config(struct kunit *test, u16 flags)
{
	struct desc *d = good(test);

	d->pmu.num_pmcs = 3;
	d->pmcs[2].pmd = 0;
	d->pmcs[2].flags = flags;
	return d;
}

static void config_word_needs_pmc_with_counter(struct kunit *test)
{
	struct desc *d = with_config(test, PFM_REGD_CONFIG1);

	expect(test, d, -EBUSY);
	expect(test, with_config(test, PFM_REGD_CONFIG2), -EBUSY);
	d->pmcs[3].pmd = 0;
	d->pmu.num_pmcs = 4;
	d->pmcs[3].flags = PFM_REGD_CONFIG2;
	expect(test, d, -EBUSY);
	/* The counter already has a PMC for its first word. */
	d->pmcs[3].flags = PFM_REGD_CONFIG1;
	expect(test, d, -EINVAL);
	d->pmcs[3].pmd = 1;
	expect(test, d, -EBUSY);
	/* The counter that the configuration word belongs to has no PMC. */
	d->pmcs[1].pmd = PFM_REGD_NO_PMD;
	expect(test, d, -EINVAL);
	d = with_config(test, PFM_REGD_CONFIG2);
	d->pmcs[2].pmd = PFM_REGD_NO_PMD;
	expect(test, d, -EINVAL);
	d = with_config(test, PFM_REGD_CONFIG2);
	d->pmcs[2].dfl = 1;
	expect(test, d, -EINVAL);
	expect(test, with_config(test, PFM_REGD_CONFIG1 | PFM_REGD_CONFIG2),
	       -EINVAL);
}

static void unknown_flag_or_type_is_einval(struct kunit *test)
{
	struct desc *d = good(test);

	d->pmds[0].flags |= 0x8000;
	expect(test, d, -EINVAL);
	d->pmds[0].flags = PFM_REGD_COUNTER | PFM_REGD_READ_ONLY;
	expect(test, d, -EINVAL);
	d = good(test);
	d->pmcs[0].flags = PFM_REGD_COUNTER;
	expect(test, d, -EINVAL);
	d = good(test);
	d->pmcs[0].type = 0;
	expect(test, d, -EINVAL);
	d->pmcs[0].type = PFM_REG_TYPE_VIRTUAL + 1;
	expect(test, d, -EINVAL);
	d = good(test);
	d->pmu.ds = PFM_DS_PRECISE + 1;
	expect(test, d, -EINVAL);
}

static void register_name_with_separator_is_einval(struct kunit *test)
{
	static const char *const bad[] = {
		NULL, "", "TWO\nLINES", "TAB\t", "\x7f", "\xc3\xa4",
	};
	struct desc *d = good(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		d->pmds[1].name = bad[i];
		expect(test, d, -EINVAL);
	}
	d->pmds[1].name = "CTR";
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		d->pmu.pmu_name = bad[i];
		expect(test, d, -EINVAL);
	}
	d->name[PFM_REGD_NAME_MAX] = 'x';
	d->pmu.pmu_name = d->name;
	expect(test, d, -EINVAL);
}

static struct kunit_case pmu_cases[] = {
	KUNIT_CASE(second_description_is_ebusy),
	KUNIT_CASE(largest_description_is_valid),
	KUNIT_CASE(null_description_is_einval),
	KUNIT_CASE(description_for_another_interface_is_einval),
	KUNIT_CASE(description_of_another_module_is_einval),
	KUNIT_CASE(missing_operation_is_einval),
	KUNIT_CASE(missing_table_is_einval),
	KUNIT_CASE(description_with_virtual_pmds_only_is_valid),
	KUNIT_CASE(sample_pmds_need_all_their_fields),
	KUNIT_CASE(sample_pmds_follow_all_others),
	KUNIT_CASE(counter_width_out_of_range_is_einval),
	KUNIT_CASE(too_many_registers_are_einval),
	KUNIT_CASE(number_out_of_range_is_einval),
	KUNIT_CASE(duplicate_register_number_is_einval),
	KUNIT_CASE(numbers_out_of_order_are_einval),
	KUNIT_CASE(pmc_without_its_counter_is_einval),
	KUNIT_CASE(counter_of_two_pmcs_is_einval),
	KUNIT_CASE(config_word_needs_pmc_with_counter),
	KUNIT_CASE(unknown_flag_or_type_is_einval),
	KUNIT_CASE(register_name_with_separator_is_einval),
	{}
};

static struct kunit_suite pmu_suite = {
	.name = "pfm_pmu",
	.test_cases = pmu_cases,
};
kunit_test_suite(pmu_suite);
