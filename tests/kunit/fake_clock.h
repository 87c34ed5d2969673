/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fake_clock.h - replacements for local_clock() and for the CPU's raw counter
 *		  (core/raw_counter.h) in the KUnit suites
 *
 * Until a test calls fake_clock_begin(), reading either of them returns the
 * real local_clock(). From then on, only the test lets time pass, and the
 * counter makes two ticks per ns.
 */
#ifndef PFM_KUNIT_FAKE_CLOCK_H
#define PFM_KUNIT_FAKE_CLOCK_H

#include <linux/sched/clock.h>
#include <linux/time64.h>
#include <perfmon/perfmon_time.h>

#define PFM_COUNTER_IS_STEADY	true

/**
 * struct fake_clock - the fake time
 * @ns:    the time in ns; 0 if the real clock is used
 * @step:  time in ns that reading the counter takes
 * @ahead: ticks by which the counter is ahead of the clock
 */
struct fake_clock {
	u64	ns;
	u64	step;
	u64	ahead;
};

extern struct fake_clock fake_clock;

static inline void fake_clock_begin(void)
{
	/* Begin with a time that is earlier than any real time stamp. */
	fake_clock = (struct fake_clock){ .ns = NSEC_PER_USEC };
}

static inline void fake_clock_end(void)
{
	fake_clock = (struct fake_clock){};
}

static inline u64 fake_local_clock(void)
{
	return fake_clock.ns ?: local_clock();
}

#define local_clock()	fake_local_clock()

static inline u64 pfm_raw_counter(void)
{
	u64 ns = local_clock();

	if (!fake_clock.ns)
		return ns;
	fake_clock.ns += fake_clock.step;
	return 2 * ns + fake_clock.ahead;
}

static inline void pfm_raw_counter_scale(pfm_time_conv_t *scale)
{
	scale->time_mult = 1;
	scale->time_shift = fake_clock.ns ? 1 : 0;
}

#endif /* PFM_KUNIT_FAKE_CLOCK_H */
