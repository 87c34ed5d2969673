// SPDX-License-Identifier: GPL-2.0
/*
 * sink_kunit.c - the call-backs of a format that records into a sink, called
 * directly
 */
#include <kunit/test.h>
#include <linux/sizes.h>
#include <perfmon/perfmon_fmt_kunit.h>
#include <perfmon/perfmon_fmt_sink.h>
#include "../../examples/format_mini/perfmon_mini_smpl.h"

#define RECORD	sizeof(pfm_mini_record_t)
#define GO_ON	((u32)PFM_OVFL_CTRL_RESET)
#define TELL	((u32)(PFM_OVFL_CTRL_RESET | PFM_OVFL_CTRL_NOTIFY))
#define HOLD	((u32)PFM_OVFL_CTRL_HOLD)
#define OVERWRITE	PFM_SINK_OVERWRITE

static int sink_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_MINI_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

/*
 * Return the size of the largest possible record, which has the values of all
 * PMDs.
 */
static u64 max_record(void)
{
	return RECORD + 8 * pfm_num_pmds();
}

/*
 * Create a buffer of @regions regions, each with room for @records records
 * without PMD values.
 */
static void make(struct kunit *test, u32 regions, u64 records, u32 flags)
{
	u64 region = max_record() + (records - 1) * RECORD;
	pfm_sink_arg_t arg = {
		.buf_size = PFM_SINK_REGION_OFFS(regions) + regions * region,
		.num_regions = regions,
		.flags = flags,
	};

	pfm_calls_make(test, &arg);
}

static pfm_sink_hdr_t *hdr_of(const struct pfm_fmt_calls *d)
{
	return d->buf;
}

static pfm_sink_rgn_t *rgn_of(const struct pfm_fmt_calls *d, u32 n)
{
	return (pfm_sink_rgn_t *)(hdr_of(d) + 1) + n;
}

/*
 * Return record @i of region @n. @i counts a record with two PMD values twice,
 * because the values take as much room as a record without values.
 */
static pfm_mini_record_t *record_of(const struct pfm_fmt_calls *d, u32 n, u32 i)
{
	const pfm_sink_hdr_t *hdr = hdr_of(d);
	void *region = d->buf + hdr->hdr_region_offs + n * hdr->hdr_region_size;

	return (pfm_mini_record_t *)region + i;
}

/* Make @pmd overflow. Return: the handler's control bits. */
static u32 overflow(struct kunit *test, u16 pmd)
{
	struct pfm_fmt_calls *d = test->priv;

	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, pmd, 0), 0);
	return d->arg.ovfl_ctrl.val;
}

static void overflows(struct kunit *test, unsigned int n)
{
	while (n--)
		overflow(test, 0);
}

static int validate(struct kunit *test, u64 size, u32 regions, u32 flags)
{
	struct pfm_fmt_calls *d = test->priv;
	pfm_sink_arg_t arg = { .buf_size = size, .num_regions = regions,
			       .flags = flags };

	return d->fmt->fmt_validate(0, pfm_num_pmds(), &arg);
}

/* Return the number of recorded samples according to the header. */
static u64 recorded(const struct pfm_fmt_calls *d)
{
	const pfm_sink_hdr_t *hdr = hdr_of(d);
	u64 sum = hdr->hdr_past + hdr->hdr_overwritten;
	u32 n;

	for (n = 0; n < hdr->hdr_num_regions; n++)
		sum += rgn_of(d, n)->rgn_count;
	return sum;
}

static void arguments_out_of_range_are_refused(struct kunit *test)
{
	const u64 two = PFM_SINK_REGION_OFFS(2) + 2 * max_record();

	KUNIT_EXPECT_EQ(test, validate(test, two, 2, 0), 0);
	KUNIT_EXPECT_EQ(test, validate(test, two - 1, 2, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, 0, 1, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, two, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, validate(test, two, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 64, 0), 0);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 65, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, U32_MAX, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 2, 2), -EINVAL);
}

static void sink_overwrite_needs_several_regions(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 2, OVERWRITE), 0);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 1, OVERWRITE), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 0, OVERWRITE), -EINVAL);
}

