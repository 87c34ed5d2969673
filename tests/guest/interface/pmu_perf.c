// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * pmu_perf.c - the perf PMU: overflows that reset other PMDs, overflows that
 *		perf does not report, and periods longer than perf's maximum
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "modules.h"
#include "params.h"
#include "smpl.h"

#define EVENTS		"/sys/kernel/tracing/events/"
#define TIMERS		EVENTS "timer/"
#define CPU_CLOCK \
	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK)
#define MS		1000000ULL

/*
 * A test PMU. Writing a number N to its module parameter "leap" makes N periods
 * pass at once.
 */
#define LEAP		"pfm_perf_leap"
#define LEAP_FILE	"tests/guest/perf_leap/" LEAP ".ko"
#define LEAP_PARAM	"/sys/module/" LEAP "/parameters/"
#define LEAP_TYPE	"/sys/bus/event_source/devices/pfm_leap/type"
#define PERIOD		10

/* Return the PMC value that counts a tracepoint. */
static __u64 tracepoint(const char *id)
{
	return PFM_PERF_EVENT(PERF_TYPE_TRACEPOINT, read_number(id));
}

/* Start a kernel timer @n times. */
static void set_timers(unsigned int n)
{
	const struct itimerspec later = { .it_value.tv_sec = 3600 };
	int timer = CHECK_OK(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));

	while (n--)
		CHECK_OK(timerfd_settime(timer, 0, &later, NULL));
	CHECK_OK(close(timer));
}

static void spin_ns(__u64 ns)
{
	__u64 end = clock_ns(CLOCK_MONOTONIC) + ns;

	while (clock_ns(CLOCK_MONOTONIC) < end)
		;
}

/*
 * A context on this CPU. PMD0 overflows at each hit of a tracepoint, and each
 * of its overflows resets PMD1, which counts a clock.
 */
struct resetter {
	int		fd;
	const volatile pfm_default_smpl_hdr_t *hdr;
	struct counter	clock;
};

static struct resetter reset_clock_at(const char *id, __u64 period, __u64 reset)
{
	struct smpl s = smpl_new(PFM_FL_SYSTEM_WIDE, 1 << 20, 0);
	struct resetter r = { .fd = s.fd, .hdr = s.hdr,
			      .clock = counter(1, 0, period) };
	struct counter event = counter(0, 0, 1);

	event.pmc.reg_value = tracepoint(id);
	event.pmc.reg_reset_pmds[0] = 1 << 1;
	r.clock.pmc.reg_value = CPU_CLOCK;
	r.clock.pmd.reg_short_reset = reset;
	ctx_pin(0);
	counter_write(r.fd, &event);
	counter_write(r.fd, &r.clock);
	ctx_start_on(r.fd, thread_id());
	return r;
}

