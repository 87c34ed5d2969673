// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * stacks.c - the stacks format on a real kernel; the buffer is read while
 *	      events are counted
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/perfmon_read_stacks.h>

#include "chains.h"
#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "smpl.h"

#define DEPTH	32
#define PERIOD	1

static const pfm_uuid_t uuid = PFM_STACKS_SMPL_UUID;

static struct mapped stacks_new(__u64 buf_size, __u32 per_thread)
{
	pfm_stacks_smpl_arg_t arg = {
		.sink.buf_size = buf_size,
		.max_depth = DEPTH,
		.per_thread = per_thread,
	};

	faults_prepare();
	return mapped_new(uuid, 0, &arg, sizeof(arg));
}

static const pfm_sink_hdr_t *hdr_of(const struct mapped *m)
{
	return m->buf;
}

/* Start to read all records of the buffer. */
static void begin(struct pfm_read_stacks *r, const struct mapped *m)
{
	pfm_read_stacks_init(r);
	CHECK_EQ(pfm_read_stacks_begin(r, m->buf, m->size, PFM_READ_LIVE), 0);
}

static __u64 records_of(const struct mapped *m)
{
	struct pfm_read_stacks r;
	__u64 records = 0;
	int got;

	begin(&r, m);
	while ((got = pfm_read_stacks_next(&r)) > 0)
		records++;
	CHECK_EQ(got, 0);
	return records;
}

static __u64 counted(const struct mapped *m)
{
	struct pfm_read_stacks r;
	__u64 sum = 0;
	int got;

	begin(&r, m);
	while ((got = pfm_read_stacks_next(&r)) > 0) {
		CHECK_EQ(r.record.periods, r.record.count * PERIOD);
		CHECK(r.record.num_kernel || r.record.num_user);
		sum += r.record.count;
	}
	CHECK_EQ(got, 0);
	return sum;
}

static __attribute__((noipa)) void fault(void *page)
{
	have_frame();
	NOTE_CALLER();
	__atomic_store_n((char *)page, 1, __ATOMIC_RELAXED);
}

static void start_here(const struct mapped *m)
{
	ctx_add_counter(m->fd, 0, 0, PERIOD);
	ctx_start_on(m->fd, thread_id());
}

/*
 * Return whether the current record contains the chain that is recorded when
 * call_known() calls fault().
 */
static bool is_known(const struct pfm_read_stacks *r)
{
	if (r->record.num_kernel || r->record.num_user <= KNOWN_CALLERS)
		return false;
	for (unsigned int i = 0; i < KNOWN_CALLERS; i++) {
		if (r->user[1 + i] != known_callers[i])
			return false;
	}
	return true;
}

TEST(equal_chains_are_counted_in_one_record)
{
	struct mapped m = stacks_new(1 << 16, 0);
	unsigned int known = 0;
	struct pfm_read_stacks r;

	start_here(&m);
	for (unsigned int i = 0; i < 8; i++)
		call_known(fault, fresh_page());
	ctx_stop(m.fd);
	begin(&r, &m);
	while (pfm_read_stacks_next(&r) > 0) {
		if (!is_known(&r))
			continue;
		known++;
		CHECK_EQ(r.record.count, 8);
		CHECK_EQ(r.record.tgid, (__u32)getpid());
		CHECK_EQ(r.record.tid, 0);
		CHECK_EQ(r.record.ovfl_pmd, 0);
	}
	CHECK_EQ(known, 1);
}

TEST(callers_distinguish_records)
{
	struct mapped m = stacks_new(1 << 16, 0);

	start_here(&m);
	call_known(fault, fresh_page());
	fault(fresh_page());
	ctx_stop(m.fd);
	CHECK_EQ(records_of(&m), 2);
	CHECK_EQ(counted(&m), 2);
}

TEST(every_overflow_is_counted_once)
{
	struct mapped m = stacks_new(1 << 16, 1);
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

/*
 * When read() copies from /dev/zero to the page, the kernel causes the page
 * fault.
 */
TEST(kernel_fault_has_kernel_and_user_chains)
{
	struct mapped m = stacks_new(1 << 16, 1);
	char *page = fresh_page();
	int fd = open("/dev/zero", O_RDONLY);
	struct pfm_read_stacks r;

	CHECK_OK(fd);
	start_here(&m);
	CHECK_EQ(read(fd, page, 1), 1);
	ctx_stop(m.fd);
	begin(&r, &m);
	CHECK_EQ(pfm_read_stacks_next(&r), 1);
	CHECK_EQ(r.record.tid, thread_id());
	CHECK(r.record.num_kernel > 2);
	CHECK((__s64)r.kernel[r.record.num_kernel - 1] < 0);
	CHECK(r.record.num_user >= 1);
	CHECK((__s64)r.user[0] > 0);
	CHECK_EQ(pfm_read_stacks_next(&r), 0);
	close(fd);
}

TEST(full_table_loses_samples_and_keeps_monitoring)
{
	struct mapped m = stacks_new(PFM_SINK_REGION_OFFS(1) +
				     sizeof(pfm_stacks_record_t) +
				     2 * DEPTH * sizeof(__u64), 0);

	start_here(&m);
	call_known(fault, fresh_page());
	fault(fresh_page());
	touch_pages(10, NULL);
	CHECK(!can_read(NULL));
	ctx_expect_state(m.fd, "started");
	ctx_expect_no_message(m.fd);
	ctx_stop(m.fd);
	CHECK_EQ(counted(&m), 1);
	CHECK(hdr_of(&m)->hdr_lost[PFM_SINK_LOST_TABLE] >= 11);
}

TEST(invalid_arguments_are_refused)
{
	static const pfm_stacks_smpl_arg_t wrong[] = {
		{ .sink.buf_size = 1 << 16 },
		{ .sink.buf_size = 1 << 16, .max_depth = 129 },
		{ .sink.buf_size = 1 << 16, .max_depth = 8, .unwind_fd = -1 },
		{ .sink.buf_size = 1 << 16, .max_depth = 8, .per_thread = 2 },
		{ .sink.buf_size = 1 << 16, .max_depth = 8,
		  .sink.num_regions = 2 },
		{ .sink.buf_size = 256, .max_depth = 128 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++) {
		pfm_stacks_smpl_arg_t arg = wrong[i];
		pfarg_ctx_t ctx = { .ctx_flags = 0 };

		memcpy(ctx.ctx_smpl_buf_id, uuid, sizeof(uuid));
		CHECK_EQ(pfm_create_context(&ctx, &arg, sizeof(arg)), -1);
		CHECK_EQ(errno, EINVAL);
	}
}
