// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * flight.c - the flight recorder format on a real kernel
 */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include <perfmon/perfmon_flight_smpl.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "smpl.h"

#define RECORD		sizeof(pfm_flight_record_t)
#define REGIONS		4
#define PER_REGION	8
#define TRIGGER		100

static const pfm_uuid_t uuid = PFM_FLIGHT_SMPL_UUID;

/* Create a flight recorder with the triggers in @arg. */
static struct mapped flight_for(pfm_flight_smpl_arg_t arg)
{
	__u64 region = PER_REGION * RECORD + 8 * count_pmds();

	arg.sink = (pfm_sink_arg_t) {
		.buf_size = PFM_SINK_REGION_OFFS(REGIONS) + REGIONS * region,
		.num_regions = REGIONS,
		.flags = PFM_SINK_OVERWRITE,
	};
	return mapped_new(uuid, 0, &arg, sizeof(arg));
}

static struct mapped flight_new(void)
{
	return flight_for((pfm_flight_smpl_arg_t) {});
}

static const pfm_sink_hdr_t *hdr_of(const struct mapped *m)
{
	return m->buf;
}

static const pfm_sink_rgn_t *rgn_of(const struct mapped *m, unsigned int n)
{
	return (const pfm_sink_rgn_t *)(hdr_of(m) + 1) + n;
}

static __u64 records_of(const struct mapped *m)
{
	__u64 sum = 0;

	for (unsigned int i = 0; i < REGIONS; i++)
		sum += rgn_of(m, i)->rgn_count;
	return sum;
}

static __u64 recorded_by(const struct mapped *m)
{
	return records_of(m) + hdr_of(m)->hdr_overwritten;
}

/* Return the end of the last record that was written. */
static const void *end_of_last(const struct mapped *m)
{
	__u64 newest = 0;
	unsigned int at = 0;

	for (unsigned int i = 0; i < REGIONS; i++) {
		if (!rgn_of(m, i)->rgn_count || rgn_of(m, i)->rgn_seq < newest)
			continue;
		newest = rgn_of(m, i)->rgn_seq;
		at = i;
	}
	CHECK(newest);
	return m->buf + hdr_of(m)->hdr_region_offs +
	       at * hdr_of(m)->hdr_region_size + rgn_of(m, at)->rgn_used;
}

/* Return the last record that was written. It must have no PMD values. */
static const pfm_flight_record_t *last_record(const struct mapped *m)
{
	return (const pfm_flight_record_t *)end_of_last(m) - 1;
}

/* Record each page fault. Page fault number TRIGGER freezes the buffer. */
static void start_here(const struct mapped *m)
{
	ctx_add_counter(m->fd, 0, 0, 1);
	ctx_add_counter(m->fd, 1, PFM_REGFL_OVFL_NOTIFY, TRIGGER);
	ctx_start_here(m->fd);
}

TEST(notifying_overflow_freezes_the_last_records)
{
	struct mapped m = flight_new();
	__u64 recorded;

	start_here(&m);
	touch_pages(TRIGGER - 1, NULL);
	ctx_expect_no_message(m.fd);
	touch_pages(1, NULL);
	ctx_expect_message(m.fd, PFM_MSG_OVFL);
	ctx_expect_state(m.fd, "masked");
	CHECK_EQ(last_record(&m)->ovfl_pmd, 1);
	CHECK_EQ(last_record(&m)->tgid, (__u32)getpid());
	/*
	 * At page fault number TRIGGER, both counters overflow. If PMD0
	 * overflows after the freeze, its overflow is not recorded.
	 */
	recorded = recorded_by(&m);
	CHECK(recorded == TRIGGER || recorded == TRIGGER + 1);
	CHECK(records_of(&m) > (REGIONS - 1) * PER_REGION);
	/* While the buffer is frozen, nothing is recorded. */
	touch_pages(10, NULL);
	CHECK_EQ(recorded_by(&m), recorded);
}

TEST(restart_empties_the_recorder)
{
	struct mapped m = flight_new();
	__u64 frozen;

	start_here(&m);
	touch_pages(TRIGGER, NULL);
	ctx_expect_message(m.fd, PFM_MSG_OVFL);
	frozen = records_of(&m);
	CHECK_OK(pfm_restart(m.fd));
	CHECK_EQ(records_of(&m), 0);
	CHECK_EQ(hdr_of(&m)->hdr_past, frozen);
	touch_pages(3, NULL);
	CHECK_EQ(records_of(&m), 3);
	ctx_expect_state(m.fd, "started");
}

/*
 * Record each page fault and the value of PMD1, which also counts page faults.
 */
static void start_with_count(const struct mapped *m)
{
	struct counter c = counter(0, PFM_REGFL_OVFL_NOTIFY, 1),
		       count = counter(1, 0, 0);

	pfm_bv_set(c.pmc.reg_smpl_pmds, 1);
	counter_write(m->fd, &c);
	counter_write(m->fd, &count);
	ctx_start_here(m->fd);
}

TEST(value_freezes_after_further_samples)
{
	struct mapped m = flight_for((pfm_flight_smpl_arg_t) {
			.above = 20, .pmd = 1, .after = 3,
			.minus = PFM_FLIGHT_SMPL_NO_PMD });

	start_with_count(&m);
	touch_pages(30, NULL);
	ctx_expect_message(m.fd, PFM_MSG_OVFL);
	ctx_expect_state(m.fd, "masked");
	/* The first value above 20 is 21. Three further samples follow. */
	CHECK_EQ(((const __u64 *)end_of_last(&m))[-1], 21 + 3);
}

TEST(argument_without_overwrite_flag_is_refused)
{
	pfm_flight_smpl_arg_t arg = { .sink = { .buf_size = 1 << 16,
						.num_regions = 4 } };
	pfarg_ctx_t ctx = { .ctx_flags = 0 };

	memcpy(ctx.ctx_smpl_buf_id, uuid, sizeof(uuid));
	CHECK_EQ(pfm_create_context(&ctx, &arg, sizeof(arg)), -1);
	CHECK_EQ(errno, EINVAL);
}