static bool perf_takes(__u32 type, __u64 config, int cpu)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = type,
					.config = config, .disabled = 1 };
	int fd = syscall(SYS_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, -1,
			 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool context_takes(int fd, __u32 type, __u64 config)
{
	pfarg_pmc_t pmc = { .reg_value = PFM_PERF_EVENT(type, config) };

	if (type == PERF_TYPE_RAW)
		pmc.reg_value = PFM_PERF_RAW | config;
	return !pfm_write_pmcs(fd, &pmc, 1);
}

/*
 * Check that perfmon accepts the events that perf accepts. There are more
 * events than perfmon's cache of accepted events can hold.
 */
static void compare_with_perf(int thread, int cpu)
{
	static const __u32 types[] = { PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE,
				       PERF_TYPE_HW_CACHE, PERF_TYPE_RAW,
				       PERF_TYPE_BREAKPOINT };

	for (unsigned int i = 0; i < ARRAY_SIZE(types); i++)
		for (__u64 id = 0; id < 40; id++) {
			CHECK_EQ(context_takes(thread, types[i], id),
				 perf_takes(types[i], id, -1));
			CHECK_EQ(context_takes(cpu, types[i], id),
				 perf_takes(types[i], id, 0));
		}
}

TEST(pmc_accepts_exactly_what_perf_accepts)
{
	int thread = ctx_new(0), cpu = ctx_new(PFM_FL_SYSTEM_WIDE);

	ctx_pin(0);
	compare_with_perf(thread, cpu);
	compare_with_perf(thread, cpu);
}

static __u64 duration(int fd)
{
	pfarg_setinfo_t info = { .set_id = 0 };

	CHECK_OK(pfm_getinfo_evtsets(fd, &info, 1));
	return info.set_act_duration.tv_sec * 1000 * MS +
	       info.set_act_duration.tv_nsec;
}

/* Use CPU time for a while. Return: how much the thread has used, in ns. */
static __u64 spin(int clock)
{
	__u64 started = thread_clock_ns(clock), used;

	do
		used = thread_clock_ns(clock) - started;
	while (used < 20 * MS);
	return used;
}

/*
 * Count for a while. Check that the set was active as long as the thread ran.
 */
static void expect_time_is_told(int fd)
{
	__u64 before = duration(fd), begin, counted, told, end;
	int clock = thread_clock();

	begin = thread_clock_ns(clock);
	CHECK_OK(pfm_start(fd, NULL));
	counted = spin(clock);
	told = duration(fd) - before;
	end = thread_clock_ns(clock);
	CHECK_OK(pfm_stop(fd));
	CHECK(told + MS > counted);
	CHECK(told < end - begin + MS);
	CHECK(duration(fd) - before >= told);
	CHECK_OK(close(clock));
}

static void write_pmc_stopped(int fd, unsigned int num, __u64 value,
			      __u32 flags)
{
	pfarg_pmc_t pmc = { .reg_num = num, .reg_value = value,
			    .reg_flags = flags };
	__u64 before = duration(fd);

	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	CHECK_EQ(duration(fd), before);
}

TEST(set_duration_is_exact_for_any_events)
{
	int fd = ctx_new(0);

	write_pmc_stopped(fd, 0, CPU_CLOCK, 0);
	write_pmc_stopped(fd, 1, PAGE_FAULTS, 0);
	ctx_load_self(fd);
	expect_time_is_told(fd);
	/* Without PMD0's event, perfmon takes the time from PMD1's event. */
	write_pmc_stopped(fd, 0, PFM_PERF_NONE, 0);
	expect_time_is_told(fd);
	/*
	 * Without any counter, perfmon creates an event of its own for the
	 * time.
	 */
	write_pmc_stopped(fd, 1, PFM_PERF_NONE, 0);
	expect_time_is_told(fd);
	/* perfmon continues to use that event although PMD1 has one again. */
	write_pmc_stopped(fd, 1, PAGE_FAULTS, PFM_REGFL_OVFL_NOTIFY);
	expect_time_is_told(fd);
	CHECK_OK(pfm_unload_context(fd));
	CHECK(duration(fd) > 4 * 16 * MS);
}

TEST(set_duration_survives_switch_to_sampling)
{
	int fd = ctx_new(0);

	write_pmc_stopped(fd, 0, PAGE_FAULTS, 0);
	ctx_load_self(fd);
	expect_time_is_told(fd);
	write_pmc_stopped(fd, 0, PAGE_FAULTS, PFM_REGFL_OVFL_NOTIFY);
	expect_time_is_told(fd);
	write_pmc_stopped(fd, 0, PAGE_FAULTS, 0);
	expect_time_is_told(fd);
}

/*
 * When an overflow masks the context, the set's duration is taken from the time
 * that perf keeps for the event.
 */
TEST(set_duration_ends_when_overflow_masks)
{
	int fd = ctx_notifying(0, 1), clock = thread_clock();
	__u64 begin = thread_clock_ns(clock), counted, told, end;

	ctx_start_self(fd);
	counted = spin(clock);
	touch_pages(1, NULL);
	end = thread_clock_ns(clock);
	spin(clock);
	told = duration(fd);
	CHECK(told + MS > counted);
	CHECK(told < end - begin + MS);
	ctx_stop(fd);
	CHECK_EQ(duration(fd), told);
	CHECK_OK(close(clock));
}

/* A time in ns that is longer than any test. */
#define HOUR	(3600 * 1000 * (__s64)MS)

/*
 * At this tracepoint, the kernel holds the lock of the timers. Resetting the
 * clock also starts a timer, which hits the tracepoint again. This must not
 * recurse endlessly. The kernel itself also starts some timers in each tick, so
 * there may be more samples than timers of this test.
 */
TEST(clock_reset_in_hrtimer_start_is_safe)
{
	struct resetter r = reset_clock_at(TIMERS "hrtimer_start/id", HOUR,
					   -2 * HOUR);

	set_timers(100);
	ctx_stop(r.fd);
	/*
	 * The clock was reset to minus two hours, less than an hour ago.
	 */
	CHECK((__s64)ctx_read(r.fd, 1) < -HOUR);
	CHECK(r.hdr->hdr_count >= 100);
	/* An endless recursion would have filled the buffer. */
	CHECK_EQ(r.hdr->hdr_overflows, 0);
}

TEST(clock_reset_to_0_in_timer_expiry_is_safe)
{
	struct resetter r = reset_clock_at(TIMERS "hrtimer_expire_entry/id",
					   MS / 10, 0);

	for (unsigned int i = 0; i < 100; i++) {
		__u64 before = r.hdr->hdr_count;

		while (r.hdr->hdr_count == before)
			;
		ctx_stop(r.fd);
		/* The clock was reset, and is counting. */
		CHECK((__s64)ctx_read(r.fd, 1) >= 0);
		CHECK_OK(pfm_write_pmds(r.fd, &r.clock.pmd, 1));
		CHECK_OK(pfm_start(r.fd, NULL));
	}
}

static struct counter leaping(unsigned int n, __u64 period)
{
	struct counter c = counter(n, 0, period);

	if (!exists(LEAP_TYPE))
		CHECK_OK(module_insert(LEAP_FILE));
	c.pmc.reg_value = PFM_PERF_EVENT(read_number(LEAP_TYPE), 0);
	return c;
}

static void leap(unsigned int periods)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", periods);
	write_text(LEAP_PARAM "leap", text);
}

