// SPDX-License-Identifier: GPL-2.0
/*
 * pebs64_kunit.c - the 64-bit PEBS format, filled by the simulated PMU
 *		    (Eranian 2006, 5.4)
 */
#include <perfmon/perfmon_pebs64_smpl.h>
#include "context.h"
#include "ds_area.h"
#include "fixture.h"
#include "fmt.h"
#include "msgq.h"

static const pfm_uuid_t uuid = PFM_PEBS64_SMPL_UUID;

/*
 * Create a context whose buffer has room for @records records. Record number
 * @thres causes an interrupt.
 */
static void make(struct kunit *test, u32 flags, u32 size, u32 records,
		   u32 thres)
{
	pfm_pebs64_smpl_arg_t arg = {
		.buf_size = BASE + records * size,
		.intr_thres = thres,
		.flags = flags,
		.cnt_reset = RESET,
	};

	fixture_create_with(test, uuid, &arg, sizeof(arg));
	fixture_counter(test, 0, NOTIFY, RESET);
}

static pfm_pebs64_smpl_hdr_t *hdr_of(struct kunit *test)
{
	return buf_of(test);
}

static u64 records(struct kunit *test)
{
	const pfm_pebs64_smpl_hdr_t *hdr = hdr_of(test);

	return (hdr->hdr_ds.pebs_index - hdr->hdr_ds.pebs_buf_base) /
	       hdr->hdr_entry_size;
}

static int validate(u64 size, u64 thres, u32 flags, u32 reserved)
{
	pfm_pebs64_smpl_arg_t arg = { .buf_size = size, .intr_thres = thres,
				      .flags = flags, .reserved1 = reserved };
	const pfm_buffer_fmt_t *fmt = pfm_fmt_get(uuid);
	int ret = fmt->fmt_validate(0, pfm_num_pmds(), &arg);

	pfm_fmt_put(fmt);
	return ret;
}

