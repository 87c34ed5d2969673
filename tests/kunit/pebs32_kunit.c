// SPDX-License-Identifier: GPL-2.0
/*
 * pebs32_kunit.c - the 32-bit PEBS format, filled by the simulated PMU
 *		    (Eranian 2006, 5.4)
 */
#include <perfmon/perfmon_pebs32_smpl.h>
#include "ds_area.h"
#include "fmt.h"

static const pfm_uuid_t uuid = PFM_PEBS32_SMPL_UUID;

static void make(struct kunit *test, u32 records, u32 thres)
{
	pfm_pebs32_smpl_arg_t arg = {
		.buf_size = BASE + records * 40,
		.intr_thres = thres,
		.cnt_reset = RESET,
	};

	fixture_create_with(test, uuid, &arg, sizeof(arg));
	fixture_counter(test, 0, NOTIFY, RESET);
}

static pfm_pebs32_smpl_hdr_t *hdr_of(struct kunit *test)
{
	return buf_of(test);
}

static int validate(u32 size, u32 thres, u32 flags, u64 reserved)
{
	pfm_pebs32_smpl_arg_t arg = { .buf_size = size, .intr_thres = thres,
				      .flags = flags,
				      .reserved2 = { 0, reserved } };
	const pfm_buffer_fmt_t *fmt = pfm_fmt_get(uuid);
	int ret = fmt->fmt_validate(0, pfm_num_pmds(), &arg);

	pfm_fmt_put(fmt);
	return ret;
}

static void validate_wants_room_for_the_threshold(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, validate(BASE + 40, 1, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, validate(BASE + 39, 1, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(BASE + 2 * 40, 2, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, validate(BASE + 2 * 40, 3, 0, 0), -EINVAL);
}

static void validate_refuses_what_cannot_be(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, validate(0, 0, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(1, 1, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(65536, 0, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(~0U, ~0U, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(65536, 1, 0x10, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(65536, 1, 0, 1), -EINVAL);
}

static void init_lays_out_an_empty_area(struct kunit *test)
{
	pfm_pebs32_smpl_hdr_t *hdr;

	make(test, 9, 5);
	hdr = hdr_of(test);
	KUNIT_EXPECT_EQ(test, hdr->hdr_buf_size, 256U + 9 * 40);
	KUNIT_EXPECT_EQ(test, hdr->hdr_start_offs, 172U);
	KUNIT_EXPECT_EQ(test, hdr->hdr_entry_size, 40U);
	KUNIT_EXPECT_EQ(test, hdr->hdr_ds.pebs_buf_base, 256U);
	KUNIT_EXPECT_EQ(test, hdr->hdr_ds.pebs_index, 256U);
	KUNIT_EXPECT_EQ(test, hdr->hdr_ds.pebs_abs_max, 256U + 9 * 40);
	KUNIT_EXPECT_EQ(test, hdr->hdr_ds.pebs_intr_thres, 256U + 5 * 40);
	KUNIT_EXPECT_EQ(test, hdr->hdr_ds.pebs_cnt_reset, RESET);
}

static void pebs32_records_match_cpu_output(struct kunit *test)
{
	u32 *field;
	int n, i;

	make(test, 8, 8);
	fixture_start(test);
	for (n = 0; n < 3; n++)
		overflow_with(test, 0xfffff000 + n * 100, false);
	KUNIT_EXPECT_EQ(test, hdr_of(test)->hdr_ds.pebs_index, 256U + 3 * 40);
	for (n = 0; n < 3; n++) {
		field = buf_of(test) + BASE + n * 40;
		for (i = 0; i < 10; i++)
			KUNIT_EXPECT_EQ(test, field[i],
					0xfffff000U + n * 100 + i);
	}
}

static void pebs32_oversized_value_drops_record(struct kunit *test)
{
	make(test, 8, 8);
	fixture_start(test);
	overflow_with(test, 0xfffffff0, false);
	/* The value of the last register has more than 32 bits. */
	overflow_with(test, 0xfffffff7, false);
	overflow_with(test, 0x100000000ULL, false);
	KUNIT_EXPECT_EQ(test, hdr_of(test)->hdr_ds.pebs_index, 256U + 40);
	KUNIT_EXPECT_EQ(test, hdr_of(test)->hdr_dropped, 2ULL);
	KUNIT_EXPECT_EQ(test, hdr_of(test)->hdr_lost, 0ULL);
	/* The counter was reset although the record was dropped. */
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), RESET);
	overflow_with(test, 5, false);
	KUNIT_EXPECT_EQ(test, hdr_of(test)->hdr_ds.pebs_index, 256U + 80);
}

static void restart_rewinds_the_index(struct kunit *test)
{
	make(test, 2, 2);
	fixture_start(test);
	overflow_with(test, 1, false);
	overflow_with(test, 2, false);
	KUNIT_EXPECT_EQ(test, hdr_of(test)->hdr_overflows, 1ULL);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, hdr_of(test)->hdr_ds.pebs_index, 256U);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), RESET);
	overflow_with(test, 3, false);
	KUNIT_EXPECT_EQ(test, hdr_of(test)->hdr_ds.pebs_index, 256U + 40);
}

static void counters_of_the_last_instant_interrupt_once(struct kunit *test)
{
	make(test, 1, 1);
	fixture_counter(test, 1, 0, RESET);
	fixture_start(test);
	overflow_with(test, 1, true);
	KUNIT_EXPECT_EQ(test, hdr_of(test)->hdr_overflows, 1ULL);
	KUNIT_EXPECT_EQ(test, hdr_of(test)->hdr_ds.pebs_index, 256U + 40);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), RESET);
}

static struct kunit_case pebs32_cases[] = {
	KUNIT_CASE(validate_wants_room_for_the_threshold),
	KUNIT_CASE(validate_refuses_what_cannot_be),
	KUNIT_CASE(init_lays_out_an_empty_area),
	KUNIT_CASE(pebs32_records_match_cpu_output),
	KUNIT_CASE(pebs32_oversized_value_drops_record),
	KUNIT_CASE(restart_rewinds_the_index),
	KUNIT_CASE(counters_of_the_last_instant_interrupt_once),
	{}
};

static struct kunit_suite pebs32_suite = {
	.name = "pfm_pebs32",
	.exit = fixture_exit,
	.test_cases = pebs32_cases,
};
kunit_test_suite(pebs32_suite);
