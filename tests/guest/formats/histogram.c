// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * histogram.c - the histogram format on a real kernel; the buffer is read while
 *		 events are counted
 */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include <perfmon/perfmon_histogram_smpl.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "smpl.h"

#define PERIOD	1
#define RECORD	sizeof(pfm_histogram_record_t)

static const pfm_uuid_t uuid = PFM_HISTOGRAM_SMPL_UUID;

static struct mapped histogram_new(unsigned int records)
{
	pfm_sink_arg_t arg = {
		.buf_size = PFM_SINK_REGION_OFFS(1) + records * RECORD,
	};

	return mapped_new(uuid, 0, &arg, sizeof(arg));
}

static const pfm_sink_hdr_t *hdr_of(const struct mapped *m)
{
	return m->buf;
}

static __u64 records_of(const struct mapped *m)
{
	const pfm_sink_rgn_t *rgn = (const void *)(hdr_of(m) + 1);

	return __atomic_load_n(&rgn->rgn_count, __ATOMIC_ACQUIRE);
}

static const pfm_histogram_record_t *record_of(const struct mapped *m,
					       unsigned int i)
{
	const void *first = m->buf + hdr_of(m)->hdr_region_offs;

	return (const pfm_histogram_record_t *)first + i;
}

static __u64 counted(const struct mapped *m)
{
	__u64 records = records_of(m), sum = 0;

	for (unsigned int i = 0; i < records; i++)
		sum += __atomic_load_n(&record_of(m, i)->count,
				       __ATOMIC_RELAXED);
	return sum;
}

static void start_here(const struct mapped *m)
{
	ctx_add_counter(m->fd, 0, 0, PERIOD);
	ctx_start_here(m->fd);
}

TEST(every_overflow_is_counted_once)
{
	struct mapped m = histogram_new(512);
	__u64 before;

	start_here(&m);
	touch_pages(100, NULL);
	before = counted(&m);
	touch_pages(1000, NULL);
	CHECK_EQ(counted(&m) - before, 1000);
	ctx_stop(m.fd);
	CHECK_EQ(counted(&m), hdr_of(&m)->hdr_past + records_of(&m));
	CHECK_EQ(hdr_of(&m)->hdr_lost[PFM_SINK_LOST_TABLE], 0);
	CHECK_EQ(ctx_number(m.fd, "pfm_lost"), 0);
}

TEST(loop_makes_one_hot_record_of_its_process)
{
	struct mapped m = histogram_new(512);
	__u64 most = 0;
	unsigned int at = 0;

	start_here(&m);
	touch_pages(1000, NULL);
	ctx_stop(m.fd);
	for (unsigned int i = 0; i < records_of(&m); i++) {
		CHECK_EQ(record_of(&m, i)->tgid, (__u32)getpid());
		CHECK_EQ(record_of(&m, i)->ovfl_pmd, 0);
		CHECK_EQ(record_of(&m, i)->set, 0);
		if (record_of(&m, i)->count > most) {
			most = record_of(&m, i)->count;
			at = i;
		}
	}
	CHECK(most >= 1000);
	CHECK(record_of(&m, at)->ip);
}

TEST(full_table_loses_samples_and_keeps_monitoring)
{
	struct mapped m = histogram_new(1);
	__u64 lost;

	start_here(&m);
	/*
	 * The table has room for one record, which the address of the first
	 * page fault takes. can_read() causes a fault at another address.
	 */
	touch_pages(10, NULL);
	CHECK(!can_read(NULL));
	touch_pages(10, NULL);
	ctx_expect_state(m.fd, "started");
	ctx_expect_no_message(m.fd);
	ctx_stop(m.fd);
	lost = hdr_of(&m)->hdr_lost[PFM_SINK_LOST_TABLE];
	CHECK_EQ(records_of(&m), 1);
	CHECK(counted(&m) + lost >= 20);
}

TEST(restart_keeps_all_counts)
{
	struct mapped m = histogram_new(512);
	__u64 before;

	start_here(&m);
	touch_pages(10, NULL);
	before = counted(&m);
	CHECK_OK(pfm_restart(m.fd));
	touch_pages(10, NULL);
	ctx_stop(m.fd);
	CHECK(counted(&m) >= before + 10);
}

TEST(invalid_arguments_are_refused)
{
	static const struct {
		pfm_sink_arg_t arg;
		int error;
	} wrong[] = {
		{ { .buf_size = 0 }, EINVAL },
		{ { .buf_size = PFM_SINK_REGION_OFFS(1) + RECORD - 1 },
		  EINVAL },
		{ { .buf_size = 1 << 16, .num_regions = 2 }, EINVAL },
		{ { .buf_size = 1 << 16, .flags = 1 }, EINVAL },
		{ { .buf_size = ~0ULL }, EINVAL },
		{ { .buf_size = 1ULL << 56 }, ENOMEM },
	};

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		pfm_sink_arg_t arg = wrong[i].arg;
		pfarg_ctx_t ctx = { .ctx_flags = 0 };

		memcpy(ctx.ctx_smpl_buf_id, uuid, sizeof(uuid));
		CHECK_EQ(pfm_create_context(&ctx, &arg, sizeof(arg)), -1);
		CHECK_EQ(errno, wrong[i].error);
	}
}