static void sink_header_describes_empty_buffer(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	pfm_sink_hdr_t *hdr;

	make(test, 2, 3, 0);
	hdr = hdr_of(d);
	KUNIT_EXPECT_EQ(test, hdr->hdr_magic, PFM_SINK_MAGIC);
	KUNIT_EXPECT_EQ(test, hdr->hdr_version, PFM_SINK_VERSION);
	KUNIT_EXPECT_EQ(test, hdr->hdr_fmt_version, PFM_MINI_SMPL_VERSION);
	KUNIT_EXPECT_EQ(test, hdr->hdr_region_offs, PFM_SINK_REGION_OFFS(2));
	KUNIT_EXPECT_EQ(test, hdr->hdr_region_size, max_record() + 2 * RECORD);
	KUNIT_EXPECT_EQ(test, hdr->hdr_buf_size, PFM_SINK_REGION_OFFS(2) +
			2 * hdr->hdr_region_size);
	KUNIT_EXPECT_EQ(test, hdr->hdr_max_record, max_record());
	KUNIT_EXPECT_EQ(test, hdr->hdr_num_regions, 2);
	KUNIT_EXPECT_EQ(test, hdr->hdr_flags, 0);
	KUNIT_EXPECT_EQ(test, hdr->hdr_cur_region, 0);
	KUNIT_EXPECT_EQ(test, hdr->hdr_more_offs, 128 + 2 * 32);
	KUNIT_EXPECT_EQ(test, recorded(d), 0);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_state, PFM_SINK_RGN_FILLING);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_seq, 1);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_state, PFM_SINK_RGN_FREE);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_seq, 0);
}

static pfm_sink_more_t *more_of(const struct pfm_fmt_calls *d)
{
	return d->buf + hdr_of(d)->hdr_more_offs;
}

static void skipped_samples_are_not_lost(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	unsigned int i;

	make(test, 2, 3, 0);
	KUNIT_EXPECT_EQ(test, more_of(d)->more_skipped, 0ULL);
	for (i = 0; i < 3; i++) {
		d->arg.ovfl_ctrl.val = 0;
		KUNIT_EXPECT_EQ(test, pfm_sink_skip(d->buf, &d->arg), 0);
		KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, GO_ON);
		/*
		 * The format must not read back this count, which user space
		 * may have changed.
		 */
		more_of(d)->more_skipped = 99;
	}
	KUNIT_EXPECT_EQ(test, pfm_sink_skip(d->buf, &d->arg), 0);
	KUNIT_EXPECT_EQ(test, more_of(d)->more_skipped, 4ULL);
	KUNIT_EXPECT_EQ(test, recorded(d), 0);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(hdr_of(d)->hdr_lost, 0,
					    sizeof(hdr_of(d)->hdr_lost)));
}

static void skipping_abandons_a_begun_record(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 1, 2, 0);
	KUNIT_ASSERT_NOT_NULL(test, pfm_sink_begin(d->buf, &d->arg));
	pfm_sink_skip(d->buf, &d->arg);
	overflows(test, 1);
	KUNIT_EXPECT_EQ(test, recorded(d), 1);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_used, RECORD);
}

static void sink_regions_default_to_one(struct kunit *test)
{
	pfm_sink_arg_t arg = { .buf_size = SZ_4K };
	struct pfm_fmt_calls *d = test->priv;

	pfm_calls_make(test, &arg);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_num_regions, 1);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_region_offs,
			PFM_SINK_REGION_OFFS(1));
}

static void sink_records_are_adjacent(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	const pfm_mini_record_t *record;

	make(test, 1, 8, 0);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 5, 2), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, GO_ON);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 6, 0), 0);
	record = record_of(d, 0, 0);
	KUNIT_EXPECT_EQ(test, record->ip, 0x1005);
	KUNIT_EXPECT_EQ(test, record->tid, 12);
	KUNIT_EXPECT_EQ(test, record->num_pmds, 2);
	KUNIT_EXPECT_EQ(test, ((u64 *)(record + 1))[0], 0xaa00);
	KUNIT_EXPECT_EQ(test, ((u64 *)(record + 1))[1], 0xaa01);
	record = record_of(d, 0, 2);
	KUNIT_EXPECT_EQ(test, record->ip, 0x1006);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_count, 2);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_used, 2 * RECORD + 16);
}

