// SPDX-License-Identifier: GPL-2.0
/*
 * beyond_kunit.c - test that KASAN reports a write of one byte out of bounds
 */
#include <perfmon/perfmon_fmt_kunit.h>
#include "perfmon_plain_smpl.h"

static int beyond_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_AREA_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

static void writes_behind(struct kunit *test, u32 beyond)
{
	pfm_area_smpl_arg_t arg = { .buf_size = 5001, .area_size = 10007,
				    .beyond = beyond };

	pfm_calls_make(test, &arg);
	pfm_calls_sample(test->priv, 1, 0);
}

static void writes_behind_the_buffer(struct kunit *test)
{
	writes_behind(test, 1);
}

static void writes_behind_the_area(struct kunit *test)
{
	writes_behind(test, 2);
}

static struct kunit_case beyond_cases[] = {
	KUNIT_CASE(writes_behind_the_buffer),
	KUNIT_CASE(writes_behind_the_area),
	{}
};

static struct kunit_suite beyond_suite = {
	.name = "beyond",
	.init = beyond_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = beyond_cases,
};

kunit_test_suite(beyond_suite);
