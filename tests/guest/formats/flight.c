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

static struct mapped flight_new(void)
{
	__u64 region = PER_REGION * RECORD + 8 * count_pmds();
	pfm_sink_arg_t arg = {
		.buf_size = PFM_SINK_REGION_OFFS(REGIONS) + REGIONS * region,
		.num_regions = REGIONS,
		.flags = PFM_SINK_OVERWRITE,
	};

	return mapped_new(uuid, 0, &arg, sizeof(arg));
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

/* Return the record that was written last. */
static const pfm_flight_record_t *last_record(const struct mapped *m)
{
	unsigned int at = 0;

	for (unsigned int i = 1; i < REGIONS; i++)
		if (rgn_of(m, i)->rgn_count &&
		    rgn_of(m, i)->rgn_seq > rgn_of(m, at)->rgn_seq)
			at = i;
	CHECK(rgn_of(m, at)->rgn_count);
	return (const pfm_flight_record_t *)
		       (m->buf + hdr_of(m)->hdr_region_offs +
			at * hdr_of(m)->hdr_region_size) +
	       rgn_of(m, at)->rgn_count - 1;
}

/* Record each page fault. The 100th one triggers the freeze. */
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
	 * Two counters overflow at the last page fault. One may come after the
	 * freeze.
	 */
	recorded = recorded_by(&m);
	CHECK(recorded == TRIGGER || recorded == TRIGGER + 1);
	CHECK(records_of(&m) > (REGIONS - 1) * PER_REGION);
	/* Nothing is recorded while frozen. */
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

TEST(argument_without_overwrite_flag_is_refused)
{
	pfm_sink_arg_t arg = { .buf_size = 1 << 16, .num_regions = 4 };
	pfarg_ctx_t ctx = { .ctx_flags = 0 };

	memcpy(ctx.ctx_smpl_buf_id, uuid, sizeof(uuid));
	CHECK_EQ(pfm_create_context(&ctx, &arg, sizeof(arg)), -1);
	CHECK_EQ(errno, EINVAL);
}
