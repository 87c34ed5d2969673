// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * raw_time.c - raw time stamps compared with perf's clock, over an hour and
 *		across a suspend
 *
 * The guest's clock counts instructions, and an overflow takes the same path
 * each time: it reads perf's clock as a PMD, and takes the raw time stamp a
 * constant number of instructions later. If the conversion of the time stamp to
 * ns becomes inexact, the distance between the two changes. RTC alarms use the
 * host's time, so an alarm may come before the guest has suspended.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "smpl.h"

#define PERIOD		5
#define SAMPLES		40
#define BUF_SIZE	(1 << 18)
#define HOUR		3600
#define SLEEP_STATE	"/sys/power/state"
#define WAKEUP_COUNT	"/sys/power/wakeup_count"
#define WAKE_ALARM	"/sys/class/rtc/rtc0/wakealarm"

/*
 * A buffer of samples with raw time stamps, and the conversion of these to ns.
 */
struct raw {
	struct smpl	s;
	pfm_time_conv_t	conv;
	unsigned int	seen;
};

/* Sample page faults of this thread, with the clock's value in each entry. */
static struct raw raw_start(void)
{
	struct counter c = counter(0, 0, PERIOD);
	struct raw r = {
		.s = smpl_new(0, BUF_SIZE, PFM_DFL_SMPL_RAW_TIME),
	};

	r.conv = (pfm_time_conv_t){ r.s.hdr->hdr_time_zero,
				    r.s.hdr->hdr_time_mult,
				    r.s.hdr->hdr_time_shift };
	pfm_bv_set(c.pmc.reg_smpl_pmds, PFM_PMD_PERF_CLOCK);
	smpl_start(&c, r.s);
	return r;
}

/* Return the length of a tick of the counter in ns, rounded up. */
static __s64 tick(const struct raw *r)
{
	return ((r->conv.time_mult - 1) >> r->conv.time_shift) + 1;
}

/*
 * Return the maximum error in ns of the measured hdr_time_zero. perfmon reads
 * the clock between two reads of the counter, and the error is at most half of
 * the time that passes between these two. On arm64 the counter ticks so slowly
 * that the two reads return the same value, and the error is at most one tick.
 */
static __s64 zero_error(const struct raw *r)
{
#ifdef __aarch64__
	return tick(r);
#else
	return 30;
#endif
}

/*
 * Take samples. Return: the shortest time in ns from a sample's clock PMD to
 * its time stamp.
 */
static __s64 distance(struct raw *r)
{
	__s64 least = LLONG_MAX;

	touch_pages(SAMPLES * PERIOD, NULL);
	CHECK_EQ(r->s.hdr->hdr_count, r->seen + SAMPLES);
	for (int i = 0; i < SAMPLES; i++) {
		const pfm_default_smpl_entry_t *e =
			smpl_entry(&r->s, r->seen + i, 1);
		__s64 ns = pfm_time_ns(&r->conv, e->tstamp) - *smpl_values(e);

		if (ns < least)
			least = ns;
	}
	r->seen += SAMPLES;
	printf("# %lld ns from the clock to the time stamp\n", least);
	return least;
}

/*
 * Check that the distance has changed by at most one tick of the counter, plus
 * 1 ns because perf rounds down.
 */
static void expect_distance(struct raw *r, __s64 before)
{
	CHECK(llabs(distance(r) - before) <= tick(r) + 1);
}

/* Return the conversion that perf publishes. */
static pfm_time_conv_t perf_conversion(void)
{
	int fd = thread_clock();
	size_t size = sysconf(_SC_PAGESIZE);
	const struct perf_event_mmap_page *page =
		mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	pfm_time_conv_t conv;

	CHECK(page != MAP_FAILED);
	CHECK(page->cap_user_time_zero);
	conv = (pfm_time_conv_t){ page->time_zero, page->time_mult,
				  page->time_shift };
	munmap((void *)page, size);
	close(fd);
	return conv;
}

/* Return the time in ns by which the conversion differs from perf's. */
static __s64 difference(const struct raw *r)
{
	const pfm_default_smpl_entry_t *e = smpl_entry(&r->s, r->seen - 1, 1);
	pfm_time_conv_t perf = perf_conversion();
	__s64 ns = pfm_time_ns(&r->conv, e->tstamp) -
		   pfm_time_ns(&perf, e->tstamp);

	printf("# %lld ns later than with perf's conversion\n", ns);
	CHECK_EQ(r->conv.time_mult, perf.time_mult);
	CHECK_EQ(r->conv.time_shift, perf.time_shift);
	return ns;
}

TEST(raw_time_is_perfs_over_an_hour)
{
	struct raw r = raw_start();
	__s64 before = distance(&r), zero = difference(&r);

	CHECK(llabs(zero) <= zero_error(&r));
	/*
	 * Sleep because the clock and the counter may drift apart in an hour.
	 */
	sleep(HOUR);
	expect_distance(&r, before);
	CHECK(llabs(difference(&r) - zero) <= tick(&r));
}

/* Try to suspend for some seconds. Return: false if the alarm was too early. */
static bool try_suspend(void)
{
	static const char state[] = "mem";
	char count[32];
	bool done;
	int fd;

	read_text(WAKEUP_COUNT, count, sizeof(count));
	write_text(WAKEUP_COUNT, count);
	write_text(WAKE_ALARM, "0");
	write_text(WAKE_ALARM, "+2");
	fd = CHECK_OK(open(SLEEP_STATE, O_WRONLY | O_CLOEXEC));
	done = write(fd, state, strlen(state)) > 0;
	CHECK(done || errno == EBUSY);
	close(fd);
	return done;
}

/*
 * x86_64 suspends to RAM: the TSC keeps counting, but the kernel's clock stops.
 * arm64 suspends to idle: in this guest, both the counter and the clock keep
 * running.
 */
TEST(raw_time_is_perfs_after_suspend)
{
	struct raw r = raw_start();
	__s64 before = distance(&r);

	while (!try_suspend())
		;
	expect_distance(&r, before);
}
