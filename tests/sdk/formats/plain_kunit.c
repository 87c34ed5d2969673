// SPDX-License-Identifier: GPL-2.0
/*
 * plain_kunit.c - test the KUnit helpers with a format that has only a handler
 */
#include <perfmon/perfmon_fmt_kunit.h>
#include "perfmon_plain_smpl.h"

static int plain_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_PLAIN_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

static void missing_callbacks_are_not_called(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	pfm_calls_make(test, NULL);
	KUNIT_EXPECT_PTR_EQ(test, d->buf, NULL);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 1, 2), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, (u32)PFM_OVFL_CTRL_RESET);
}

static void restart_without_callback_resumes(struct kunit *test)
{
	pfm_calls_make(test, NULL);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, false),
			(u32)PFM_OVFL_CTRL_RESET);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, true), 0U);
}

static struct kunit_case plain_cases[] = {
	KUNIT_CASE(missing_callbacks_are_not_called),
	KUNIT_CASE(restart_without_callback_resumes),
	{}
};

static struct kunit_suite plain_suite = {
	.name = "plain",
	.init = plain_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = plain_cases,
};

kunit_test_suite(plain_suite);
