// SPDX-License-Identifier: GPL-2.0
/*
 * default_kunit.c - the default format's call-backs (3.6), called directly
 */
#include <kunit/test.h>
#include <perfmon/perfmon_default_smpl.h>
#include <perfmon/perfmon_fmt_kunit.h>

#define HDR	sizeof(pfm_default_smpl_hdr_t)
#define ENTRY	sizeof(pfm_default_smpl_entry_t)

static int dfl_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_DFL_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

/*
 * Return the size of the largest possible entry: a header of @hdr bytes, and
 * the values of all PMDs of the PMU.
 */
static u64 max_entry(u64 hdr)
{
	return hdr + 8 * pfm_num_pmds();
}

static void make(struct kunit *test, u64 size, u32 flags)
{
	pfm_default_smpl_arg_t arg = { .buf_size = size, .buf_flags = flags };

	pfm_calls_make(test, &arg);
}

static int validate(struct pfm_fmt_calls *d, u64 size, u32 flags)
{
	pfm_default_smpl_arg_t arg = { .buf_size = size, .buf_flags = flags };

	return d->fmt->fmt_validate(0, 10, &arg);
}

/* Proves 3.6.2-06, 3.6.5-05, H14 */
static void default_validate_needs_room_for_largest_entry(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	KUNIT_EXPECT_EQ(test, validate(d, HDR + ENTRY + 80, 0), 0);
	KUNIT_EXPECT_EQ(test, validate(d, HDR + ENTRY + 79, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(d, 0, 0), -EINVAL);
	/* The required size depends on the header type. */
	KUNIT_EXPECT_EQ(test, validate(d, HDR + 88, PFM_DFL_SMPL_IIP_HDR), 0);
	KUNIT_EXPECT_EQ(test, validate(d, HDR + 87, PFM_DFL_SMPL_IIP_HDR),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, validate(d, HDR + 80, PFM_DFL_SMPL_NO_HDR), 0);
	KUNIT_EXPECT_EQ(test, validate(d, HDR + 79, PFM_DFL_SMPL_NO_HDR),
			-EINVAL);
}

/* Proves 3.6.2-02 */
static void validate_refuses_unknown_bits_and_reserved_fields(
	struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	pfm_default_smpl_arg_t arg = { .buf_size = 65536 };

	KUNIT_EXPECT_EQ(test, validate(d, 65536, 0x8), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(d, 65536, PFM_DFL_SMPL_ALL), -EINVAL);
	KUNIT_EXPECT_EQ(test,
			validate(d, 65536, PFM_DFL_SMPL_RAW_TIME |
						   PFM_DFL_SMPL_IIP_HDR),
			-EINVAL);
	arg.reserved1 = 1;
	KUNIT_EXPECT_EQ(test, d->fmt->fmt_validate(0, 10, &arg), -EINVAL);
	arg.reserved1 = 0;
	arg.reserved2[5] = 1;
	KUNIT_EXPECT_EQ(test, d->fmt->fmt_validate(0, 10, &arg), -EINVAL);
}

static void default_getsize_returns_requested_size(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	pfm_default_smpl_arg_t arg = { .buf_size = 12345 };
	size_t size = 0;

	KUNIT_EXPECT_EQ(test, d->fmt->fmt_getsize(0, &arg, &size), 0);
	KUNIT_EXPECT_EQ(test, size, (size_t)12345);
}

/* Proves 3.5.5-01, 3.6.3-01, 3.6.3-03, 3.6.3-05, 3.6.3-06, 3.6.3-07 */
static void init_describes_an_empty_buffer(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	pfm_default_smpl_hdr_t *hdr;

	make(test, 5001, PFM_DFL_SMPL_IIP_HDR);
	hdr = d->buf;
	KUNIT_EXPECT_EQ(test, hdr->hdr_count, 0ULL);
	KUNIT_EXPECT_EQ(test, hdr->hdr_cur_offs, (u64)HDR);
	KUNIT_EXPECT_EQ(test, hdr->hdr_overflows, 0ULL);
	KUNIT_EXPECT_EQ(test, hdr->hdr_buf_size, 5001ULL);
	KUNIT_EXPECT_EQ(test, hdr->hdr_min_buf_space, max_entry(8));
	KUNIT_EXPECT_EQ(test, hdr->hdr_version, 0x10000U);
	KUNIT_EXPECT_EQ(test, hdr->hdr_buf_flags, (u32)PFM_DFL_SMPL_IIP_HDR);
	KUNIT_EXPECT_EQ(test, hdr->hdr_time_mult, 0U);
}

static void default_raw_time_describes_conversion(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	const pfm_time_conv_t *raw;
	pfm_default_smpl_hdr_t *hdr;

	make(test, 4096, PFM_DFL_SMPL_RAW_TIME);
	hdr = d->buf;
	raw = &pfm_fmt_front(d->buf)->raw;
	KUNIT_EXPECT_NE(test, raw->time_mult, 0U);
	KUNIT_EXPECT_EQ(test, hdr->hdr_time_zero, raw->time_zero);
	KUNIT_EXPECT_EQ(test, hdr->hdr_time_mult, raw->time_mult);
	KUNIT_EXPECT_EQ(test, hdr->hdr_time_shift, raw->time_shift);
	KUNIT_EXPECT_EQ(test, hdr->hdr_min_buf_space, max_entry(ENTRY));
}

/*
 * Proves 3.6.3-02, 3.6.3-03, 3.6.3-11, 3.6.4-01, 3.6.4-02, 3.6.4-05, 3.6.4-12,
 * 3.6.4-13
 */
static void handler_writes_the_entry_and_its_values(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	pfm_default_smpl_entry_t *e;
	pfm_default_smpl_hdr_t *hdr;
	u64 *body;

	make(test, 4096, 0);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 7, 2), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, (u32)PFM_OVFL_CTRL_RESET);
	hdr = d->buf;
	e = d->buf + HDR;
	body = (void *)(e + 1);
	KUNIT_EXPECT_EQ(test, e->pid, 12U);
	KUNIT_EXPECT_EQ(test, e->tgid, 11U);
	KUNIT_EXPECT_EQ(test, e->ovfl_pmd, 7);
	KUNIT_EXPECT_EQ(test, e->reserved, 0);
	KUNIT_EXPECT_EQ(test, e->last_reset_val, -100ULL);
	KUNIT_EXPECT_EQ(test, e->ip, 0x1007ULL);
	KUNIT_EXPECT_EQ(test, e->tstamp, 5555ULL);
	KUNIT_EXPECT_EQ(test, e->cpu, 3);
	KUNIT_EXPECT_EQ(test, e->set, 4);
	KUNIT_EXPECT_EQ(test, body[0], 0xaa00ULL);
	KUNIT_EXPECT_EQ(test, body[1], 0xaa01ULL);
	KUNIT_EXPECT_EQ(test, hdr->hdr_count, 1ULL);
	KUNIT_EXPECT_EQ(test, hdr->hdr_cur_offs, (u64)HDR + ENTRY + 16);
}

