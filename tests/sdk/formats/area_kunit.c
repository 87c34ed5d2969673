// SPDX-License-Identifier: GPL-2.0
/*
 * area_kunit.c - test the KUnit helpers with a format that has a private area,
 * fmt_init and fmt_exit
 */
#include <perfmon/perfmon_fmt_kunit.h>
#include "perfmon_plain_smpl.h"

static int area_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_AREA_SMPL_UUID;

	pfm_area_exits = 0;
	return pfm_calls_init(test, uuid);
}

static bool is_page_aligned(const void *at)
{
	return IS_ALIGNED((unsigned long)at, PAGE_SIZE);
}

static void buffer_and_area_have_exact_sizes(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	pfm_area_smpl_arg_t arg = { .buf_size = 5001, .area_size = 10007 };

	pfm_calls_make(test, &arg);
	KUNIT_EXPECT_EQ(test, d->size, (size_t)5001);
	KUNIT_EXPECT_TRUE(test, is_page_aligned(d->buf));
	KUNIT_EXPECT_TRUE(test, is_page_aligned(pfm_fmt_area(d->buf)));
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, ((u8 *)d->buf)[5000], 1);
	KUNIT_EXPECT_EQ(test, ((u8 *)pfm_fmt_area(d->buf))[10006], 2);
}

static void area_without_buffer_is_rejected(struct kunit *test)
{
	pfm_area_smpl_arg_t arg = { .area_size = 1 };

	KUNIT_EXPECT_EQ(test, pfm_calls_try(test, &arg), -EINVAL);
}

static void exit_is_called_once_per_context(struct kunit *test)
{
	pfm_area_smpl_arg_t arg = { .buf_size = 64, .area_size = 64 };

	pfm_calls_make(test, &arg);
	KUNIT_EXPECT_EQ(test, pfm_area_exits, 0);
	pfm_calls_make(test, &arg);
	KUNIT_EXPECT_EQ(test, pfm_area_exits, 1);
	pfm_calls_end(test);
	pfm_calls_end(test);
	KUNIT_EXPECT_EQ(test, pfm_area_exits, 2);
}

static void exit_is_not_called_after_failed_init(struct kunit *test)
{
	pfm_area_smpl_arg_t arg = { .buf_size = 64, .error = -EDOM };

	KUNIT_EXPECT_EQ(test, pfm_calls_try(test, &arg), -EDOM);
	pfm_calls_end(test);
	KUNIT_EXPECT_EQ(test, pfm_area_exits, 0);
}

static struct kunit_case area_cases[] = {
	KUNIT_CASE(buffer_and_area_have_exact_sizes),
	KUNIT_CASE(area_without_buffer_is_rejected),
	KUNIT_CASE(exit_is_called_once_per_context),
	KUNIT_CASE(exit_is_not_called_after_failed_init),
	{}
};

static struct kunit_suite area_suite = {
	.name = "area",
	.init = area_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = area_cases,
};

kunit_test_suite(area_suite);
