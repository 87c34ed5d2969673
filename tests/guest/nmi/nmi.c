// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * nmi.c - overflows in NMIs, one at a time
 */
#define _GNU_SOURCE
#include <string.h>
#include <time.h>

#include "check.h"
#include "ctx.h"
#include "params.h"
#include "rig.h"
#include "smpl.h"

#define CLOCK_PERIOD	200000		/* ns */
#define A_WHILE		20000000	/* ns */
#define MOST_TIME	10000000000ULL	/* ns */
#define NOTIFY		PFM_REGFL_OVFL_NOTIFY
#define FAR		1000000000000	/* ns */
#define TASK_CLOCK \
	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK)
#define CPU_CLOCK \
	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK)

/*
 * Create a context with a default format buffer for @entries entries with @pmds
 * values each.
 */
static struct smpl buffer(unsigned int entries, unsigned int pmds)
{
	rig_need();
	return smpl_new_for(0, entries + 1, pmds);
}

/* Load the context on this thread and start it, on CPU 0. */
static void start_here(int fd)
{
	ctx_pin(0);
	ctx_start_on(fd, thread_id());
}

static void spin(__u64 ns)
{
	__u64 start = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) - start < ns)
		;
}

/* All NMIs are received. They are counted only while a counter is active. */
TEST(every_nmi_is_received)
{
	struct rig_stats s;

	rig_need();
	s = rig_stats();
	rig_fire(100);
	s = rig_since(s);
	CHECK_EQ(s.sent, 100);
	CHECK_EQ(s.received, 100);
	CHECK_EQ(s.idle, 100);
	CHECK_EQ(s.reported, 0);
}

static void demand_nmis(void *unused)
{
	rig_rate(RIG_FASTEST);
}

TEST(nmis_end_with_the_process_that_demands_them)
{
	struct smpl s = buffer(40, 0);
	struct rig_stats stats;

	rig_add_counter(s.fd, 0, 0, 0);
	start_here(s.fd);
	reap(spawn(demand_nmis, NULL));
	stats = rig_stats();
	spin(A_WHILE);
	CHECK_EQ(rig_since(stats).sent, 0);
}

TEST(each_period_of_nmis_is_a_sample)
{
	struct smpl s = buffer(40, 0);
	struct rig_stats stats;

	rig_add_counter(s.fd, 0, 0, 5);
	start_here(s.fd);
	stats = rig_stats();
	rig_fire(103);
	stats = rig_since(stats);
	ctx_stop(s.fd);
	CHECK_EQ(stats.idle, 0);
	CHECK_EQ(stats.reported, 20);
	CHECK_EQ(s.hdr->hdr_count, 20);
	CHECK_EQ(ctx_read(s.fd, 0), -5ULL + 3);
}

/* Two counters overflow in the same NMI and share one message. */
/* Proves 3.4.3-03, 3.4.3-06 */
TEST(counters_of_one_nmi_share_one_message)
{
	pfm_msg_t msg;
	int fd;

	rig_need();
	fd = ctx_new(0);
	rig_add_counter(fd, 0, PFM_REGFL_OVFL_NOTIFY, 5);
	rig_add_counter(fd, 1, PFM_REGFL_OVFL_NOTIFY, 5);
	start_here(fd);
	for (unsigned int i = 0; i < 10; i++) {
		rig_fire(5);
		msg = ctx_next_message(fd);
		CHECK_EQ(msg.msg_type, PFM_MSG_OVFL);
		CHECK_EQ(msg.ovfl.msg_ovfl_pmds[0], 0x3);
		CHECK(ctx_says(fd, "pfm_lost:\t0"));
		CHECK_OK(pfm_restart(fd));
	}
	ctx_expect_no_message(fd);
}

