// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * callstack.c - the callstack format on a real kernel
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/perfmon_callstack_smpl.h>

#include "chains.h"
#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "smpl.h"

#define DEPTH	8

static const pfm_uuid_t uuid = PFM_CALLSTACK_SMPL_UUID;

static struct mapped callstack_new(__u32 max_depth)
{
	pfm_callstack_smpl_arg_t arg = {
		.sink.buf_size = 1 << 16,
		.max_depth = max_depth,
	};

	return mapped_new(uuid, 0, &arg, sizeof(arg));
}

static const pfm_sink_rgn_t *rgn_of(const struct mapped *m)
{
	return (const pfm_sink_rgn_t *)((const pfm_sink_hdr_t *)m->buf + 1);
}

/*
 * Return the only record, and store the address of the words after it in
 * *words.
 */
static const pfm_callstack_record_t *only_record(const struct mapped *m,
						 const __u64 **words)
{
	const pfm_sink_hdr_t *hdr = m->buf;
	const pfm_callstack_record_t *record = m->buf + hdr->hdr_region_offs;

	CHECK_EQ(rgn_of(m)->rgn_count, 1);
	*words = (const void *)(record + 1);
	CHECK_EQ(rgn_of(m)->rgn_used, sizeof(*record) +
		 8 * (record->num_pmds + record->num_kernel +
		      record->num_user));
	return record;
}

static __attribute__((noipa)) void fault(void *page)
{
	have_frame();
	NOTE_CALLER();
	__atomic_store_n((char *)page, 1, __ATOMIC_RELAXED);
}

/*
 * Record one page fault that has known callers. PMD1, which is recorded with
 * it, has a known value.
 */
static void sample_one(const struct mapped *m)
{
	struct counter c = counter(0, 0, 1), other = counter(1, 0, 0);
	char *page;

	pfm_bv_set(c.pmc.reg_smpl_pmds, 1);
	other.pmc.reg_value = PFM_PERF_EVENT(PERF_TYPE_SOFTWARE,
					     PERF_COUNT_SW_DUMMY);
	other.pmd.reg_value = 12345;
	counter_write(m->fd, &c);
	counter_write(m->fd, &other);
	faults_prepare();
	page = fresh_page();
	ctx_start_on(m->fd, thread_id());
	call_known(fault, page);
	ctx_stop(m->fd);
}

TEST(record_holds_callers_and_pmd_values)
{
	struct mapped m = callstack_new(DEPTH);
	const pfm_callstack_record_t *record;
	const __u64 *words;

	sample_one(&m);
	record = only_record(&m, &words);
	CHECK_EQ(record->tgid, (__u32)getpid());
	CHECK_EQ(record->ovfl_pmd, 0);
	CHECK_EQ(record->num_pmds, 1);
	CHECK_EQ(words[0], 12345);
	CHECK_EQ(record->num_kernel, 0);
	CHECK(record->num_user > KNOWN_CALLERS);
	CHECK_EQ(words[1], record->ip);
	for (unsigned int i = 0; i < KNOWN_CALLERS; i++)
		CHECK_EQ(words[2 + i], known_callers[i]);
}

TEST(chain_length_is_limited_to_max_depth)
{
	struct mapped m = callstack_new(2);
	const pfm_callstack_record_t *record;
	const __u64 *words;

	sample_one(&m);
	record = only_record(&m, &words);
	CHECK_EQ(record->num_user, 2);
	CHECK_EQ(words[2], known_callers[0]);
}

/*
 * When read() copies from /dev/zero to the page, the kernel causes the page
 * fault.
 */
TEST(kernel_fault_has_kernel_and_user_chains)
{
	struct mapped m = callstack_new(PFM_CALLSTACK_MAX_DEPTH);
	const pfm_callstack_record_t *record;
	const __u64 *words;
	char *page;
	int fd = open("/dev/zero", O_RDONLY);

	CHECK_OK(fd);
	ctx_add_counter(m.fd, 0, 0, 1);
	faults_prepare();
	page = fresh_page();
	ctx_start_on(m.fd, thread_id());
	CHECK_EQ(read(fd, page, 1), 1);
	ctx_stop(m.fd);
	record = only_record(&m, &words);
	CHECK(record->num_kernel > 2);
	CHECK_EQ(words[0], record->ip);
	CHECK((__s64)words[record->num_kernel - 1] < 0);
	CHECK(record->num_user >= 1);
	CHECK((__s64)words[record->num_kernel] > 0);
	close(fd);
}

TEST(invalid_arguments_are_refused)
{
	static const pfm_callstack_smpl_arg_t wrong[] = {
		{ .sink.buf_size = 1 << 16 },
		{ .sink.buf_size = 1 << 16, .max_depth = 129 },
		{ .sink.buf_size = 1 << 16, .max_depth = 8, .unwind_fd = -1 },
		{ .sink.buf_size = 256, .max_depth = 128 },
		{ .sink.buf_size = 1 << 16, .max_depth = 8, .sink.flags = 2 },
	};

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		pfm_callstack_smpl_arg_t arg = wrong[i];
		pfarg_ctx_t ctx = { .ctx_flags = 0 };

		memcpy(ctx.ctx_smpl_buf_id, uuid, sizeof(uuid));
		CHECK_EQ(pfm_create_context(&ctx, &arg, sizeof(arg)), -1);
		CHECK_EQ(errno, EINVAL);
	}
}
