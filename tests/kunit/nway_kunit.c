// SPDX-License-Identifier: GPL-2.0
/*
 * nway_kunit.c - the n-way format's call-backs (6.3.1), called directly
 */
#include <kunit/test.h>
#include <perfmon/perfmon_nway_smpl.h>
#include <perfmon/perfmon_fmt_kunit.h>

#define ENTRY	sizeof(pfm_default_smpl_entry_t)
#define GO_ON	((u32)PFM_OVFL_CTRL_RESET)
#define TELL	((u32)(PFM_OVFL_CTRL_RESET | PFM_OVFL_CTRL_NOTIFY))
#define HOLD	((u32)PFM_OVFL_CTRL_HOLD)
#define MASK	PFM_NWAY_SMPL_MASK_WHEN_FULL

static int nway_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_NWAY_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

/*
 * Return the size of the largest possible entry, which has the values of all
 * PMDs.
 */
static u64 max_entry(void)
{
	return ENTRY + 8 * pfm_num_pmds();
}

/*
 * Return the size of a region that is full after @entries entries without PMDs:
 * the largest possible entry does not fit any more.
 */
static u64 region_of(u64 entries)
{
	return max_entry() + (entries - 1) * ENTRY;
}

static void make(struct kunit *test, u32 regions, u64 entries, u32 flags)
{
	pfm_nway_smpl_arg_t arg = {
		.buf_size = PFM_NWAY_REGION_OFFS(regions) +
			    regions * region_of(entries),
		.buf_flags = flags,
		.num_regions = regions,
	};

	pfm_calls_make(test, &arg);
}

static pfm_nway_smpl_hdr_t *hdr_of(const struct pfm_fmt_calls *d)
{
	return d->buf;
}

static pfm_nway_smpl_rgn_t *rgn_of(const struct pfm_fmt_calls *d, u32 n)
{
	return (pfm_nway_smpl_rgn_t *)(hdr_of(d) + 1) + n;
}

/* Return entry @i of region @n, whose entries must have no PMD values. */
static pfm_default_smpl_entry_t *entry_of(const struct pfm_fmt_calls *d, u32 n,
					  u32 i)
{
	const pfm_nway_smpl_hdr_t *hdr = hdr_of(d);
	void *region = d->buf + hdr->hdr_region_offs + n * hdr->hdr_region_size;

	return (pfm_default_smpl_entry_t *)region + i;
}

/* Make @pmd overflow. Return: the handler's control bits. */
static u32 overflow(struct kunit *test, u16 pmd)
{
	struct pfm_fmt_calls *d = test->priv;

	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, pmd, 0), 0);
	return d->arg.ovfl_ctrl.val;
}

static int validate(struct kunit *test, u64 size, u32 regions, u32 flags)
{
	struct pfm_fmt_calls *d = test->priv;
	pfm_nway_smpl_arg_t arg = { .buf_size = size, .num_regions = regions,
				    .buf_flags = flags };

	return d->fmt->fmt_validate(0, pfm_num_pmds(), &arg);
}

/* Proves 6.3.1-09 */
static void nway_validate_needs_2_to_64_regions(struct kunit *test)
{
	static const u32 bad[] = { 0, 1, 65, 0x80000000, ~0U };
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ(test, validate(test, 1 << 20, bad[i], 0),
				-EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, 1 << 20, 2, 0), 0);
	KUNIT_EXPECT_EQ(test, validate(test, 1 << 20, 64, MASK), 0);
}

static void nway_validate_needs_largest_entry_per_region(
	struct kunit *test)
{
	u64 enough = PFM_NWAY_REGION_OFFS(3) + 3 * max_entry();

	KUNIT_EXPECT_EQ(test, validate(test, enough, 3, 0), 0);
	KUNIT_EXPECT_EQ(test, validate(test, enough - 1, 3, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, enough, 4, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, 0, 2, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, 1, 2, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, PFM_NWAY_REGION_OFFS(2), 2, 0),
			-EINVAL);
}