/* Proves 3.5.14-07, 3.5.14-08 */
TEST(counters_of_one_nmi_share_one_time_stamp)
{
	struct smpl s = buffer(80, 0);

	rig_add_counter(s.fd, 0, 0, 5);
	rig_add_counter(s.fd, 1, 0, 10);
	start_here(s.fd);
	rig_fire(100);
	ctx_stop(s.fd);
	CHECK_EQ(s.hdr->hdr_count, 30);
	for (unsigned int i = 0; i < 30; i += 3) {
		const pfm_default_smpl_entry_t *e = smpl_entry(&s, i, 0);

		CHECK_EQ(e[0].ovfl_pmd, 0);
		CHECK_EQ(e[1].ovfl_pmd, 0);
		CHECK_EQ(e[2].ovfl_pmd, 1);
		CHECK(e[0].tstamp < e[1].tstamp);
		CHECK_EQ(e[1].tstamp, e[2].tstamp);
	}
	CHECK_EQ(ctx_read(s.fd, 0), -5ULL);
	CHECK_EQ(ctx_read(s.fd, 1), -10ULL);
	CHECK(ctx_says(s.fd, "pfm_lost:\t0"));
}

/* A limit on samples per second, which allows two samples per tick. */
#define FEW_SAMPLES	"500"

static void be_throttled(void *unused)
{
	struct smpl s = buffer(4000, 0);
	struct rig_stats stats = rig_stats();
	__u64 samples;

	rig_add_counter(s.fd, 0, 0, 2);
	start_here(s.fd);
	for (unsigned int i = 0; i < 3; i++) {
		while (rig_since(stats).throttled == i)
			rig_fire(10);
		/* The counter resumes at the next tick. */
		samples = s.hdr->hdr_count;
		while (s.hdr->hdr_count == samples)
			rig_fire(1);
	}
	ctx_stop(s.fd);
	stats = rig_since(stats);
	CHECK_EQ(s.hdr->hdr_count + ctx_number(s.fd, "pfm_lost"),
		 stats.reported);
	CHECK_EQ(ctx_number(s.fd, "pfm_pmu_throttled"), stats.throttled);
	CHECK(ctx_read(s.fd, 0) >= -2ULL);
}

TEST(throttled_counter_resumes_after_a_tick)
{
	rig_need();
	with_sample_rate(FEW_SAMPLES, be_throttled, NULL);
}

/*
 * The PMU refuses the period of the counter as too short, so it reports an
 * overflow only after a longer one. The counter's periods that ended before the
 * report are counted as lost.
 */
TEST(too_short_period_is_reported_late)
{
	struct smpl s = buffer(40, 0);

	rig_set("shortest", 8);
	rig_add_counter(s.fd, 0, 0, 5);
	start_here(s.fd);
	rig_set("shortest", 0);
	rig_fire(100);
	ctx_stop(s.fd);
	CHECK_EQ(s.hdr->hdr_count, 10);
	CHECK_EQ(ctx_number(s.fd, "pfm_lost"), 10);
	CHECK_EQ(ctx_read(s.fd, 0), -5ULL);
}

/* Events beyond the end of a period count toward the next period. */
TEST(overshoot_counts_toward_the_next_period)
{
	struct smpl s = buffer(40, 0);
	struct counter c;

	c = rig_counter(0, 0, 5);
	c.pmc.reg_value = rig_event(3);
	counter_write(s.fd, &c);
	start_here(s.fd);
	rig_fire(50);
	ctx_stop(s.fd);
	CHECK_EQ(s.hdr->hdr_count, 30);
	CHECK_EQ(ctx_read(s.fd, 0), -5ULL);
}

TEST(samples_have_the_address_of_the_nmi)
{
	struct smpl s = buffer(1000, 0);
	struct counter c = rig_counter(0, 0, 1);
	extern const char __executable_start[], etext[];

	c.pmc.reg_value |= PFM_PERF_EXCL_KERNEL;
	counter_write(s.fd, &c);
	start_here(s.fd);
	rig_fire(5);
	CHECK_EQ(s.hdr->hdr_count, 0);
	/*
	 * Repeat, because all NMIs may arrive before the thread is in user
	 * space.
	 */
	while (!s.hdr->hdr_count)
		rig_fire_at_user(1000);
	ctx_stop(s.fd);
	for (unsigned int i = 0; i < s.hdr->hdr_count; i++) {
		const pfm_default_smpl_entry_t *e = smpl_entry(&s, i, 0);

		CHECK_EQ(e->pid, thread_id());
		CHECK(e->ip >= (uintptr_t)__executable_start &&
		      e->ip < (uintptr_t)etext);
	}
}

