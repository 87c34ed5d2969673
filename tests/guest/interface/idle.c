// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * idle.c - excluding the idle thread (3.1.10)
 */
#define _GNU_SOURCE
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"

/*
 * Return the nanoseconds that a system-wide context counts on a mostly idle
 * CPU.
 */
static __u64 count_idleness(__u32 set_flags, __u64 *elapsed)
{
	struct timespec pause = { .tv_nsec = 200000000 };
	pfarg_pmc_t pmc = {
		.reg_value = PFM_PERF_EVENT(PERF_TYPE_SOFTWARE,
					    PERF_COUNT_SW_CPU_CLOCK),
	};
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);
	__u64 before, counted;

	ctx_create_set(fd, 0, set_flags);
	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	ctx_pin(0);
	ctx_start_on(fd, thread_id());
	before = clock_ns(CLOCK_MONOTONIC);
	CHECK_OK(nanosleep(&pause, NULL));
	*elapsed = clock_ns(CLOCK_MONOTONIC) - before;
	ctx_stop(fd);
	counted = ctx_read_set(fd, 0, 0);
	close(fd);
	return counted;
}

/* Proves 3.1.10-06 */
TEST(the_idle_thread_can_be_excluded)
{
	__u64 elapsed, all;

	/* The event uses a different clock than this thread. */
	all = count_idleness(0, &elapsed);
	CHECK(all > elapsed / 2);
	CHECK(count_idleness(PFM_SETFL_EXCL_IDLE, &elapsed) < elapsed / 2);
}

/* Proves 3.1.10-07 */
TEST(excl_idle_is_ignored_for_threads)
{
	int fd = ctx_new(0);

	ctx_create_set(fd, 0, PFM_SETFL_EXCL_IDLE);
	ctx_add_set_counter(fd, 0, 0, 0, 0, 0);
	ctx_start_self(fd);
	touch_pages(10, NULL);
	ctx_stop(fd);
	CHECK_EQ(ctx_read_set(fd, 0, 0), 10);
	CHECK_EQ(ctx_set_info(fd, 0).set_flags, PFM_SETFL_EXCL_IDLE);
}
