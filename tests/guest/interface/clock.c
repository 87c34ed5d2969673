// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * clock.c - clocks that sample beside another event, and whose timers stop and
 *	     start at each context switch
 */
#include <time.h>

#include "check.h"
#include "ctx.h"
#include "retire.h"
#include "smpl.h"

#define SOFTWARE(id)	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, (id))
#define PERIOD		1000000ULL	/* ns */
/* In the guests with one CPU, these loops take 0.6 periods. */
#define LOOPS		150000UL
#define ROUNDS		1000

/*
 * Create a context in which PMD0 counts the time of a clock, PMD1 samples the
 * clock and records its own value, and PMD2 samples each context switch.
 */
static struct smpl sample_clock_and_switches(__u64 clock)
{
	struct counter time = counter(0, 0, 0);
	struct counter sampling = counter(1, 0, PERIOD);
	struct counter switches = counter(2, 0, 1);
	struct smpl s = smpl_new(0, 1 << 20, 0);

	time.pmc.reg_value = clock;
	sampling.pmc.reg_value = clock;
	sampling.pmc.reg_smpl_pmds[0] = 1 << 1;
	switches.pmc.reg_value = SOFTWARE(PERF_COUNT_SW_CONTEXT_SWITCHES);
	switches.pmc.reg_smpl_pmds[0] = 1 << 1;
	counter_write(s.fd, &time);
	counter_write(s.fd, &sampling);
	return smpl_start(&switches, s);
}

/* Compute and sleep in turn. Return: the time of the computation, in ns. */
static __u64 compute_and_sleep(void)
{
	const struct timespec nap = { .tv_nsec = 2 * PERIOD };
	__u64 computed = 0, start;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		start = clock_ns(CLOCK_MONOTONIC);
		retire(LOOPS);
		computed += clock_ns(CLOCK_MONOTONIC) - start;
		/* Sleep because this causes a context switch. */
		CHECK_OK(nanosleep(&nap, NULL));
	}
	return computed;
}

/*
 * The number of samples is that of the periods, and the number in user mode is
 * proportional to the time there. No sample is much later than its period ends.
 */
static void expect_exact_samples(__u64 clock)
{
	struct smpl s = sample_clock_and_switches(clock);
	__u64 expected = compute_and_sleep() / PERIOD;
	__u64 samples = 0, computing = 0, periods;

	ctx_stop(s.fd);
	CHECK(ctx_says(s.fd, "pfm_lost:\t0"));
	need_exact_clock();
	for (unsigned int i = 0; i < s.hdr->hdr_count; i++) {
		const pfm_default_smpl_entry_t *e = smpl_entry(&s, i, 1);

		if (e->ovfl_pmd != 1)
			continue;
		samples++;
		computing += (__s64)e->ip > 0;
		CHECK(*smpl_values(e) < PERIOD / 4);
	}
	/* At each switch, PMD0 and PMD1 stop at slightly different times. */
	periods = ctx_read(s.fd, 0) / PERIOD;
	CHECK(samples + 2 >= periods && samples <= periods + 2);
	CHECK(computing >= expected * 95 / 100);
	CHECK(computing <= expected * 105 / 100);
}

TEST(clock_beside_switches_takes_exact_samples)
{
	expect_exact_samples(SOFTWARE(PERF_COUNT_SW_CPU_CLOCK));
}

TEST(thread_clock_beside_switches_takes_exact_samples)
{
	expect_exact_samples(SOFTWARE(PERF_COUNT_SW_TASK_CLOCK));
}