/* Proves H14 */
static void nway_getsize_does_not_wrap(struct kunit *test)
{
	/*
	 * The core refuses these sizes later. Calculations with them must not
	 * wrap in fmt_validate.
	 */
	KUNIT_EXPECT_EQ(test, validate(test, ~0ULL, 64, 0), 0);
	KUNIT_EXPECT_EQ(test, validate(test, 1ULL << 63, 2, 0), 0);
}

static void validate_refuses_unknown_bits_and_reserved_fields(
	struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	pfm_nway_smpl_arg_t arg = { .buf_size = 65536, .num_regions = 2 };

	KUNIT_EXPECT_EQ(test, validate(test, 65536, 2, 0x2), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, 65536, 2, 0x80000000), -EINVAL);
	arg.reserved[5] = 1;
	KUNIT_EXPECT_EQ(test,
			d->fmt->fmt_validate(0, pfm_num_pmds(), &arg), -EINVAL);
}

/* Proves 6.3.1-08, P5.4-05 */
static void nway_init_describes_empty_regions(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	pfm_nway_smpl_hdr_t *hdr;

	make(test, 3, 5, MASK);
	hdr = hdr_of(d);
	KUNIT_EXPECT_EQ(test, hdr->hdr_region_offs, 128ULL + 3 * 64);
	KUNIT_EXPECT_EQ(test, hdr->hdr_region_size, region_of(5));
	KUNIT_EXPECT_EQ(test, hdr->hdr_buf_size, 320 + 3 * region_of(5));
	KUNIT_EXPECT_EQ(test, hdr->hdr_min_region_space, max_entry());
	KUNIT_EXPECT_EQ(test, hdr->hdr_num_regions, 3U);
	KUNIT_EXPECT_EQ(test, hdr->hdr_version, 0x10000U);
	KUNIT_EXPECT_EQ(test, hdr->hdr_buf_flags, (u32)MASK);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_state,
			(u32)PFM_NWAY_RGN_FILLING);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_seq, 1ULL);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_seq, 0ULL);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 2)->rgn_state, (u32)PFM_NWAY_RGN_FREE);
}

/* Proves 6.3.1-08 */
static void nway_entries_have_default_format(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	pfm_default_smpl_entry_t *e;
	u64 *body;

	make(test, 2, 9, 0);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 7, 2), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, GO_ON);
	e = entry_of(d, 0, 0);
	body = (u64 *)(e + 1);
	KUNIT_EXPECT_EQ(test, e->pid, 12U);
	KUNIT_EXPECT_EQ(test, e->tgid, 11U);
	KUNIT_EXPECT_EQ(test, e->ovfl_pmd, 7);
	KUNIT_EXPECT_EQ(test, e->last_reset_val, -100ULL);
	KUNIT_EXPECT_EQ(test, e->ip, 0x1007ULL);
	KUNIT_EXPECT_EQ(test, e->tstamp, 5555ULL);
	KUNIT_EXPECT_EQ(test, e->cpu, 3);
	KUNIT_EXPECT_EQ(test, e->set, 4);
	KUNIT_EXPECT_EQ(test, body[0], 0xaa00ULL);
	KUNIT_EXPECT_EQ(test, body[1], 0xaa01ULL);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_count, 1ULL);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_size, (u64)ENTRY + 16);
}

/* Proves 6.3.1-02, 6.3.1-03, P5.4-06 */
static void nway_full_region_is_handed_out(
	struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 3, 2, 0);
	KUNIT_EXPECT_EQ(test, overflow(test, 1), GO_ON);
	KUNIT_EXPECT_EQ(test, overflow(test, 2), TELL);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_state,
			(u32)PFM_NWAY_RGN_READY);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_count, 2ULL);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_handed_out, 1ULL);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_state,
			(u32)PFM_NWAY_RGN_FILLING);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_seq, 2ULL);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_cur_region, 1U);
	KUNIT_EXPECT_EQ(test, overflow(test, 3), GO_ON);
	KUNIT_EXPECT_EQ(test, entry_of(d, 1, 0)->ovfl_pmd, 3);
	KUNIT_EXPECT_EQ(test, entry_of(d, 0, 0)->ovfl_pmd, 1);
	KUNIT_EXPECT_EQ(test, entry_of(d, 0, 1)->ovfl_pmd, 2);
}