/* Start a context on this CPU with the counter @c of the test PMU. */
static struct smpl sample_leaps(struct counter *c)
{
	struct smpl s = smpl_new(PFM_FL_SYSTEM_WIDE, 1 << 20, 0);

	ctx_pin(0);
	counter_write(s.fd, c);
	ctx_start_on(s.fd, thread_id());
	return s;
}

/* Proves 3.4.1-09 */
TEST(period_can_exceed_the_perf_maximum)
{
	struct counter c = leaping(0, PERIOD);
	struct smpl s;

	/*
	 * perf needs three of its periods for this one: two of the maximum
	 * length, and one for the rest.
	 */
	c.pmd.reg_value = 5;
	s = sample_leaps(&c);
	for (unsigned int i = 0; i < 2; i++) {
		leap(1);
		CHECK_EQ(s.hdr->hdr_count, 0);
	}
	CHECK(ctx_read(s.fd, 0) > 1ULL << 63);
	leap(1);
	CHECK_EQ(s.hdr->hdr_count, 1);
	CHECK_EQ(ctx_read(s.fd, 0), -PERIOD);
	leap(1);
	CHECK_EQ(s.hdr->hdr_count, 2);
	CHECK(ctx_says(s.fd, "pfm_lost:\t0"));
}

TEST(counter_reset_to_0_keeps_counting)
{
	struct counter c = leaping(0, PERIOD);
	struct smpl s;

	c.pmd.reg_short_reset = 0;
	s = sample_leaps(&c);
	leap(1);
	CHECK_EQ(s.hdr->hdr_count, 1);
	CHECK_EQ(ctx_read(s.fd, 0), 0);
	leap(1);
	CHECK_EQ(s.hdr->hdr_count, 1);
	/* The second leap was a period of the maximum length. */
	CHECK_EQ(ctx_read(s.fd, 0), (1ULL << 63) - 16);
}

TEST(unreported_perf_periods_count_as_lost)
{
	struct counter c = leaping(0, PERIOD);
	struct smpl s = sample_leaps(&c);

	leap(1);
	leap(5);
	CHECK_EQ(s.hdr->hdr_count, 2);
	CHECK_EQ(ctx_read(s.fd, 0), -PERIOD);
	CHECK(ctx_says(s.fd, "pfm_lost:\t4"));
	leap(1);
	CHECK_EQ(s.hdr->hdr_count, 3);
	CHECK(ctx_says(s.fd, "pfm_lost:\t4"));
}

/*
 * An overflow of counter 0 resets counter 1. The two overflow in separate
 * interrupts.
 */
