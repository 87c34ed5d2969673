// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * nway.c - the n-way format (section 6.3.1 of the specification) on a real
 *	    kernel, with a concurrent reader
 */
#define _GNU_SOURCE
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/perfmon_nway_smpl.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "smpl.h"
#include "worker.h"

#define PERIOD		3
#define ENTRY		sizeof(pfm_default_smpl_entry_t)
#define NOTIFY		PFM_REGFL_OVFL_NOTIFY
#define MASK		PFM_NWAY_SMPL_MASK_WHEN_FULL

static const pfm_nway_smpl_hdr_t *hdr_of(const struct mapped *m)
{
	return m->buf;
}

static const pfm_nway_smpl_rgn_t *rgn_of(const struct mapped *m, unsigned int n)
{
	return (const pfm_nway_smpl_rgn_t *)(hdr_of(m) + 1) + n;
}

static const void *data_of(const struct mapped *m, unsigned int n)
{
	return m->buf + hdr_of(m)->hdr_region_offs +
	       n * hdr_of(m)->hdr_region_size;
}

static __u64 total_count(const struct mapped *m)
{
	__u64 sum = 0;

	for (unsigned int i = 0; i < hdr_of(m)->hdr_num_regions; i++)
		if (rgn_of(m, i)->rgn_state != PFM_NWAY_RGN_FREE)
			sum += rgn_of(m, i)->rgn_count;
	return sum;
}

static void start_here(const struct mapped *m)
{
	ctx_add_counter(m->fd, 0, NOTIFY, PERIOD);
	ctx_start_here(m->fd);
}

TEST(invalid_arguments_are_refused)
{
	static const struct {
		__u64 size;
		__u32 regions;
		__u32 flags;
		int error;
	} wrong[] = {
		{ 1 << 16, 0, 0, EINVAL }, { 1 << 16, 1, 0, EINVAL },
		{ 1 << 16, 65, 0, EINVAL }, { 1 << 16, ~0U, 0, EINVAL },
		{ 1 << 16, 2, 2, EINVAL }, { 0, 2, 0, EINVAL },
		{ 1, 2, 0, EINVAL }, { 4096, 64, 0, EINVAL },
		{ ~0ULL, 2, 0, ENOMEM }, { 1ULL << 63, 64, 0, ENOMEM },
	};

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		pfarg_ctx_t ctx = { .ctx_smpl_buf_id = PFM_NWAY_SMPL_UUID };
		pfm_nway_smpl_arg_t arg = { .buf_size = wrong[i].size,
					    .num_regions = wrong[i].regions,
					    .buf_flags = wrong[i].flags };

		CHECK_EQ(pfm_create_context(&ctx, &arg, sizeof(arg)), -1);
		CHECK_EQ(errno, wrong[i].error);
	}
}

/* Proves 6.3.1-01, 6.3.1-02, 6.3.1-03, 6.3.1-09, P5.4-06 */
TEST(full_region_notifies_without_masking)
{
	struct mapped m = nway_new(0, 4, 5, 0, 0);

	start_here(&m);
	touch_pages(5 * PERIOD - 1, NULL);
	ctx_expect_no_message(m.fd);
	touch_pages(1, NULL);
	ctx_expect_message(m.fd, PFM_MSG_OVFL);
	ctx_expect_state(m.fd, "started");
	CHECK_EQ(rgn_of(&m, 0)->rgn_state, PFM_NWAY_RGN_READY);
	CHECK_EQ(rgn_of(&m, 0)->rgn_count, 5);
	touch_pages(2 * PERIOD, NULL);
	CHECK_EQ(rgn_of(&m, 1)->rgn_count, 2);
	CHECK_EQ(ctx_read(m.fd, 0), -(__u64)PERIOD);
}

/* Proves 6.3.1-02, 6.3.1-03, 6.3.1-04 */
TEST(two_regions_alternate_with_short_resets)
{
	struct mapped m = nway_new(0, 2, 5, 0, 0);
	struct counter c = counter(0, NOTIFY, PERIOD);
	struct counter other = counter(1, 0, 0);

	pfm_bv_set(c.pmc.reg_reset_pmds, 1);
	c.pmd.reg_long_reset = -1000ULL;
	other.pmd.reg_long_reset = 2000;
	other.pmd.reg_short_reset = 1000;
	counter_write(m.fd, &c);
	counter_write(m.fd, &other);
	ctx_start_here(m.fd);
	for (unsigned int n = 0; n < 6; n++) {
		CHECK_EQ(rgn_of(&m, n % 2)->rgn_count, 0);
		touch_pages(5 * PERIOD, NULL);
		ctx_expect_message(m.fd, PFM_MSG_OVFL);
		ctx_expect_state(m.fd, "started");
		CHECK_EQ(rgn_of(&m, n % 2)->rgn_state, PFM_NWAY_RGN_READY);
		CHECK_EQ(rgn_of(&m, n % 2)->rgn_count, 5);
		CHECK_EQ(rgn_of(&m, n % 2)->rgn_seq, n + 1);
		CHECK_EQ(ctx_read(m.fd, 0), -(__u64)PERIOD);
		/*
		 * The order in which the two counters count the last event is
		 * undefined.
		 */
		CHECK(ctx_read(m.fd, 1) - 1000 <= 1);
		CHECK_OK(pfm_restart(m.fd));
		CHECK_EQ(ctx_read(m.fd, 0), -(__u64)PERIOD);
	}
}

