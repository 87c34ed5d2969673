// SPDX-License-Identifier: GPL-2.0
/*
 * proc_kunit.c - read files from the core's private procfs mount
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include "proc.h"

static void proc_read_int_reads_number(struct kunit *test)
{
	int value = 0;

	KUNIT_EXPECT_EQ(test, pfm_proc_read_int("sys/kernel/ngroups_max",
						&value), 0);
	KUNIT_EXPECT_EQ(test, value, NGROUPS_MAX);
}

static void proc_read_int_refuses_other_content(struct kunit *test)
{
	int value = 77;

	KUNIT_EXPECT_EQ(test, pfm_proc_read_int("version", &value), -EINVAL);
	KUNIT_EXPECT_EQ(test, pfm_proc_read_int("nothing", &value), -ENOENT);
	KUNIT_EXPECT_EQ(test, value, 77);
}

static void proc_may_open_checks_thread_files(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pfm_proc_may_open("1/maps"), 0);
	KUNIT_EXPECT_EQ(test, pfm_proc_may_open("1/map"), -ENOENT);
	KUNIT_EXPECT_EQ(test, pfm_proc_may_open("0/maps"), -ENOENT);
}

static struct kunit_case proc_cases[] = {
	KUNIT_CASE(proc_read_int_reads_number),
	KUNIT_CASE(proc_read_int_refuses_other_content),
	KUNIT_CASE(proc_may_open_checks_thread_files),
	{}
};

static struct kunit_suite proc_suite = {
	.name = "pfm_proc",
	.test_cases = proc_cases,
};
kunit_test_suite(proc_suite);