/*
 * Add counter 0. It excludes the kernel, but also counts NMIs that arrive in
 * the kernel. This imitates skid: the interrupt of an event in user space can
 * arrive after the thread has entered the kernel.
 */
static void add_skidding_counter(int fd, __u64 period)
{
	struct counter c = rig_counter(0, 0, period);

	c.pmc.reg_value |= PFM_PERF_EXCL_KERNEL | RIG_SKID;
	counter_write(fd, &c);
}

static void expect_samples_of_user_level(const struct smpl *s)
{
	for (unsigned int i = 0; i < s->hdr->hdr_count; i++)
		CHECK((__s64)smpl_entry(s, i, 0)->ip > 0);
}

TEST(late_user_samples_have_user_addresses)
{
	struct smpl s = buffer(40, 0);

	add_skidding_counter(s.fd, 5);
	start_here(s.fd);
	rig_fire(103);
	ctx_stop(s.fd);
	CHECK_EQ(s.hdr->hdr_count, 20);
	expect_samples_of_user_level(&s);
	CHECK_EQ(ctx_read(s.fd, 0), -5ULL + 3);
}

/*
 * While CPU 1 is idle or runs a kernel thread, such as that of the test PMU, a
 * sample cannot have a user address. Such a sample is counted as lost.
 */
TEST(user_samples_in_kernel_threads_are_lost)
{
	struct rig_stats stats;
	struct smpl s;

	rig_need();
	s = smpl_new_for(PFM_FL_SYSTEM_WIDE, 1000, 0);
	add_skidding_counter(s.fd, 5);
	ctx_pin(1);
	ctx_start_on(s.fd, thread_id());
	stats = rig_stats();
	ctx_pin(0);
	do
		rig_fire_at_cpu(1, 103);
	while (!ctx_number(s.fd, "pfm_lost"));
	stats = rig_since(stats);
	ctx_pin(1);
	ctx_stop(s.fd);
	CHECK_EQ(stats.reported, stats.received / 5);
	CHECK_EQ(s.hdr->hdr_count + ctx_number(s.fd, "pfm_lost"),
		 stats.reported);
	expect_samples_of_user_level(&s);
	CHECK_EQ(ctx_read(s.fd, 0), -5ULL + stats.received % 5);
}

/*
 * While it is muted, the test PMU does not report overflows. The next overflow
 * that is reported shows how many periods were missed.
 */
TEST(muted_periods_count_as_lost)
{
	struct smpl s = buffer(40, 0);

	rig_add_counter(s.fd, 0, 0, 5);
	start_here(s.fd);
	rig_fire(5);
	rig_set("mute", 1);
	rig_fire(16);
	rig_set("mute", 0);
	CHECK_EQ(s.hdr->hdr_count, 1);
	rig_fire(6);
	ctx_stop(s.fd);
	CHECK_EQ(s.hdr->hdr_count, 2);
	CHECK_EQ(ctx_number(s.fd, "pfm_lost"), 3);
	CHECK_EQ(ctx_read(s.fd, 0), -5ULL + 2);
}

static void start_set(int fd, unsigned int id)
{
	CHECK_OK(pfm_start(fd, &(pfarg_start_t){ .start_set = id }));
}

/*
 * Counter 0 of set 0 counts nine events per NMI. Let it count all but the last
 * two events of a period of 101. Then switch to another set and back.
 */
static void begin_rest(const struct smpl *s)
{
	struct counter c = rig_counter(0, 0, 101);

	c.pmc.reg_value = rig_event(9);
	counter_write(s->fd, &c);
	ctx_create_set(s->fd, 1, 0);
	start_here(s->fd);
	rig_fire(11);
	ctx_stop(s->fd);
	CHECK_EQ(ctx_read(s->fd, 0), -2ULL);
	start_set(s->fd, 1);
	ctx_stop(s->fd);
	start_set(s->fd, 0);
}