TEST(counter_reset_by_another_gets_full_period)
{
	struct counter c = leaping(1, 1000);
	struct counter faults = counter(0, 0, 1);
	struct smpl s = smpl_new(PFM_FL_SYSTEM_WIDE, 1 << 20, 0);
	unsigned int samples;

	faults_prepare();
	ctx_pin(0);
	faults.pmc.reg_reset_pmds[0] = 1 << 1;
	counter_write(s.fd, &faults);
	c.pmd.reg_short_reset = -PERIOD;
	counter_write(s.fd, &c);
	ctx_start_on(s.fd, thread_id());
	touch_pages(1, NULL);
	CHECK_EQ(ctx_read(s.fd, 1), -PERIOD);
	samples = s.hdr->hdr_count;
	for (unsigned int i = 1; i <= 3; i++) {
		leap(1);
		CHECK_EQ(s.hdr->hdr_count, samples + i);
		CHECK_EQ(ctx_read(s.fd, 1), -PERIOD);
	}
}

/*
 * An overflow of one PMU must not read the counters of another PMU, because the
 * other PMU's driver may be holding a lock that the read takes.
 */
TEST(overflow_does_not_read_foreign_pmus)
{
	struct counter c = leaping(1, 0);
	struct counter faults = counter(0, 0, 1);
	struct smpl s = smpl_new(PFM_FL_SYSTEM_WIDE, 1 << 20, 0);
	long reads;

	faults_prepare();
	ctx_pin(0);
	faults.pmc.reg_smpl_pmds[0] = 1 << 1;
	faults.pmc.reg_reset_pmds[0] = 1 << 1;
	counter_write(s.fd, &faults);
	counter_write(s.fd, &c);
	ctx_start_on(s.fd, thread_id());
	reads = read_number(LEAP_PARAM "reads");
	touch_pages(100, NULL);
	CHECK(s.hdr->hdr_count >= 100);
	CHECK_EQ(read_number(LEAP_PARAM "reads"), reads);
	/* A command may read the event. */
	ctx_read(s.fd, 1);
	CHECK(read_number(LEAP_PARAM "reads") > reads);
}

TEST(released_event_is_no_longer_referenced)
{
	struct counter c = leaping(0, PERIOD);
	struct smpl s = sample_leaps(&c);

	ctx_stop(s.fd);
	CHECK_OK(pfm_write_pmcs(s.fd, &c.pmc, 1));
	CHECK_OK(close(s.fd));
	CHECK_EQ(read_number(LEAP_PARAM "found"), 0);
}

/*
 * Return whether throttled software events keep counting. Since 6.16, perf
 * stops all events that it throttles, not only hardware events.
 */
static bool counts_while_throttled(void)
{
	unsigned int major, minor;
	struct utsname uts;

	CHECK_OK(uname(&uts));
	CHECK(sscanf(uts.release, "%u.%u", &major, &minor) == 2);
	return major < 6 || (major == 6 && minor < 16);
}

/*
 * Each hit of this tracepoint adds a thread's run time to the count. perf
 * reports the completed periods one by one until their rate exceeds its limit
 * of 100,000 per second, a tenth of the rate here.
 */
static void count_run_time(void *unused)
{
	struct smpl s = smpl_new(PFM_FL_SYSTEM_WIDE, 1 << 20, 0);
	struct counter time = counter(0, 0, 1000);
	struct counter all = counter(1, 0, 0);
	__u64 counted, value, known;

	time.pmc.reg_value = tracepoint(EVENTS "sched/sched_stat_runtime/id");
	all.pmc.reg_value = time.pmc.reg_value;
	ctx_pin(0);
	counter_write(s.fd, &time);
	counter_write(s.fd, &all);
	ctx_start_on(s.fd, thread_id());
	/*
	 * Retry if the last hit added most of the time, because its periods may
	 * not have been reported yet.
	 */
	do {
		CHECK_OK(pfm_start(s.fd, NULL));
		spin_ns(200 * MS);
		ctx_stop(s.fd);
		value = ctx_read(s.fd, 0);
		counted = ctx_read(s.fd, 1);
	} while (!ctx_number(s.fd, "pfm_lost") ||
		 (__s64)value >= (__s64)(counted / 2));
	known = s.hdr->hdr_count + ctx_number(s.fd, "pfm_lost");
	CHECK(ctx_number(s.fd, "pfm_pmu_throttled") > 0);
	/*
	 * Allow a difference, because the two counters do not stop at the same
	 * time.
	 */
	CHECK(known > (counted - value) / 1100 || !counts_while_throttled());
	CHECK(known < counted / 900);
	CHECK((__s64)value < (__s64)(counted / 2));
}

TEST(periods_of_one_event_are_reported_or_lost)
{
	with_sample_rate("100000", count_run_time, NULL);
}