static void nway_simultaneous_overflows_fill_next_region(
	struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 2, 1, 0);
	/*
	 * Both calls belong to the same interrupt. The first call fills the
	 * region.
	 */
	KUNIT_EXPECT_EQ(test, overflow(test, 1), TELL);
	KUNIT_EXPECT_EQ(test, overflow(test, 2), GO_ON);
	KUNIT_EXPECT_EQ(test, entry_of(d, 0, 0)->ovfl_pmd, 1);
	KUNIT_EXPECT_EQ(test, entry_of(d, 1, 0)->ovfl_pmd, 2);
	KUNIT_EXPECT_EQ(test, entry_of(d, 0, 0)->tstamp,
			entry_of(d, 1, 0)->tstamp);
}

/* Proves 6.3.1-05 */
static void nway_restart_frees_oldest_region(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 4, 1, 0);
	overflow(test, 1);
	overflow(test, 2);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, true), 0U);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_state, (u32)PFM_NWAY_RGN_FREE);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_state,
			(u32)PFM_NWAY_RGN_READY);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_freed, 1ULL);
	pfm_calls_restart(test, true);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_state, (u32)PFM_NWAY_RGN_FREE);
	/* The old entries stay until they are overwritten. */
	KUNIT_EXPECT_EQ(test, entry_of(d, 0, 0)->ovfl_pmd, 1);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_seq, 1ULL);
}

static void nway_extra_restart_is_harmless(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 2, 2, 0);
	overflow(test, 1);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, true), 0U);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, false), GO_ON);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_freed, 0ULL);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_count, 1ULL);
	KUNIT_EXPECT_EQ(test, overflow(test, 2), TELL);
}

static void nway_timely_restarts_lose_no_samples(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	u32 regions, n;

	for (regions = 2; regions <= 64; regions += 31) {
		make(test, regions, 3, 0);
		for (n = 0; n < 3 * regions; n++) {
			KUNIT_EXPECT_EQ(test, overflow(test, 1), GO_ON);
			KUNIT_EXPECT_EQ(test, overflow(test, 2), GO_ON);
			KUNIT_EXPECT_EQ(test, overflow(test, 3), TELL);
			KUNIT_EXPECT_EQ(test, rgn_of(d, n % regions)->rgn_seq,
					n + 1ULL);
			pfm_calls_restart(test, true);
		}
		KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_handed_out,
				3ULL * regions);
		KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_overwritten, 0ULL);
		KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_dropped, 0ULL);
	}
}

/* Proves 6.3.1-06 */
static void nway_overwrites_own_region_if_none_free(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 2, 2, 0);
	overflow(test, 1);
	overflow(test, 2);
	overflow(test, 3);
	/* Region 1 is now full, and the tool still owns region 0. */
	KUNIT_EXPECT_EQ(test, overflow(test, 4), GO_ON);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_overwritten, 0ULL);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_count, 2ULL);
	KUNIT_EXPECT_EQ(test, overflow(test, 5), GO_ON);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_overwritten, 2ULL);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_overwritten, 2ULL);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_overwritten, 0ULL);
	/* The sequence number tells a reader that region 1 was refilled. */
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_seq, 3ULL);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_count, 1ULL);
	KUNIT_EXPECT_EQ(test, entry_of(d, 1, 0)->ovfl_pmd, 5);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_state,
			(u32)PFM_NWAY_RGN_READY);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_handed_out, 1ULL);
}

static void nway_uses_freed_region_after_overwriting(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 2, 1, 0);
	KUNIT_EXPECT_EQ(test, overflow(test, 1), TELL);
	KUNIT_EXPECT_EQ(test, overflow(test, 2), GO_ON);
	pfm_calls_restart(test, true);
	/*
	 * The full region is now handed out late, instead of being overwritten.
	 */
	KUNIT_EXPECT_EQ(test, overflow(test, 3), TELL);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_state,
			(u32)PFM_NWAY_RGN_READY);
	KUNIT_EXPECT_EQ(test, entry_of(d, 1, 0)->ovfl_pmd, 2);
	KUNIT_EXPECT_EQ(test, entry_of(d, 0, 0)->ovfl_pmd, 3);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_overwritten, 0ULL);
}

