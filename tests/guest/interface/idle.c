// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * idle.c - excluding the idle thread (3.1.10)
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "smpl.h"

#define PERIOD		1000000	/* ns */
#define IDLE_TICKS	20

/* Return how many ticks of 10 ms CPU 0 has been idle. */
static unsigned long idle_ticks(void)
{
	unsigned long ticks;
	FILE *file = fopen("/proc/stat", "re");

	CHECK(file);
	CHECK_EQ(fscanf(file, "%*[^\n] cpu0 %*u %*u %*u %lu", &ticks), 1);
	fclose(file);
	return ticks;
}

static void be_idle(void)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	unsigned long begin = idle_ticks();

	/* Sleep because the idle thread is measured. */
	while (idle_ticks() < begin + IDLE_TICKS)
		CHECK_OK(nanosleep(&pause, NULL));
}

/*
 * Sample the time of a mostly idle CPU. Return: the number of samples of the
 * idle thread.
 */
static unsigned int sample_idleness(__u32 set_flags)
{
	struct smpl s = smpl_new(PFM_FL_SYSTEM_WIDE, 1 << 20, 0);
	struct counter c = counter(0, 0, PERIOD);
	unsigned int idle = 0;

	c.pmc.reg_value = PFM_PERF_EVENT(PERF_TYPE_SOFTWARE,
					 PERF_COUNT_SW_CPU_CLOCK);
	ctx_create_set(s.fd, 0, set_flags);
	counter_write(s.fd, &c);
	ctx_pin(0);
	ctx_start_on(s.fd, thread_id());
	be_idle();
	/* Other threads are sampled in any case. */
	while (((volatile typeof(*s.hdr) *)s.hdr)->hdr_count == 0)
		;
	ctx_stop(s.fd);
	for (unsigned int i = 0; i < s.hdr->hdr_count; i++)
		idle += !smpl_entry(&s, i, 0)->pid;
	close(s.fd);
	return idle;
}

/* Proves 3.1.10-06 */
TEST(the_idle_thread_can_be_excluded)
{
	CHECK(sample_idleness(0) > 0);
	CHECK_EQ(sample_idleness(PFM_SETFL_EXCL_IDLE), 0);
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