/*
 * The next two tests cause bursts of samples. The default format's buffer holds
 * half a burst.
 */
#define BURST		30
#define BURSTS		20

/* Proves 6.3.1-01 */
TEST(default_format_has_blind_spots)
{
	struct smpl s = smpl_new_for(0, BURST / 2, 0);
	unsigned long recorded = 0;

	ctx_add_counter(s.fd, 0, NOTIFY, PERIOD);
	ctx_start_here(s.fd);
	for (int i = 0; i < BURSTS; i++) {
		touch_pages(BURST * PERIOD, NULL);
		recorded += s.hdr->hdr_count;
		CHECK_OK(pfm_restart(s.fd));
	}
	/*
	 * Monitoring was masked during the second half of each burst, so that
	 * half was not recorded.
	 */
	CHECK_EQ(recorded, BURSTS * BURST / 2);
}

/* Proves 6.3.1-03, 6.3.1-05, P5.4-06 */
TEST(prompt_reader_has_no_blind_spots)
{
	/* The regions together hold slightly more than one burst. */
	struct mapped m = nway_new(0, 6, BURST / 5, 0, 0);
	unsigned long recorded = 0;
	unsigned int next = 0;

	start_here(&m);
	for (int i = 0; i < BURSTS; i++) {
		touch_pages(BURST * PERIOD, NULL);
		CHECK_EQ(hdr_of(&m)->hdr_handed_out - hdr_of(&m)->hdr_freed, 5);
		for (int r = 0; r < 5; r++) {
			ctx_expect_message(m.fd, PFM_MSG_OVFL);
			CHECK_EQ(rgn_of(&m, next)->rgn_state,
				 PFM_NWAY_RGN_READY);
			CHECK_EQ(rgn_of(&m, next)->rgn_seq, i * 5 + r + 1);
			recorded += rgn_of(&m, next)->rgn_count;
			CHECK_OK(pfm_restart(m.fd));
			next = (next + 1) % 6;
		}
	}
	CHECK_EQ(recorded, BURSTS * BURST);
	CHECK_EQ(hdr_of(&m)->hdr_overwritten, 0);
	CHECK_EQ(hdr_of(&m)->hdr_dropped, 0);
	ctx_expect_no_message(m.fd);
}

/* Proves 6.3.1-06 */
TEST(unread_samples_are_overwritten_and_counted)
{
	struct mapped m = nway_new(0, 3, 7, 0, 0);
	__u64 overwritten;

	start_here(&m);
	touch_pages(100 * PERIOD, NULL);
	/* Two regions wait to be read. The third region received 86 samples. */
	CHECK_EQ(hdr_of(&m)->hdr_handed_out, 2);
	CHECK_EQ(total_count(&m) + hdr_of(&m)->hdr_overwritten, 100);
	overwritten = hdr_of(&m)->hdr_overwritten;
	CHECK_EQ(overwritten, 84);
	CHECK_EQ(rgn_of(&m, 2)->rgn_overwritten, 84);
	CHECK_EQ(rgn_of(&m, 2)->rgn_count, 2);
	ctx_expect_message(m.fd, PFM_MSG_OVFL);
	ctx_expect_message(m.fd, PFM_MSG_OVFL);
	ctx_expect_no_message(m.fd);
	/* Two restarts free the two regions, so nothing more is overwritten. */
	CHECK_OK(pfm_restart(m.fd));
	CHECK_OK(pfm_restart(m.fd));
	touch_pages(10 * PERIOD, NULL);
	CHECK_EQ(hdr_of(&m)->hdr_overwritten, overwritten);
	CHECK_EQ(total_count(&m), 12);
}

/* Proves 6.3.1-02, 6.3.1-05, 6.3.1-07 */
TEST(mask_when_full_saturates_until_restart)
{
	struct mapped m = nway_new(0, 2, 4, 0, MASK);

	start_here(&m);
	touch_pages(7 * PERIOD, NULL);
	ctx_expect_state(m.fd, "started");
	touch_pages(PERIOD, NULL);
	ctx_expect_state(m.fd, "masked");
	touch_pages(5 * PERIOD, NULL);
	CHECK_EQ(total_count(&m), 8);
	CHECK_EQ(hdr_of(&m)->hdr_handed_out, 2);
	for (unsigned int i = 0; i < 2; i++) {
		ctx_expect_message(m.fd, PFM_MSG_OVFL);
		CHECK_EQ(rgn_of(&m, i)->rgn_state, PFM_NWAY_RGN_READY);
		CHECK_EQ(rgn_of(&m, i)->rgn_count, 4);
	}
	CHECK_OK(pfm_restart(m.fd));
	ctx_expect_state(m.fd, "started");
	touch_pages(3 * PERIOD, NULL);
	CHECK_EQ(rgn_of(&m, 0)->rgn_count, 3);
	CHECK_EQ(hdr_of(&m)->hdr_dropped, 0);
	CHECK_EQ(hdr_of(&m)->hdr_overwritten, 0);
}

