// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * throttle.c - pfm_pmu_throttled counts how often perf throttles counters
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "params.h"
#include "smpl.h"

#define CPU_CLOCK \
	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK)
#define TASK_CLOCK \
	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK)
#define PERIOD		200000	/* ns */
/*
 * A sample rate of only a few samples per tick, which the clocks and page
 * faults of these tests exceed.
 */
#define FEW_SAMPLES	"500"

static struct smpl sample_clock(__u64 pmc)
{
	struct counter c = counter(0, 0, PERIOD);

	c.pmc.reg_value = pmc;
	return smpl_start(&c, smpl_new(0, 1 << 20, 0));
}

static __u64 throttled(const struct smpl *s)
{
	return ctx_number(s->fd, "pfm_pmu_throttled");
}

static void throttle_clock(void *pmc)
{
	struct smpl s = sample_clock(*(const __u64 *)pmc);

	while (throttled(&s) < 3)
		;
	ctx_stop(s.fd);
	/*
	 * Each overflow after which perf has throttled the counter was
	 * recorded.
	 */
	CHECK(s.hdr->hdr_count >= throttled(&s));
	/*
	 * While perf stops the counter, nothing overflows, so perfmon loses
	 * nothing.
	 */
	CHECK(ctx_says(s.fd, "pfm_lost:\t0"));
	/* The overflows did not exceed perfmon's own limit. */
	CHECK(ctx_says(s.fd, "pfm_throttled:\t0"));
}

TEST(throttled_clock_is_reported)
{
	__u64 pmc = CPU_CLOCK;

	with_sample_rate(FEW_SAMPLES, throttle_clock, &pmc);
}

TEST(throttled_thread_clock_is_reported)
{
	__u64 pmc = TASK_CLOCK;

	with_sample_rate(FEW_SAMPLES, throttle_clock, &pmc);
}

TEST(clock_below_the_limit_is_not_throttled)
{
	struct smpl s = sample_clock(CPU_CLOCK);

	while (((volatile typeof(*s.hdr) *)s.hdr)->hdr_count < 100)
		;
	ctx_stop(s.fd);
	CHECK_EQ(throttled(&s), 0);
}

static void sample_faults(void *unused)
{
	struct counter c = counter(0, 0, 1);
	struct smpl s;

	faults_prepare();
	s = smpl_start(&c, smpl_new(0, 1 << 20, 0));
	touch_pages(5000, NULL);
	ctx_stop(s.fd);
	CHECK_EQ(s.hdr->hdr_count, 5000);
	CHECK_EQ(throttled(&s), 0);
}

/*
 * perf throttles a software event only if one occurrence of the event completes
 * more than one period. A page fault never does, because it counts only 1.
 */
TEST(events_of_one_period_are_never_throttled)
{
	with_sample_rate(FEW_SAMPLES, sample_faults, NULL);
}

/*
 * Sample a clock of this thread with perf itself, without perfmon. Return:
 * perf's ring buffer.
 */
static const volatile struct perf_event_mmap_page *perf_clock(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = PERIOD,
	};
	int fd = CHECK_OK(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
	void *ring = mmap(NULL, 2 * sysconf(_SC_PAGESIZE),
			  PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	CHECK(ring != MAP_FAILED);
	return ring;
}

static bool was_throttled(const volatile struct perf_event_mmap_page *ring)
{
	const volatile char *data = (const volatile char *)ring +
				    sysconf(_SC_PAGESIZE);
	const volatile struct perf_event_header *record;

	for (__u64 at = 0; at < ring->data_head; at += record->size) {
		record = (const volatile struct perf_event_header *)(data + at);
		if (record->type == PERF_RECORD_THROTTLE)
			return true;
	}
	return false;
}

static void throttle_perf(void *unused)
{
	const volatile struct perf_event_mmap_page *ring;
	struct counter c = counter(0, 0, 1);
	struct smpl s = smpl_start(&c, smpl_new(0, 1 << 20, 0));

	ring = perf_clock();
	while (!was_throttled(ring))
		;
	CHECK_EQ(throttled(&s), 0);
}

TEST(events_of_perf_itself_are_not_counted)
{
	with_sample_rate(FEW_SAMPLES, throttle_perf, NULL);
}

static void do_nothing(void *unused)
{
}

static void expect_limits_as_before(void *unused)
{
	char rate[64];

	read_text(SAMPLE_RATE, rate, sizeof(rate));
	rate[strcspn(rate, "\n")] = '\0';
	with_sample_rate(FEW_SAMPLES, do_nothing, NULL);
	expect_text(SAMPLE_RATE, rate);
	expect_text(CPU_LIMIT, "10");
}

/* This test checks the harness: with_sample_rate() must restore the limits. */
TEST(limits_are_restored_after_a_test)
{
	with_setting(CPU_LIMIT, "10", expect_limits_as_before, NULL);
}