/* Proves 3.6.4-11 */
static void default_entry_omits_event_id(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 4096, 0);
	pfm_calls_sample(d, 1, 0);
	d->arg.pmd_eventid = ~0ULL;
	pfm_calls_sample(d, 1, 0);
	KUNIT_EXPECT_MEMEQ(test, d->buf + HDR, d->buf + HDR + ENTRY, ENTRY);
}

/* Proves 3.6-04, 3.6.4-17 */
static void default_entries_of_different_sizes_are_adjacent(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	pfm_default_smpl_entry_t *second, *third;
	pfm_default_smpl_hdr_t *hdr;

	make(test, 4096, 0);
	pfm_calls_sample(d, 1, 3);
	pfm_calls_sample(d, 2, 0);
	pfm_calls_sample(d, 3, 1);
	hdr = d->buf;
	second = d->buf + HDR + ENTRY + 24;
	third = second + 1;
	KUNIT_EXPECT_EQ(test, second->ovfl_pmd, 2);
	KUNIT_EXPECT_EQ(test, third->ovfl_pmd, 3);
	KUNIT_EXPECT_EQ(test, hdr->hdr_count, 3ULL);
	KUNIT_EXPECT_EQ(test, hdr->hdr_cur_offs, (u64)HDR + 3 * ENTRY + 32);
}

/* Proves 3.6.2-04 */
static void iip_header_has_ip_only(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	u64 *entry;

	make(test, 4096, PFM_DFL_SMPL_IIP_HDR);
	pfm_calls_sample(d, 1, 1);
	entry = d->buf + HDR;
	KUNIT_EXPECT_EQ(test, entry[0], 0x1001ULL);
	KUNIT_EXPECT_EQ(test, entry[1], 0xaa00ULL);
}

/* Proves 3.6.2-03 */
static void default_no_header_writes_values_only(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	pfm_default_smpl_hdr_t *hdr;
	u64 *entry;

	make(test, 4096, PFM_DFL_SMPL_NO_HDR);
	pfm_calls_sample(d, 1, 2);
	pfm_calls_sample(d, 1, 2);
	hdr = d->buf;
	entry = d->buf + HDR;
	KUNIT_EXPECT_EQ(test, entry[0], 0xaa00ULL);
	KUNIT_EXPECT_EQ(test, entry[3], 0xaa01ULL);
	KUNIT_EXPECT_EQ(test, hdr->hdr_cur_offs, (u64)HDR + 32);
}

/* Proves 3.6.2-05, 3.6.3-04, 3.6.5-03, 3.6.5-04, 3.6.5-05 */
static void default_last_fitting_entry_fills_buffer(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	pfm_default_smpl_hdr_t *hdr;

	/*
	 * After two small entries the largest entry does not fit, so the buffer
	 * is full.
	 */
	make(test, HDR + max_entry(ENTRY) + 2 * ENTRY - 1, 0);
	hdr = d->buf;
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, (u32)PFM_OVFL_CTRL_RESET);
	KUNIT_EXPECT_EQ(test, hdr->hdr_overflows, 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val,
			(u32)(PFM_OVFL_CTRL_NOTIFY | PFM_OVFL_CTRL_BLOCK |
			      PFM_OVFL_CTRL_MASK));
	KUNIT_EXPECT_EQ(test, hdr->hdr_overflows, 1ULL);
	KUNIT_EXPECT_EQ(test, hdr->hdr_count, 2ULL);
}