TEST(late_rest_of_a_period_counts_as_one_period)
{
	struct smpl s = buffer(40, 0);

	begin_rest(&s);
	rig_fire(1);
	CHECK_EQ(s.hdr->hdr_count, 1);
	CHECK(ctx_says(s.fd, "pfm_lost:\t0"));
	CHECK_EQ(ctx_read(s.fd, 0), -101ULL);
	/* The next period is counted in full. */
	rig_fire(11);
	CHECK_EQ(s.hdr->hdr_count, 1);
	rig_fire(1);
	ctx_stop(s.fd);
	CHECK_EQ(s.hdr->hdr_count, 2);
	CHECK(ctx_says(s.fd, "pfm_lost:\t0"));
}

TEST(full_periods_after_a_rest_count_as_lost)
{
	struct smpl s = buffer(40, 0);

	begin_rest(&s);
	rig_set("mute", 1);
	rig_fire(50);
	rig_set("mute", 0);
	CHECK_EQ(s.hdr->hdr_count, 0);
	rig_fire(1);
	ctx_stop(s.fd);
	CHECK_EQ(s.hdr->hdr_count, 1);
	CHECK_EQ(ctx_number(s.fd, "pfm_lost"), (51 * 9 - 2) / 101);
}

/* Proves 3.5.14-03 */
TEST(counters_wrapping_in_one_nmi_share_a_time_stamp)
{
	struct smpl s = buffer(40, 0);

	for (unsigned int n = 0; n < 3; n++)
		rig_add_counter(s.fd, n, 0, 4);
	start_here(s.fd);
	rig_fire(8);
	ctx_stop(s.fd);
	CHECK_EQ(s.hdr->hdr_count, 6);
	for (unsigned int i = 0; i < 6; i++) {
		const pfm_default_smpl_entry_t *e = smpl_entry(&s, i, 0);

		CHECK_EQ(e->ovfl_pmd, i % 3);
		CHECK_EQ(e->tstamp, smpl_entry(&s, i - i % 3, 0)->tstamp);
	}
	CHECK(ctx_says(s.fd, "pfm_lost:\t0"));
}

/* Proves 3.4.3-06 */
TEST(counters_wrapping_in_one_nmi_share_a_message)
{
	pfm_msg_t msg;
	int fd;

	rig_need();
	fd = ctx_new(0);
	for (unsigned int n = 0; n < 3; n++)
		rig_add_counter(fd, n, NOTIFY, 4);
	start_here(fd);
	for (int round = 0; round < 3; round++) {
		rig_fire(4);
		msg = ctx_next_message(fd);
		CHECK_EQ(msg.msg_type, PFM_MSG_OVFL);
		CHECK_EQ(msg.ovfl.msg_ovfl_pmds[0], 7);
		ctx_expect_state(fd, "masked");
		rig_fire(7);
		for (unsigned int n = 0; n < 3; n++)
			CHECK_EQ(ctx_read(fd, n), 0);
		CHECK_OK(pfm_restart(fd));
	}
	CHECK(ctx_says(fd, "pfm_lost:\t0"));
	ctx_expect_no_message(fd);
}

/*
 * The samples record another counter, a clock, and a PMD that is not a counter.
 */
TEST(handler_reads_pmds_in_the_nmi)
{
	struct smpl s = buffer(40, 3);
	struct counter c = rig_counter(0, 0, 2);
	struct counter clock = counter(2, 0, 0);
	__u64 last = 0;

	clock.pmc.reg_value = CPU_CLOCK;
	pfm_bv_set(c.pmc.reg_smpl_pmds, 1);
	pfm_bv_set(c.pmc.reg_smpl_pmds, 2);
	pfm_bv_set(c.pmc.reg_smpl_pmds, PFM_PMD_TID);
	counter_write(s.fd, &c);
	counter_write(s.fd, &clock);
	rig_add_counter(s.fd, 1, 0, 0);
	start_here(s.fd);
	for (unsigned int i = 0; i < 20; i++) {
		/* An emulated CPU's clock may stop until the next tick. */
		spin(1000);
		rig_fire(2);
	}
	ctx_stop(s.fd);
	CHECK_EQ(s.hdr->hdr_count, 20);
	for (unsigned int i = 0; i < 20; i++) {
		const __u64 *values = smpl_values(smpl_entry(&s, i, 3));

		CHECK_EQ(values[0], 2 * (i + 1));
		CHECK(values[1] > last);
		CHECK_EQ(values[2], thread_id());
		last = values[1];
	}
}

