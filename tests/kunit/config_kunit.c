// SPDX-License-Identifier: GPL-2.0
/*
 * config_kunit.c - limits and groups (3.1.16, 3.1.17)
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include "config.h"
#include "pmu.h"

static int config_init(struct kunit *test)
{
	pfarg_config_t *old = kunit_kzalloc(test, sizeof(*old), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, old);
	pfm_config_get(old);
	test->priv = old;
	return 0;
}

static void config_exit(struct kunit *test)
{
	pfm_config_set(test->priv);
}

static void expect_config(struct kunit *test, const pfarg_config_t *expected)
{
	pfarg_config_t now;

	pfm_config_get(&now);
	KUNIT_EXPECT_MEMEQ(test, &now, expected, sizeof(now));
}

static void refuses(struct kunit *test, const pfarg_config_t *req)
{
	KUNIT_EXPECT_EQ(test, pfm_config_set(req), -EINVAL);
	expect_config(test, test->priv);
}

/* Proves 3.1.17-08 */
static void get_config_returns_set_values(struct kunit *test)
{
	pfarg_config_t req = *(pfarg_config_t *)test->priv;

	req.cf_sys_gid = 11;
	req.cf_thread_gid = 12;
	req.cf_arg_size_max = 3 * PAGE_SIZE;
	req.cf_smpl_buf_size_max = ULONG_MAX;
	KUNIT_EXPECT_EQ(test, pfm_config_set(&req), 0);
	expect_config(test, &req);
}

/* Proves 3.1.16-05 */
static void set_config_ignores_implementation_fields(struct kunit *test)
{
	pfarg_config_t req = *(pfarg_config_t *)test->priv;

	req.cf_version = ~0;
	req.cf_counter_width = ~0;
	memset(req.cf_impl_pmcs, 0xff, sizeof(req.cf_impl_pmcs));
	memset(req.cf_impl_pmds, 0xff, sizeof(req.cf_impl_pmds));
	KUNIT_EXPECT_EQ(test, pfm_config_set(&req), 0);
	expect_config(test, test->priv);
}

/* Proves 3.1.16-13, 3.1.16-15 */
static void limits_below_a_page_are_einval(struct kunit *test)
{
	static const u64 sizes[] = { 0, 1, PAGE_SIZE - 1 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		pfarg_config_t req = *(pfarg_config_t *)test->priv;

		req.cf_sys_gid = 11;
		req.cf_arg_size_max = sizes[i];
		refuses(test, &req);
		req.cf_arg_size_max = PAGE_SIZE;
		req.cf_smpl_buf_size_max = sizes[i];
		refuses(test, &req);
	}
}

/* Proves 3.1.17-07, 3.1.17-09 */
static void get_config_describes_pmu(struct kunit *test)
{
	const pfarg_config_t *now = test->priv;
	const struct pfm_pmu *pmu = pfm_pmu_get();
	u16 i;

	KUNIT_ASSERT_NOT_NULL(test, pmu);
	KUNIT_EXPECT_EQ(test, now->cf_version, PFM_VERSION);
	KUNIT_EXPECT_EQ(test, now->cf_counter_width, pmu->counter_width);
	for (i = 0; i < PFM_MAX_PMDS; i++) {
		bool there = pfm_pmu_find(pmu->pmds, pmu->num_pmds, i) >= 0;

		KUNIT_EXPECT_EQ(test, there,
				pfm_bv_isset(now->cf_impl_pmds, i));
	}
	pfm_pmu_put(pmu);
}

static void sysfs_size_is_number_of_at_least_a_page(struct kunit *test)
{
	static const char * const bad[] = {
		"", "\n", "x", "8192x", "-8192", "0", "4095",
		"18446744073709551616",
	};
	unsigned long size = 5;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_EXPECT_EQ_MSG(test, pfm_size_from_text(bad[i], &size),
				    -EINVAL, "'%s'", bad[i]);
		KUNIT_EXPECT_EQ(test, size, 5);
	}
	KUNIT_EXPECT_EQ(test, pfm_size_from_text("8192\n", &size), 0);
	KUNIT_EXPECT_EQ(test, size, 8192);
	KUNIT_EXPECT_EQ(test, pfm_size_from_text("0x10000", &size), 0);
	KUNIT_EXPECT_EQ(test, size, 0x10000);
}

static void sysfs_group_is_number_or_any(struct kunit *test)
{
	static const char * const bad[] = {
		"", "\n", "anyone", "-1", "1 2", "root", "4294967296",
	};
	gid_t gid = 5;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_EXPECT_EQ_MSG(test, pfm_group_from_text(bad[i], &gid),
				    -EINVAL, "'%s'", bad[i]);
		KUNIT_EXPECT_EQ(test, gid, 5);
	}
	KUNIT_EXPECT_EQ(test, pfm_group_from_text("0\n", &gid), 0);
	KUNIT_EXPECT_EQ(test, gid, 0);
	KUNIT_EXPECT_EQ(test, pfm_group_from_text("any\n", &gid), 0);
	KUNIT_EXPECT_EQ(test, gid, PFM_GROUP_ANY);
}

static struct kunit_case config_cases[] = {
	KUNIT_CASE(get_config_returns_set_values),
	KUNIT_CASE(set_config_ignores_implementation_fields),
	KUNIT_CASE(limits_below_a_page_are_einval),
	KUNIT_CASE(get_config_describes_pmu),
	KUNIT_CASE(sysfs_size_is_number_of_at_least_a_page),
	KUNIT_CASE(sysfs_group_is_number_or_any),
	{}
};

static struct kunit_suite config_suite = {
	.name = "pfm_config",
	.init = config_init,
	.exit = config_exit,
	.test_cases = config_cases,
};
kunit_test_suite(config_suite);