/* Proves 3.6.2-05, 3.6.4-19, 3.6.5-04, 3.6.5-05 */
static void default_room_for_largest_entry_is_not_full(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, HDR + max_entry(ENTRY) + 2 * ENTRY, 0);
	pfm_calls_sample(d, 1, 0);
	pfm_calls_sample(d, 1, 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, (u32)PFM_OVFL_CTRL_RESET);
	/* The largest entry just fits. */
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 1, pfm_num_pmds()), 0);
	KUNIT_EXPECT_EQ(test,
			((pfm_default_smpl_hdr_t *)d->buf)->hdr_cur_offs,
			(u64)HDR + max_entry(ENTRY) + 2 * ENTRY);
}

/* Proves 3.6.4-19 */
static void default_full_buffer_drops_samples(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	pfm_default_smpl_hdr_t *hdr;

	make(test, HDR + max_entry(ENTRY), 0);
	hdr = d->buf;
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 2, pfm_num_pmds()), -ENOBUFS);
	KUNIT_EXPECT_TRUE(test, d->arg.ovfl_ctrl.mask_monitoring);
	KUNIT_EXPECT_EQ(test, hdr->hdr_count, 1ULL);
	KUNIT_EXPECT_EQ(test, hdr->hdr_overflows, 1ULL);
}

/* Proves 3.6.3-04, 3.6.3-10, 3.6.5-13 */
static void default_restart_empties_buffer_and_resets(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	pfm_default_smpl_entry_t *e;
	pfm_default_smpl_hdr_t *hdr;

	make(test, HDR + max_entry(ENTRY), 0);
	hdr = d->buf;
	e = d->buf + HDR;
	pfm_calls_sample(d, 1, 0);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, false),
			(u32)PFM_OVFL_CTRL_RESET);
	KUNIT_EXPECT_EQ(test, hdr->hdr_count, 0ULL);
	KUNIT_EXPECT_EQ(test, hdr->hdr_cur_offs, (u64)HDR);
	/*
	 * The restart keeps the old bytes, and the number of times that the
	 * buffer was full.
	 */
	KUNIT_EXPECT_EQ(test, hdr->hdr_overflows, 1ULL);
	KUNIT_EXPECT_EQ(test, e->ovfl_pmd, 1);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 2, 0), 0);
	KUNIT_EXPECT_EQ(test, e->ovfl_pmd, 2);
	KUNIT_EXPECT_EQ(test, hdr->hdr_overflows, 2ULL);
}

/* Proves 3.6.5-16 */
static void active_restart_resets_no_pmd(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 4096, 0);
	pfm_calls_sample(d, 1, 0);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, true), 0U);
	KUNIT_EXPECT_EQ(test, ((pfm_default_smpl_hdr_t *)d->buf)->hdr_count,
			0ULL);
}

/* Proves H03 */
static void handler_believes_nothing_in_the_mapped_header(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	int byte, value;

	/* KASAN detects writes at a forged offset or size. */
	for (byte = 0; byte < HDR; byte++) {
		make(test, HDR + max_entry(ENTRY) + ENTRY, 0);
		for (value = 0; value < 256; value += 51) {
			((u8 *)d->buf)[byte] = value;
			pfm_calls_sample(d, 1, 0);
			KUNIT_ASSERT_NE(test, d->arg.ovfl_ctrl.val, 0U);
		}
	}
}

static struct kunit_case dfl_cases[] = {
	KUNIT_CASE(default_validate_needs_room_for_largest_entry),
	KUNIT_CASE(validate_refuses_unknown_bits_and_reserved_fields),
	KUNIT_CASE(default_getsize_returns_requested_size),
	KUNIT_CASE(init_describes_an_empty_buffer),
	KUNIT_CASE(default_raw_time_describes_conversion),
	KUNIT_CASE(handler_writes_the_entry_and_its_values),
	KUNIT_CASE(default_entry_omits_event_id),
	KUNIT_CASE(default_entries_of_different_sizes_are_adjacent),
	KUNIT_CASE(iip_header_has_ip_only),
	KUNIT_CASE(default_no_header_writes_values_only),
	KUNIT_CASE(default_last_fitting_entry_fills_buffer),
	KUNIT_CASE(default_room_for_largest_entry_is_not_full),
	KUNIT_CASE(default_full_buffer_drops_samples),
	KUNIT_CASE(default_restart_empties_buffer_and_resets),
	KUNIT_CASE(active_restart_resets_no_pmd),
	KUNIT_CASE(handler_believes_nothing_in_the_mapped_header),
	{}
};

static struct kunit_suite dfl_suite = {
	.name = "pfm_default",
	.init = dfl_init,
	.exit = pfm_calls_exit,
	.test_cases = dfl_cases,
};
kunit_test_suite(dfl_suite);