/*
 * Let an NMI reset a sampling clock to @reset, either 0 or a negative period.
 */
static void reset_a_clock(__u64 reset)
{
	struct counter clock = counter(1, 0, CLOCK_PERIOD);
	struct counter c = rig_counter(0, 0, 1);
	struct smpl s = buffer(10000, 0);
	__u64 before;

	clock.pmc.reg_value = CPU_CLOCK;
	clock.pmd.reg_short_reset = reset;
	clock.pmd.reg_long_reset = reset;
	pfm_bv_set(c.pmc.reg_reset_pmds, 1);
	counter_write(s.fd, &clock);
	counter_write(s.fd, &c);
	start_here(s.fd);
	for (int i = 0; i < 100; i++) {
		rig_fire(1);
		spin(CLOCK_PERIOD / 4);
	}
	before = s.hdr->hdr_count;
	CHECK(before >= 100);
	spin(A_WHILE);
	ctx_stop(s.fd);
	if (reset)
		CHECK(s.hdr->hdr_count > before);
	else
		CHECK_EQ(s.hdr->hdr_count, before);
}

TEST(clock_reset_to_0_by_nmi_does_not_sample)
{
	reset_a_clock(0);
}

TEST(clock_reset_to_period_by_nmi_keeps_sampling)
{
	reset_a_clock(-(__u64)CLOCK_PERIOD);
}

/*
 * Each NMI resets a clock. After the NMI, an interrupt sets the clock's timer;
 * the next NMI may arrive at that moment.
 */
TEST(clock_reset_by_nmis_counts_no_time_twice)
{
	struct counter clock = counter(1, 0, FAR);
	struct counter c = rig_counter(0, 0, 1);
	struct smpl s = buffer(20000, 1);
	__u64 end, sum = 0;
	int used;

	clock.pmc.reg_value = TASK_CLOCK;
	pfm_bv_set(c.pmc.reg_reset_pmds, 1);
	pfm_bv_set(c.pmc.reg_smpl_pmds, 1);
	counter_write(s.fd, &clock);
	counter_write(s.fd, &c);
	ctx_pin(0);
	ctx_load_self(s.fd);
	used = thread_clock();
	CHECK_OK(pfm_start(s.fd, NULL));
	/* End early on a busy machine that handles NMIs slowly. */
	end = clock_ns(CLOCK_MONOTONIC) + MOST_TIME;
	for (int i = 0; i < 20 && clock_ns(CLOCK_MONOTONIC) < end; i++)
		rig_fire_at_user(500);
	ctx_stop(s.fd);
	CHECK(s.hdr->hdr_count > 0);
	for (unsigned int i = 0; i < s.hdr->hdr_count; i++)
		sum += *smpl_values(smpl_entry(&s, i, 1)) + FAR;
	/*
	 * Allow A_WHILE more, because an NMI may read a clock that perf has
	 * just stopped.
	 */
	CHECK(sum <= thread_clock_ns(used) + A_WHILE);
}

TEST(more_counters_than_the_pmu_has_are_denied)
{
	int fd;

	rig_need();
	fd = ctx_new(0);
	for (unsigned int n = 0; n < RIG_COUNTERS; n++)
		rig_add_counter(fd, n, 0, 0);
	ctx_load_self(fd);
	CHECK_OK(pfm_start(fd, NULL));
	ctx_stop(fd);
	CHECK_OK(pfm_unload_context(fd));
	rig_add_counter(fd, RIG_COUNTERS, 0, 0);
	ctx_load_self(fd);
	CHECK_ERRNO(pfm_start(fd, NULL), EBUSY);
}