/* Proves 6.3.1-07 */
static void nway_mask_when_full_hands_out_last_region(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 2, 1, MASK);
	KUNIT_EXPECT_EQ(test, overflow(test, 1), TELL);
	KUNIT_EXPECT_EQ(test, overflow(test, 2), HOLD);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_handed_out, 2ULL);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_state,
			(u32)PFM_NWAY_RGN_READY);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_dropped, 0ULL);
}

static void nway_full_buffer_counts_dropped_overflows(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 2, 1, MASK);
	overflow(test, 1);
	overflow(test, 2);
	/* Further overflows in the interrupt that filled the buffer */
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 3, 0), -ENOBUFS);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, HOLD);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 4, 0), -ENOBUFS);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_dropped, 2ULL);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 1)->rgn_dropped, 2ULL);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_dropped, 0ULL);
	KUNIT_EXPECT_EQ(test, entry_of(d, 1, 0)->ovfl_pmd, 2);
}

/* Proves 6.3.1-07 */
static void nway_restart_ends_saturation(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, 3, 1, MASK);
	overflow(test, 1);
	overflow(test, 2);
	overflow(test, 3);
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, false), GO_ON);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_state,
			(u32)PFM_NWAY_RGN_FILLING);
	KUNIT_EXPECT_EQ(test, rgn_of(d, 0)->rgn_seq, 4ULL);
	/* Only one region was free, so the buffer is full again. */
	KUNIT_EXPECT_EQ(test, overflow(test, 4), HOLD);
	pfm_calls_restart(test, false);
	pfm_calls_restart(test, true);
	KUNIT_EXPECT_EQ(test, overflow(test, 5), TELL);
	KUNIT_EXPECT_EQ(test, overflow(test, 6), HOLD);
	KUNIT_EXPECT_EQ(test, entry_of(d, 2, 0)->ovfl_pmd, 6);
}

/* Proves H03 */
static void nway_handler_ignores_forged_headers(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	int byte, value;

	/* KASAN detects writes at forged offsets or sizes. */
	for (byte = 0; byte < PFM_NWAY_REGION_OFFS(2); byte++) {
		make(test, 2, 2, byte & 1 ? MASK : 0);
		for (value = 0; value < 256; value += 51) {
			((u8 *)d->buf)[byte] = value;
			pfm_calls_sample(d, 1, 0);
			pfm_calls_sample(d, 2, pfm_num_pmds());
			KUNIT_ASSERT_NE(test, d->arg.ovfl_ctrl.val, 0U);
			pfm_calls_restart(test, true);
		}
	}
}

static struct kunit_case nway_cases[] = {
	KUNIT_CASE(nway_validate_needs_2_to_64_regions),
	KUNIT_CASE(nway_validate_needs_largest_entry_per_region),
	KUNIT_CASE(nway_getsize_does_not_wrap),
	KUNIT_CASE(validate_refuses_unknown_bits_and_reserved_fields),
	KUNIT_CASE(nway_init_describes_empty_regions),
	KUNIT_CASE(nway_entries_have_default_format),
	KUNIT_CASE(nway_full_region_is_handed_out),
	KUNIT_CASE(nway_simultaneous_overflows_fill_next_region),
	KUNIT_CASE(nway_restart_frees_oldest_region),
	KUNIT_CASE(nway_extra_restart_is_harmless),
	KUNIT_CASE(nway_timely_restarts_lose_no_samples),
	KUNIT_CASE(nway_overwrites_own_region_if_none_free),
	KUNIT_CASE(nway_uses_freed_region_after_overwriting),
	KUNIT_CASE(nway_mask_when_full_hands_out_last_region),
	KUNIT_CASE(nway_full_buffer_counts_dropped_overflows),
	KUNIT_CASE(nway_restart_ends_saturation),
	KUNIT_CASE(nway_handler_ignores_forged_headers),
	{}
};

static struct kunit_suite nway_suite = {
	.name = "pfm_nway",
	.init = nway_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = nway_cases,
};
kunit_test_suite(nway_suite);