static void sink_single_region_is_refilled_after_restart(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 1, 3, 0);
	overflows(test, 2);
	KUNIT_EXPECT_EQ(test, overflow(test, 7), HOLD);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_fills, 1);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_state, PFM_SINK_RGN_READY);
	KUNIT_EXPECT_EQ(test, record_of(d, 0, 2)->ip, 0x1007);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, false), GO_ON);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_freed, 1);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_past, 3);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_count, 0);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_seq, 2);
	KUNIT_EXPECT_EQ(test, overflow(test, 8), GO_ON);
	KUNIT_EXPECT_EQ(test, record_of(d, 0, 0)->ip, 0x1008);
	KUNIT_EXPECT_EQ(test, recorded(d), 4);
}

static void sink_full_buffer_loses_sample_and_holds(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 1, 2, 0);
	overflows(test, 2);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 0, 0), -ENOBUFS);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, HOLD);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_lost[PFM_SINK_LOST_FULL], 1);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_count, 2);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_fills, 1);
}

static void several_regions_are_handed_out_in_turn(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 3, 2, 0);
	overflows(test, 1);
	KUNIT_EXPECT_EQ(test, overflow(test, 0), TELL);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_cur_region, 1);
	KUNIT_EXPECT_EQ(test, overflow(test, 9), GO_ON);
	KUNIT_EXPECT_EQ(test, record_of(d, 1, 0)->ip, 0x1009);
	KUNIT_EXPECT_EQ(test, overflow(test, 0), TELL);
	overflows(test, 1);
	KUNIT_EXPECT_EQ(test, overflow(test, 0), HOLD);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_fills, 3);
	/*
	 * All regions are full, so the restart frees the oldest one, which is
	 * then filled next.
	 */
	pfm_calls_restart(test, false);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_cur_region, 0);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_seq, 4);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_count, 2);
	KUNIT_EXPECT_EQ(test, recorded(d), 6);
}

static void sink_restart_keeps_unfinished_region(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 2, 3, 0);
	overflows(test, 2);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, true), 0);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_count, 2);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_seq, 1);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_freed, 0);
	overflows(test, 2);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, true), 0);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_state, PFM_SINK_RGN_FREE);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_seq, 0);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_count, 1);
}

static void sink_overwrite_wraps_without_notification(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	u16 i;

	make(test, 2, 2, OVERWRITE);
	for (i = 0; i < 7; i++)
		KUNIT_EXPECT_EQ(test, overflow(test, i), GO_ON);
	/*
	 * Records 4 and 5 have replaced 0 and 1; record 6 has replaced 2 and 3.
	 */
	KUNIT_EXPECT_EQ(test, record_of(d, 0, 1)->ip, 0x1005);
	KUNIT_EXPECT_EQ(test, record_of(d, 1, 0)->ip, 0x1006);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_seq, 3);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_seq, 4);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_overwritten, 4);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_fills, 3);
	KUNIT_EXPECT_EQ(test, recorded(d), 7);
}

static void sink_overwrite_restart_empties_only_if_masked(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 2, 2, OVERWRITE);
	overflows(test, 3);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, true), 0);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_count, 1);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, false), GO_ON);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_count, 0);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_state, PFM_SINK_RGN_FILLING);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_count, 0);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_seq, 0);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_past, 3);
	overflows(test, 5);
	KUNIT_EXPECT_EQ(test, recorded(d), 8);
}

static void handler_believes_nothing_in_the_mapped_header(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	u64 offs, size;

	make(test, 2, 2, 0);
	offs = hdr_of(d)->hdr_region_offs;
	size = hdr_of(d)->hdr_region_size;
	memset(d->buf, 0xff, offs);
	overflows(test, 3);
	pfm_calls_restart(test, false);
	overflows(test, 1);
	KUNIT_EXPECT_EQ(test, ((pfm_mini_record_t *)(d->buf + offs + size))->ip,
			0x1000);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_fills, 2);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_past, 2);
}

static void value_of_sampled_pmd_is_found(struct kunit *test)
{
	pfm_ovfl_arg_t *arg = kunit_kzalloc(test, sizeof(*arg), GFP_KERNEL);
	u16 i;

	KUNIT_ASSERT_NOT_NULL(test, arg);
	pfm_bv_set(arg->smpl_pmds, 3);
	pfm_bv_set(arg->smpl_pmds, 70);
	pfm_bv_set(arg->smpl_pmds, PFM_PMD_LATENCY);
	for (i = 0; i < 3; i++)
		arg->smpl_pmds_values[i] = 10 + i;
	KUNIT_EXPECT_EQ(test, pfm_smpl_value_or(arg, 3, 0), 10);
	KUNIT_EXPECT_EQ(test, pfm_smpl_value_or(arg, 70, 0), 11);
	KUNIT_EXPECT_EQ(test, pfm_smpl_value_or(arg, PFM_PMD_LATENCY, 0), 12);
	KUNIT_EXPECT_EQ(test, pfm_smpl_value_or(arg, 71, 9), 9);
}