static void validate_wants_room_for_the_threshold(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, validate(BASE + 144, 1, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, validate(BASE + 143, 1, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(BASE + 2 * 144, 3, 0, 0), -EINVAL);
	/* Longer records need more room. */
	KUNIT_EXPECT_EQ(test, validate(BASE + 199, 1, PFM_PEBS64_SMPL_SKYLAKE,
				       0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(BASE + 200, 1, PFM_PEBS64_SMPL_SKYLAKE,
				       0), 0);
}

static void validate_refuses_what_cannot_be(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, validate(0, 0, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(1, 1, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(65536, 0, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(65536, ~0ULL, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(65536, ~0ULL / 144 + 2, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(~0ULL, ~0ULL, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(65536, 1, 0x2, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(65536, 1, 0x40, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(65536, 1, 0, 1), -EINVAL);
}

static void init_lays_out_an_empty_area(struct kunit *test)
{
	pfm_pebs64_smpl_hdr_t *hdr;

	make(test, PFM_PEBS64_SMPL_NEHALEM, 176, 9, 5);
	hdr = hdr_of(test);
	KUNIT_EXPECT_EQ(test, hdr->hdr_overflows, 0ULL);
	KUNIT_EXPECT_EQ(test, hdr->hdr_buf_size, 256ULL + 9 * 176);
	KUNIT_EXPECT_EQ(test, hdr->hdr_start_offs, 128ULL);
	KUNIT_EXPECT_EQ(test, hdr->hdr_version, 0x10000U);
	KUNIT_EXPECT_EQ(test, hdr->hdr_flags, 0U);
	KUNIT_EXPECT_EQ(test, hdr->hdr_entry_size, 176U);
	KUNIT_EXPECT_EQ(test, hdr->hdr_ds.bts_buf_base, 0ULL);
	KUNIT_EXPECT_EQ(test, hdr->hdr_ds.pebs_buf_base, 256ULL);
	KUNIT_EXPECT_EQ(test, hdr->hdr_ds.pebs_index, 256ULL);
	KUNIT_EXPECT_EQ(test, hdr->hdr_ds.pebs_abs_max, 256ULL + 9 * 176);
	KUNIT_EXPECT_EQ(test, hdr->hdr_ds.pebs_intr_thres, 256ULL + 5 * 176);
	KUNIT_EXPECT_EQ(test, hdr->hdr_ds.pebs_cnt_reset, RESET);
}

/*
 * Check that the fields of record @n, except the status, are @first, @first + 1
 * and so on.
 */
static void expect_record(struct kunit *test, u32 size, u32 n, u64 first)
{
	const u64 *field = buf_of(test) + BASE + n * size;
	u32 i;

	for (i = 0; i < size / 8; i++)
		if (i == 18)
			KUNIT_EXPECT_EQ(test, field[i], 1ULL);
		else
			KUNIT_EXPECT_EQ(test, field[i], first + i);
}

static void pebs64_records_of_all_sizes_match_cpu_output(struct kunit *test)
{
	static const struct {
		u32 flags;
		u32 size;
	} kinds[] = {
		{ PFM_PEBS64_SMPL_BASE, 144 }, { PFM_PEBS64_SMPL_NEHALEM, 176 },
		{ PFM_PEBS64_SMPL_HASWELL, 192 },
		{ PFM_PEBS64_SMPL_SKYLAKE, 200 },
	};
	int i, n;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		make(test, kinds[i].flags, kinds[i].size, 8, 8);
		fixture_start(test);
		for (n = 0; n < 5; n++)
			overflow_with(test, 0x7fff00000000ULL + n * 1000,
				      false);
		KUNIT_EXPECT_EQ(test, records(test), 5ULL);
		for (n = 0; n < 5; n++)
			expect_record(test, kinds[i].size, n,
					0x7fff00000000ULL + n * 1000);
		fixture_exit(test);
		test->priv = NULL;
	}
}

static void pebs64_record_reloads_counter_silently(struct kunit *test)
{
	struct fixture *f;

	make(test, 0, 144, 4, 4);
	f = test->priv;
	fixture_start(test);
	overflow(test);
	fixture_count(test, 30);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), RESET + 30);
	KUNIT_EXPECT_EQ(test, fixture_read(test, 0).reg_last_reset_val, RESET);
	KUNIT_EXPECT_TRUE(test, pfm_msgq_empty(&f->ctx->msgq));
	KUNIT_EXPECT_EQ(test, f->ctx->frozen, 0U);
	KUNIT_EXPECT_EQ(test, hdr_of(test)->hdr_overflows, 0ULL);
}

static void pebs64_threshold_notifies_and_masks(struct kunit *test)
{
	struct fixture *f;
	pfm_msg_t msg;

	make(test, 0, 144, 4, 2);
	f = test->priv;
	fixture_start(test);
	overflow(test);
	overflow(test);
	KUNIT_ASSERT_TRUE(test, take_msg(&f->ctx->msgq, &msg));
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_ovfl_pmds[0], 1ULL);
	KUNIT_EXPECT_EQ(test, f->ctx->frozen, 1U);
	KUNIT_EXPECT_EQ(test, hdr_of(test)->hdr_overflows, 1ULL);
	KUNIT_EXPECT_EQ(test, records(test), 2ULL);
	/* The buffer has room, but masked counters do not count. */
	overflow(test);
	KUNIT_EXPECT_EQ(test, records(test), 2ULL);
	KUNIT_EXPECT_EQ(test, hdr_of(test)->hdr_lost, 0ULL);
}

static void restart_rewinds_the_index(struct kunit *test)
{
	make(test, 0, 144, 3, 3);
	fixture_start(test);
	overflow(test);
	overflow(test);
	overflow(test);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, records(test), 0ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), RESET);
	overflow_with(test, 0x5000, false);
	KUNIT_EXPECT_EQ(test, records(test), 1ULL);
	expect_record(test, 144, 0, 0x5000);
	KUNIT_EXPECT_EQ(test, hdr_of(test)->hdr_overflows, 1ULL);
}

static void pebs64_active_restart_only_rewinds(struct kunit *test)
{
	make(test, 0, 144, 3, 3);
	fixture_start(test);
	overflow(test);
	fixture_count(test, 30);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, records(test), 0ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), RESET + 30);
}

static void simultaneous_overflows_share_a_record(struct kunit *test)
{
	const pfm_pebs64_nhm_entry_t *rec;

	make(test, PFM_PEBS64_SMPL_NEHALEM, 176, 3, 3);
	fixture_counter(test, 1, 0, RESET);
	fixture_start(test);
	overflow_with(test, 1, true);
	rec = buf_of(test) + BASE;
	KUNIT_EXPECT_EQ(test, records(test), 1ULL);
	KUNIT_EXPECT_EQ(test, rec->status, 3ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), RESET);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), RESET);
}

