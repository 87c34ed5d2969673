// SPDX-License-Identifier: GPL-2.0
/*
 * callstack_kunit.c - the callstack format's call-backs, called directly
 *
 * tests/guest/formats/callstack.c records chains of real threads.
 */
#include <kunit/test.h>
#include <linux/sizes.h>
#include <perfmon/perfmon_callstack_smpl.h>
#include <perfmon/perfmon_fmt_kunit.h>

#define RECORD	sizeof(pfm_callstack_record_t)
#define OFFS	PFM_SINK_REGION_OFFS(1)
#define DEPTH	4

static int callstack_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_CALLSTACK_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

/* Return the size of the largest record with chains of @depth. */
static u64 max_record(u64 depth)
{
	return RECORD + 8 * (pfm_num_pmds() + 2 * depth);
}

static int validate(struct kunit *test, u64 size, u32 depth, s32 unwind_fd)
{
	pfm_callstack_smpl_arg_t arg = { .sink.buf_size = size,
					 .max_depth = depth,
					 .unwind_fd = unwind_fd };

	return pfm_calls_validate(test, &arg);
}

static void arguments_out_of_range_are_refused(struct kunit *test)
{
	const u32 most = PFM_CALLSTACK_MAX_DEPTH;

	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, most, 0), 0);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, most + 1, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, U32_MAX, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 1, -1), -EINVAL);
}

static void callstack_largest_record_must_fit(struct kunit *test)
{
	const u64 size = OFFS + max_record(DEPTH);

	KUNIT_EXPECT_EQ(test, validate(test, size, DEPTH, 0), 0);
	KUNIT_EXPECT_EQ(test, validate(test, size - 1, DEPTH, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, size, DEPTH + 1, 0), -EINVAL);
}

static void make(struct kunit *test)
{
	pfm_callstack_smpl_arg_t arg = {
		.sink.buf_size = OFFS + max_record(DEPTH) + RECORD,
		.max_depth = DEPTH,
	};

	pfm_calls_make(test, &arg);
}

static const pfm_callstack_record_t *first_of(const struct pfm_fmt_calls *d)
{
	return d->buf + OFFS;
}

/*
 * When the handler is called without the interrupted registers, the record has
 * no chains.
 */
static void callstack_without_registers_has_no_chain(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	const pfm_callstack_record_t *record;
	const u64 *words;

	make(test);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 5, 2), 0);
	record = first_of(d);
	words = (const u64 *)(record + 1);
	KUNIT_EXPECT_EQ(test, record->tstamp, PFM_CALLS_TSTAMP);
	KUNIT_EXPECT_EQ(test, record->ip, PFM_CALLS_IP(5));
	KUNIT_EXPECT_EQ(test, record->tid, PFM_CALLS_TID);
	KUNIT_EXPECT_EQ(test, record->tgid, PFM_CALLS_TGID);
	KUNIT_EXPECT_EQ(test, record->ovfl_pmd, 5);
	KUNIT_EXPECT_EQ(test, record->cpu, PFM_CALLS_CPU);
	KUNIT_EXPECT_EQ(test, record->set, PFM_CALLS_SET);
	KUNIT_EXPECT_EQ(test, record->num_pmds, 2);
	KUNIT_EXPECT_EQ(test, record->num_kernel, 0);
	KUNIT_EXPECT_EQ(test, record->num_user, 0);
	KUNIT_EXPECT_EQ(test, record->user_end, 0);
	KUNIT_EXPECT_EQ(test, words[0], PFM_CALLS_VALUE(0));
	KUNIT_EXPECT_EQ(test, words[1], PFM_CALLS_VALUE(1));
}

/* A region is full when the largest possible record no longer fits. */
static void callstack_region_full_before_largest_record(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, (u32)PFM_OVFL_CTRL_RESET);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, (u32)PFM_OVFL_CTRL_HOLD);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 0, 0), -ENOBUFS);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, false),
			(u32)PFM_OVFL_CTRL_RESET);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 7, 0), 0);
	KUNIT_EXPECT_EQ(test, first_of(d)->ip, PFM_CALLS_IP(7));
}

static void handler_believes_nothing_that_is_mapped(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test);
	memset(d->buf, 0xff, OFFS + max_record(DEPTH) + RECORD);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, first_of(d)->ip, PFM_CALLS_IP(1));
	KUNIT_EXPECT_EQ(test, first_of(d)->num_pmds, 1);
	KUNIT_EXPECT_EQ(test, first_of(d)->num_user, 0);
}

static struct kunit_case callstack_cases[] = {
	KUNIT_CASE(arguments_out_of_range_are_refused),
	KUNIT_CASE(callstack_largest_record_must_fit),
	KUNIT_CASE(callstack_without_registers_has_no_chain),
	KUNIT_CASE(callstack_region_full_before_largest_record),
	KUNIT_CASE(handler_believes_nothing_that_is_mapped),
	{}
};

static struct kunit_suite callstack_suite = {
	.name = "pfm_callstack",
	.init = callstack_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = callstack_cases,
};

kunit_test_suite(callstack_suite);
