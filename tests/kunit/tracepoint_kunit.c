// SPDX-License-Identifier: GPL-2.0
/*
 * tracepoint_kunit.c - find the kernel's tracepoints by name
 */
#include <kunit/test.h>
#include <linux/tracepoint.h>
#include "tracepoint.h"

static void tracepoint_is_found_by_name(struct kunit *test)
{
	/* The names of tracepoints that the core uses. */
	static const char * const names[] = {
		"sched_process_exit", "sched_process_exec", "sched_switch",
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct tracepoint *found = pfm_find_tracepoint(names[i]);

		KUNIT_ASSERT_NOT_NULL(test, found);
		KUNIT_EXPECT_STREQ(test, found->name, names[i]);
	}
}

static void tracepoint_lookup_needs_full_name(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, pfm_find_tracepoint("sched_process_exi"));
	KUNIT_EXPECT_NULL(test, pfm_find_tracepoint("sched_process_exit2"));
	KUNIT_EXPECT_NULL(test, pfm_find_tracepoint(""));
}

static struct kunit_case tracepoint_cases[] = {
	KUNIT_CASE(tracepoint_is_found_by_name),
	KUNIT_CASE(tracepoint_lookup_needs_full_name),
	{}
};

static struct kunit_suite tracepoint_suite = {
	.name = "pfm_tracepoint",
	.test_cases = tracepoint_cases,
};
kunit_test_suite(tracepoint_suite);
