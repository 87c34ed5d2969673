// SPDX-License-Identifier: GPL-2.0
/*
 * cgroup_counts_kunit.c - the call-backs of the format cgroup_counts, called
 *			   directly
 *
 * The suite runs in the root group, or in a kernel without control groups.
 */
#include <kunit/test.h>
#include <perfmon/perfmon_cgroup_counts_smpl.h>
#include "sink_calls.h"

#define RECORD	sizeof(pfm_cgroup_counts_record_t)
#define OFFS	PFM_SINK_REGION_OFFS(1)
#define ROOT	1	/* ID of the root group */

static int cgroup_counts_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_CGROUP_COUNTS_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

static void make(struct kunit *test)
{
	pfm_cgroup_counts_smpl_arg_t arg = {
		.sink.buf_size = OFFS + 4 * RECORD,
	};

	pfm_calls_make(test, &arg);
}

static const pfm_cgroup_counts_record_t *
record_of(const struct pfm_fmt_calls *d)
{
	return d->buf + OFFS;
}

/* Call the handler for a sample with the values of PMD2 and PMD31. */
static void sample(struct kunit *test, u64 pmd2, u64 pmd31)
{
	struct pfm_fmt_calls *d = test->priv;
	struct pfm_ovfl_data data = { .tid = 12, .tgid = 11 };

	d->arg.smpl_pmds[0] = BIT_ULL(2) | BIT_ULL(31) | BIT_ULL(32);
	d->arg.num_smpl_pmds = 3;
	d->arg.smpl_pmds_values[0] = pmd2;
	d->arg.smpl_pmds_values[1] = pmd31;
	d->arg.smpl_pmds_values[2] = 1234;
	d->arg.ovfl_ctrl.val = 0;
	preempt_disable();
	KUNIT_EXPECT_EQ(test, d->fmt->fmt_handler(d->buf, &d->arg, 0, &data),
			0);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, (u32)PFM_OVFL_CTRL_RESET);
}

static void cgroup_counts_adds_up_increases(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	unsigned int i;

	make(test);
	sample(test, 5, 100);
	sample(test, 5, 103);
	sample(test, 12, 104);
	KUNIT_EXPECT_EQ(test, records_of(d), 1);
	KUNIT_EXPECT_EQ(test, record_of(d)->group, ROOT);
	KUNIT_EXPECT_EQ(test, record_of(d)->samples, 3);
	for (i = 0; i < PFM_CGROUP_COUNTS_PMDS; i++)
		KUNIT_EXPECT_EQ(test, record_of(d)->counts[i],
				i == 2 ? 12 : i == 31 ? 104 : 0);
}

static void cgroup_counts_trusts_no_mapped_count(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test);
	sample(test, 5, 0);
	memset(d->buf, 0xff, OFFS + 4 * RECORD);
	sample(test, 6, 0);
	KUNIT_EXPECT_EQ(test, record_of(d)->counts[2], 6);
	KUNIT_EXPECT_EQ(test, record_of(d)->samples, 2);
}

static void cgroup_counts_refuses_bad_groups(struct kunit *test)
{
	pfm_cgroup_counts_smpl_arg_t arg = {
		.sink.buf_size = OFFS + 4 * RECORD,
		.num_groups = PFM_CGROUP_COUNTS_GROUPS + 1,
	};

	KUNIT_EXPECT_EQ(test, pfm_calls_try(test, &arg), -EINVAL);
	pfm_calls_end(test);
	arg.num_groups = 1;
	arg.groups[0] = -1;
	KUNIT_EXPECT_EQ(test, pfm_calls_try(test, &arg),
			IS_ENABLED(CONFIG_CGROUPS) ? -EBADF : -EOPNOTSUPP);
}

static void cgroup_counts_refuses_inheritance(struct kunit *test)
{
	pfm_cgroup_counts_smpl_arg_t arg = {
		.sink.buf_size = OFFS + 4 * RECORD,
	};
	struct pfm_fmt_calls *d = test->priv;

	make(test);
	KUNIT_EXPECT_EQ(test, d->fmt->fmt_init(PFM_FL_INHERIT, &arg, d->buf),
			-EINVAL);
}

static struct kunit_case cgroup_counts_cases[] = {
	KUNIT_CASE(cgroup_counts_adds_up_increases),
	KUNIT_CASE(cgroup_counts_trusts_no_mapped_count),
	KUNIT_CASE(cgroup_counts_refuses_bad_groups),
	KUNIT_CASE(cgroup_counts_refuses_inheritance),
	{}
};

static struct kunit_suite cgroup_counts_suite = {
	.name = "pfm_cgroup_counts",
	.init = cgroup_counts_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = cgroup_counts_cases,
};

kunit_test_suite(cgroup_counts_suite);