/* An entry with PMD1, which counts the events that PMD0 samples. */
struct counted {
	pfm_default_smpl_entry_t entry;
	__u64 count;
};

/*
 * Copy region @n as the format's header file describes. Return: the number of
 * entries, or -1 if the kernel overwrote the region during the copy.
 */
static int snapshot(const struct mapped *m, unsigned int n,
		    struct counted *copy, unsigned int max)
{
	const pfm_nway_smpl_rgn_t *rgn = rgn_of(m, n);
	__u64 seq = __atomic_load_n(&rgn->rgn_seq, __ATOMIC_ACQUIRE);
	__u64 count = __atomic_load_n(&rgn->rgn_count, __ATOMIC_ACQUIRE);

	CHECK(count <= max);
	memcpy(copy, data_of(m, n), count * sizeof(*copy));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&rgn->rgn_seq, __ATOMIC_RELAXED) == seq ?
	       (int)count : -1;
}

static void expect_consecutive(const struct counted *copy, int n, pid_t pid)
{
	for (int i = 0; i < n; i++) {
		CHECK_EQ(copy[i].entry.pid, pid);
		CHECK_EQ(copy[i].entry.last_reset_val, -(__u64)PERIOD);
		CHECK(in_touch_pages(copy[i].entry.ip));
		if (i)
			CHECK_EQ(copy[i].count, copy[i - 1].count + PERIOD);
	}
}

static __u64 overwritten(const struct mapped *m)
{
	return __atomic_load_n(&hdr_of(m)->hdr_overwritten, __ATOMIC_RELAXED);
}

#define SNAPSHOTS	3000
#define OVERWRITTEN	500	/* entries to overwrite during the test */
#define SMALL		8	/* entries per region */

/* Proves 6.3.1-06, H28 */
TEST(concurrent_reader_never_sees_a_torn_region)
{
	struct mapped m = nway_new(0, 2, SMALL, 1, 0);
	struct counter c = counter(0, NOTIFY, PERIOD);
	struct counted copy[SMALL];
	int accepted = 0, n;
	struct worker w;
	__u64 last = 0;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		check_skip("needs a second CPU");
	pfm_bv_set(c.pmc.reg_smpl_pmds, 1);
	counter_write(m.fd, &c);
	ctx_add_counter(m.fd, 1, 0, 0);
	worker_start(&w);
	worker_do(&w, WORK_PIN, 1);
	ctx_pin(0);
	ctx_start_on(m.fd, w.pid);
	worker_ask(&w, WORK_TOUCH, ULONG_MAX);
	/*
	 * The first region is never freed, so the kernel keeps overwriting the
	 * second one.
	 */
	while (accepted < SNAPSHOTS || overwritten(&m) < OVERWRITTEN) {
		n = snapshot(&m, 1, copy, SMALL);
		if (n <= 0)
			continue;
		expect_consecutive(copy, n, w.pid);
		CHECK(copy[0].count >= last);
		last = copy[0].count;
		accepted++;
	}
	worker_kill(&w);
}

/* A reader that keeps up reads every sample exactly once. */
TEST(regions_are_read_while_the_next_ones_are_filled)
{
	struct mapped m = nway_new(0, 8, SMALL, 1, MASK);
	struct counter c = counter(0, NOTIFY, PERIOD);
	struct counted copy[SMALL];
	struct worker w;
	__u64 next = 0;

	pfm_bv_set(c.pmc.reg_smpl_pmds, 1);
	counter_write(m.fd, &c);
	ctx_add_counter(m.fd, 1, 0, 0);
	worker_start(&w);
	ctx_start_on(m.fd, w.pid);
	for (int round = 0; round < 10; round++) {
		/*
		 * There are eight regions, so the worker may fill at most seven
		 * before they are read.
		 */
		worker_ask(&w, WORK_TOUCH, 7 * SMALL * PERIOD);
		for (int r = 0; r < 7; r++) {
			ctx_expect_message(m.fd, PFM_MSG_OVFL);
			CHECK_EQ(snapshot(&m, (round * 7 + r) % 8, copy, SMALL),
				 SMALL);
			expect_consecutive(copy, SMALL, w.pid);
			next += PERIOD;
			CHECK_EQ(copy[0].count, next);
			next = copy[SMALL - 1].count;
			CHECK_OK(pfm_restart(m.fd));
		}
		worker_wait(&w);
	}
	CHECK_EQ(next, 70 * SMALL * PERIOD);
	worker_quit(&w);
}