/*
 * The PMD's number comes from a user's argument, so it must be checked against
 * the size of the bit vector.
 */
static void pmd_out_of_range_has_no_value(struct kunit *test)
{
	pfm_ovfl_arg_t *arg = kunit_kzalloc(test, sizeof(*arg), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, arg);
	memset(arg, 0xff, sizeof(*arg));
	KUNIT_EXPECT_NOT_NULL(test, pfm_smpl_value(arg, PFM_MAX_PMDS - 1));
	KUNIT_EXPECT_NULL(test, pfm_smpl_value(arg, PFM_MAX_PMDS));
	KUNIT_EXPECT_NULL(test, pfm_smpl_value(arg, U16_MAX));
	KUNIT_EXPECT_NULL(test, pfm_smpl_value(arg, U16_MAX + 1));
	KUNIT_EXPECT_NULL(test, pfm_smpl_value(arg, U64_MAX));
}

static void uuid_text_is_parsed_to_bytes(struct kunit *test)
{
	static const pfm_uuid_t made =
		PFM_UUID("01234567-89ab-cdef-1032-547698badcfe");
	static const pfm_uuid_t bytes = {
		0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
		0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe };

	KUNIT_EXPECT_TRUE(test, pfm_uuid_equal(made, bytes));
}

/* A UUID without the last two digits. */
#define UUID_HEAD	"01234567-89ab-cdef-1032-547698badc"

static void malformed_uuid_text_is_refused(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, PFM_UUID_IS_TEXT(UUID_HEAD "00"));
	KUNIT_EXPECT_TRUE(test, PFM_UUID_IS_TEXT(PFM_MINI_SMPL_UUID_STR));
	KUNIT_EXPECT_FALSE(test, PFM_UUID_IS_TEXT(""));
	KUNIT_EXPECT_FALSE(test, PFM_UUID_IS_TEXT(UUID_HEAD "0A"));
	KUNIT_EXPECT_FALSE(test, PFM_UUID_IS_TEXT(UUID_HEAD "0g"));
	KUNIT_EXPECT_FALSE(test, PFM_UUID_IS_TEXT(UUID_HEAD "-0"));
	KUNIT_EXPECT_FALSE(test, PFM_UUID_IS_TEXT(UUID_HEAD "000"));
}

static struct kunit_case sink_cases[] = {
	KUNIT_CASE(arguments_out_of_range_are_refused),
	KUNIT_CASE(sink_overwrite_needs_several_regions),
	KUNIT_CASE(sink_header_describes_empty_buffer),
	KUNIT_CASE(skipped_samples_are_not_lost),
	KUNIT_CASE(skipping_abandons_a_begun_record),
	KUNIT_CASE(sink_regions_default_to_one),
	KUNIT_CASE(sink_records_are_adjacent),
	KUNIT_CASE(sink_single_region_is_refilled_after_restart),
	KUNIT_CASE(sink_full_buffer_loses_sample_and_holds),
	KUNIT_CASE(several_regions_are_handed_out_in_turn),
	KUNIT_CASE(sink_restart_keeps_unfinished_region),
	KUNIT_CASE(sink_overwrite_wraps_without_notification),
	KUNIT_CASE(sink_overwrite_restart_empties_only_if_masked),
	KUNIT_CASE(handler_believes_nothing_in_the_mapped_header),
	KUNIT_CASE(value_of_sampled_pmd_is_found),
	KUNIT_CASE(pmd_out_of_range_has_no_value),
	KUNIT_CASE(uuid_text_is_parsed_to_bytes),
	KUNIT_CASE(malformed_uuid_text_is_refused),
	{}
};

static struct kunit_suite sink_suite = {
	.name = "pfm_sink",
	.init = sink_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = sink_cases,
};

kunit_test_suite(sink_suite);