static void counters_of_the_last_instant_interrupt_once(struct kunit *test)
{
	make(test, 0, 144, 1, 1);
	fixture_counter(test, 1, 0, RESET);
	fixture_start(test);
	overflow_with(test, 1, true);
	KUNIT_EXPECT_EQ(test, hdr_of(test)->hdr_overflows, 1ULL);
	KUNIT_EXPECT_EQ(test, records(test), 1ULL);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), RESET);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), RESET);
}

static void pebs64_imprecise_record_sets_header_flag(struct kunit *test)
{
	struct pfm_sim_tick tick = { .task = current, .delta = { PERIOD } };

	make(test, PFM_PEBS64_SMPL_IMPRECISE, 144, 4, 4);
	fixture_start(test);
	overflow(test);
	KUNIT_EXPECT_EQ(test, hdr_of(test)->hdr_flags, 0U);
	tick.rec.imprecise = true;
	KUNIT_ASSERT_EQ(test, pfm_sim_advance(&tick), 0);
	KUNIT_EXPECT_EQ(test, hdr_of(test)->hdr_flags,
			(u32)PFM_PEBS64_HDR_IMPRECISE);
}

/* Proves 3.5.6-01 */
static void pebs64_ignores_forged_header(struct kunit *test)
{
	int byte;

	make(test, 0, 144, 2, 2);
	fixture_start(test);
	for (byte = 0; byte < sizeof(pfm_pebs64_smpl_hdr_t); byte++) {
		((u8 *)buf_of(test))[byte] = 0xff;
		overflow(test);
		overflow(test);
		KUNIT_ASSERT_EQ(test,
				ctx_of(test)->frozen,
				1U);
		KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	}
}

static struct kunit_case pebs64_cases[] = {
	KUNIT_CASE(validate_wants_room_for_the_threshold),
	KUNIT_CASE(validate_refuses_what_cannot_be),
	KUNIT_CASE(init_lays_out_an_empty_area),
	KUNIT_CASE(pebs64_records_of_all_sizes_match_cpu_output),
	KUNIT_CASE(pebs64_record_reloads_counter_silently),
	KUNIT_CASE(pebs64_threshold_notifies_and_masks),
	KUNIT_CASE(restart_rewinds_the_index),
	KUNIT_CASE(pebs64_active_restart_only_rewinds),
	KUNIT_CASE(simultaneous_overflows_share_a_record),
	KUNIT_CASE(counters_of_the_last_instant_interrupt_once),
	KUNIT_CASE(pebs64_imprecise_record_sets_header_flag),
	KUNIT_CASE(pebs64_ignores_forged_header),
	{}
};

static struct kunit_suite pebs64_suite = {
	.name = "pfm_pebs64",
	.exit = fixture_exit,
	.test_cases = pebs64_cases,
};
kunit_test_suite(pebs64_suite);
