// SPDX-License-Identifier: GPL-2.0
/*
 * pebs_kunit.c - the debug-store service and the PEBS formats, filled by the
 *		  simulated PMU (2006 paper, 5.4)
 */
#include <kunit/test.h>
#include <perfmon/perfmon_ds.h>
#include <perfmon/perfmon_pebs32_smpl.h>
#include <perfmon/perfmon_pebs64_smpl.h>
#include "fixture.h"
#include "messages.h"

#define PERIOD		100
#define RESET		((u64)-PERIOD)
#define BASE		256	/* offset of the first record in both layouts */
#define NOTIFY		PFM_REGFL_OVFL_NOTIFY

static const pfm_uuid_t uuid32 = PFM_PEBS32_SMPL_UUID;
static const pfm_uuid_t uuid64 = PFM_PEBS64_SMPL_UUID;

/* A context whose area has room for @records, and interrupts at the @thres-th. */
static void make64(struct kunit *test, u32 flags, u32 size, u32 records,
		   u32 thres)
{
	pfm_pebs64_smpl_arg_t arg = {
		.buf_size = BASE + records * size,
		.intr_thres = thres,
		.flags = flags,
		.cnt_reset = RESET,
	};

	fixture_create_with(test, uuid64, &arg, sizeof(arg));
	fixture_counter(test, 0, NOTIFY, RESET);
}

static void make32(struct kunit *test, u32 records, u32 thres)
{
	pfm_pebs32_smpl_arg_t arg = {
		.buf_size = BASE + records * 40,
		.intr_thres = thres,
		.cnt_reset = RESET,
	};

	fixture_create_with(test, uuid32, &arg, sizeof(arg));
	fixture_counter(test, 0, NOTIFY, RESET);
}

static void *buf_of(struct kunit *test)
{
	return ((struct fixture *)test->priv)->ctx->buf;
}

static pfm_pebs64_smpl_hdr_t *hdr64(struct kunit *test)
{
	return buf_of(test);
}

static pfm_pebs32_smpl_hdr_t *hdr32(struct kunit *test)
{
	return buf_of(test);
}

static u64 records64(struct kunit *test)
{
	const pfm_pebs64_smpl_hdr_t *hdr = hdr64(test);

	return (hdr->hdr_ds.pebs_index - hdr->hdr_ds.pebs_buf_base) /
	       hdr->hdr_entry_size;
}

/* An instant that overflows PMD0, and PMD1 if @both, with every field told. */
static void overflow_with(struct kunit *test, u64 first, bool both)
{
	struct pfm_sim_tick tick = { .task = current,
				     .delta = { PERIOD, both ? PERIOD : 0 } };
	u64 *field = &tick.rec.eflags;
	int i;

	for (i = 0; i < PFM_DS_MAX_RECORD / 8; i++)
		field[i] = first + i;
	tick.ip = first + 1;
	KUNIT_ASSERT_EQ(test, pfm_sim_advance(&tick), 0);
}

static void overflow(struct kunit *test)
{
	overflow_with(test, 0x1000, false);
}

static int create64(u64 size, u64 thres, u32 flags, u32 reserved)
{
	pfm_pebs64_smpl_arg_t arg = { .buf_size = size, .intr_thres = thres,
				      .flags = flags, .reserved1 = reserved };
	const pfm_buffer_fmt_t *fmt = pfm_fmt_get(uuid64);
	int ret = fmt->fmt_validate(0, pfm_num_pmds(), &arg);

	pfm_fmt_put(fmt);
	return ret;
}

static int create32(u32 size, u32 thres, u32 flags, u64 reserved)
{
	pfm_pebs32_smpl_arg_t arg = { .buf_size = size, .intr_thres = thres,
				      .flags = flags,
				      .reserved2 = { 0, reserved } };
	const pfm_buffer_fmt_t *fmt = pfm_fmt_get(uuid32);
	int ret = fmt->fmt_validate(0, pfm_num_pmds(), &arg);

	pfm_fmt_put(fmt);
	return ret;
}

static void validate_wants_room_for_the_threshold(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, create64(BASE + 144, 1, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, create64(BASE + 143, 1, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, create64(BASE + 2 * 144, 3, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, create32(BASE + 40, 1, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, create32(BASE + 39, 1, 0, 0), -EINVAL);
	/* A longer record needs more. */
	KUNIT_EXPECT_EQ(test, create64(BASE + 199, 1, PFM_PEBS64_SMPL_SKYLAKE,
				       0), -EINVAL);
	KUNIT_EXPECT_EQ(test, create64(BASE + 200, 1, PFM_PEBS64_SMPL_SKYLAKE,
				       0), 0);
}

static void validate_refuses_what_cannot_be(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, create64(0, 0, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, create64(1, 1, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, create64(65536, 0, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, create64(65536, ~0ULL, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, create64(65536, ~0ULL / 144 + 2, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, create64(~0ULL, ~0ULL, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, create64(65536, 1, 0x2, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, create64(65536, 1, 0x40, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, create64(65536, 1, 0, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, create32(0, 0, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, create32(~0U, ~0U, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, create32(65536, 1, 0x10, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, create32(65536, 1, 0, 1), -EINVAL);
}

static void init_lays_out_an_empty_64_bit_area(struct kunit *test)
{
	pfm_pebs64_smpl_hdr_t *hdr;

	make64(test, PFM_PEBS64_SMPL_NEHALEM, 176, 9, 5);
	hdr = hdr64(test);
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

static void init_lays_out_an_empty_32_bit_area(struct kunit *test)
{
	pfm_pebs32_smpl_hdr_t *hdr;

	make32(test, 9, 5);
	hdr = hdr32(test);
	KUNIT_EXPECT_EQ(test, hdr->hdr_buf_size, 256U + 9 * 40);
	KUNIT_EXPECT_EQ(test, hdr->hdr_start_offs, 172U);
	KUNIT_EXPECT_EQ(test, hdr->hdr_entry_size, 40U);
	KUNIT_EXPECT_EQ(test, hdr->hdr_ds.pebs_buf_base, 256U);
	KUNIT_EXPECT_EQ(test, hdr->hdr_ds.pebs_index, 256U);
	KUNIT_EXPECT_EQ(test, hdr->hdr_ds.pebs_abs_max, 256U + 9 * 40);
	KUNIT_EXPECT_EQ(test, hdr->hdr_ds.pebs_intr_thres, 256U + 5 * 40);
	KUNIT_EXPECT_EQ(test, hdr->hdr_ds.pebs_cnt_reset, RESET);
}

/* The fields of record @n, but for the status, are @first and on. */
static void expect_record64(struct kunit *test, u32 size, u32 n, u64 first)
{
	const u64 *field = buf_of(test) + BASE + n * size;
	u32 i;

	for (i = 0; i < size / 8; i++)
		if (i == 18)
			KUNIT_EXPECT_EQ(test, field[i], 1ULL);
		else
			KUNIT_EXPECT_EQ(test, field[i], first + i);
}

static void records_of_all_sizes_are_what_the_cpu_wrote(struct kunit *test)
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
		make64(test, kinds[i].flags, kinds[i].size, 8, 8);
		fixture_start(test);
		for (n = 0; n < 5; n++)
			overflow_with(test, 0x7fff00000000ULL + n * 1000, false);
		KUNIT_EXPECT_EQ(test, records64(test), 5ULL);
		for (n = 0; n < 5; n++)
			expect_record64(test, kinds[i].size, n,
					0x7fff00000000ULL + n * 1000);
		fixture_exit(test);
		test->priv = NULL;
	}
}

static void records_of_32_bits_are_what_the_cpu_wrote(struct kunit *test)
{
	u32 *field;
	int n, i;

	make32(test, 8, 8);
	fixture_start(test);
	for (n = 0; n < 3; n++)
		overflow_with(test, 0xfffff000 + n * 100, false);
	KUNIT_EXPECT_EQ(test, hdr32(test)->hdr_ds.pebs_index, 256U + 3 * 40);
	for (n = 0; n < 3; n++) {
		field = buf_of(test) + BASE + n * 40;
		for (i = 0; i < 10; i++)
			KUNIT_EXPECT_EQ(test, field[i],
					0xfffff000U + n * 100 + i);
	}
}

static void a_value_that_does_not_fit_is_dropped_and_counted(struct kunit *test)
{
	make32(test, 8, 8);
	fixture_start(test);
	overflow_with(test, 0xfffffff0, false);
	/* The last register is one too large here. */
	overflow_with(test, 0xfffffff7, false);
	overflow_with(test, 0x100000000ULL, false);
	KUNIT_EXPECT_EQ(test, hdr32(test)->hdr_ds.pebs_index, 256U + 40);
	KUNIT_EXPECT_EQ(test, hdr32(test)->hdr_dropped, 2ULL);
	KUNIT_EXPECT_EQ(test, hdr32(test)->hdr_lost, 0ULL);
	/* The counter was loaded all the same. */
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), RESET);
	overflow_with(test, 5, false);
	KUNIT_EXPECT_EQ(test, hdr32(test)->hdr_ds.pebs_index, 256U + 80);
}

static void records_load_the_counter_and_tell_nobody(struct kunit *test)
{
	struct fixture *f;

	make64(test, 0, 144, 4, 4);
	f = test->priv;
	fixture_start(test);
	overflow(test);
	fixture_count(test, 30);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), RESET + 30);
	KUNIT_EXPECT_EQ(test, fixture_read(test, 0).reg_last_reset_val, RESET);
	KUNIT_EXPECT_TRUE(test, pfm_msgq_empty(&f->ctx->msgq));
	KUNIT_EXPECT_EQ(test, f->ctx->masked, 0U);
	KUNIT_EXPECT_EQ(test, hdr64(test)->hdr_overflows, 0ULL);
}

static void the_threshold_notifies_and_masks(struct kunit *test)
{
	struct fixture *f;
	pfm_msg_t msg;

	make64(test, 0, 144, 4, 2);
	f = test->priv;
	fixture_start(test);
	overflow(test);
	overflow(test);
	KUNIT_ASSERT_TRUE(test, take_msg(&f->ctx->msgq, &msg));
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_ovfl_pmds[0], 1ULL);
	KUNIT_EXPECT_EQ(test, f->ctx->masked, 1U);
	KUNIT_EXPECT_EQ(test, hdr64(test)->hdr_overflows, 1ULL);
	KUNIT_EXPECT_EQ(test, records64(test), 2ULL);
	/* The area has more room, but nothing is counted now. */
	overflow(test);
	KUNIT_EXPECT_EQ(test, records64(test), 2ULL);
	KUNIT_EXPECT_EQ(test, hdr64(test)->hdr_lost, 0ULL);
}

static void restart_rewinds_the_index(struct kunit *test)
{
	make64(test, 0, 144, 3, 3);
	fixture_start(test);
	overflow(test);
	overflow(test);
	overflow(test);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, records64(test), 0ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), RESET);
	overflow_with(test, 0x5000, false);
	KUNIT_EXPECT_EQ(test, records64(test), 1ULL);
	expect_record64(test, 144, 0, 0x5000);
	KUNIT_EXPECT_EQ(test, hdr64(test)->hdr_overflows, 1ULL);
}

static void restart_of_an_active_context_rewinds_only(struct kunit *test)
{
	make64(test, 0, 144, 3, 3);
	fixture_start(test);
	overflow(test);
	fixture_count(test, 30);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, records64(test), 0ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), RESET + 30);
}

static void counters_of_one_instant_share_a_record(struct kunit *test)
{
	const pfm_pebs64_nhm_entry_t *rec;

	make64(test, PFM_PEBS64_SMPL_NEHALEM, 176, 3, 3);
	fixture_counter(test, 1, 0, RESET);
	fixture_start(test);
	overflow_with(test, 1, true);
	rec = buf_of(test) + BASE;
	KUNIT_EXPECT_EQ(test, records64(test), 1ULL);
	KUNIT_EXPECT_EQ(test, rec->status, 3ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), RESET);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), RESET);
}

static void counters_of_the_last_instant_interrupt_once(struct kunit *test)
{
	make64(test, 0, 144, 1, 1);
	fixture_counter(test, 1, 0, RESET);
	fixture_start(test);
	overflow_with(test, 1, true);
	KUNIT_EXPECT_EQ(test, hdr64(test)->hdr_overflows, 1ULL);
	KUNIT_EXPECT_EQ(test, records64(test), 1ULL);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), RESET);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 1), RESET);
}

/*
 * A format of the suite's own with such an area, and with the script's handler:
 * it can go on at the threshold, and describe nonsense.
 */
static struct pfm_ds described;

static int own_getsize(u32 ctx_flags, void *arg, size_t *size)
{
	*size = PAGE_SIZE;
	return 0;
}

static int own_init(u32 ctx_flags, void *arg, void *buf)
{
	struct pfm_ds *ds = pfm_fmt_priv(buf);

	*ds = described;
	if (!ds->buf)
		ds->buf = buf;
	return 0;
}

static int own_exit(void *buf)
{
	script->exits++;
	return 0;
}

static const pfm_buffer_fmt_t own_fmt = {
	.fmt_name	= "own",
	.fmt_uuid	= SCRIPT_UUID,
	.fmt_flags	= PFM_FMTFL_DS,
	.fmt_getsize	= own_getsize,
	.fmt_init	= own_init,
	.fmt_handler	= script_handler,
	.fmt_exit	= own_exit,
	.fmt_owner	= THIS_MODULE,
};

static const struct pfm_ds sound = {
	.base = 256, .index = 256, .abs_max = 256 + 3 * 144,
	.thres = 256 + 2 * 144, .cnt_reset = RESET, .record_size = 144,
	.word = 8, .index_offs = 0, .overflows_offs = 8, .flags_offs = 16,
	.dropped_offs = 24, .lost_offs = 32,
};

static void own_create(struct kunit *test)
{
	described = sound;
	KUNIT_ASSERT_EQ(test, pfm_register_buffer_fmt(&own_fmt), 0);
	fixture_create_with(test, own_fmt.fmt_uuid, NULL, 0);
	fixture_counter(test, 0, NOTIFY, RESET);
	fixture_start(test);
}

static void own_destroy(struct kunit *test)
{
	fixture_exit(test);
	test->priv = NULL;
	pfm_unregister_buffer_fmt(own_fmt.fmt_uuid);
}

static void nothing_is_written_past_abs_max(struct kunit *test)
{
	struct fixture *f;
	u64 *shown;
	int i;

	own_create(test);
	f = test->priv;
	shown = f->ctx->buf;
	for (i = 0; i < 6; i++)
		f->script.ctrl[i] = PFM_OVFL_CTRL_RESET;
	for (i = 0; i < 5; i++)
		overflow(test);
	KUNIT_EXPECT_EQ(test, shown[0], sound.abs_max);
	KUNIT_EXPECT_EQ(test, shown[4], 2ULL);
	KUNIT_EXPECT_EQ(test, shown[sound.abs_max / 8], 0ULL);
	/* From the threshold on, every overflow interrupts. */
	KUNIT_EXPECT_EQ(test, f->script.calls, 4);
	KUNIT_EXPECT_EQ(test, shown[1], 4ULL);
	own_destroy(test);
}

static void overflow_again(void)
{
	struct pfm_sim_tick tick = { .task = current, .delta = { 0, PERIOD } };

	pfm_sim_advance(&tick);
}

static void a_nested_overflow_has_no_record_and_is_lost(struct kunit *test)
{
	struct fixture *f;
	u64 *shown;

	own_create(test);
	f = test->priv;
	fixture_unload(test);
	fixture_counter(test, 1, 0, RESET);
	fixture_start(test);
	shown = f->ctx->buf;
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	f->script.during = overflow_again;
	overflow(test);
	KUNIT_EXPECT_EQ(test, shown[4], 0ULL);
	overflow(test);
	KUNIT_EXPECT_EQ(test, shown[4], 1ULL);
	KUNIT_EXPECT_EQ(test, shown[0], sound.base + 2 * 144);
	own_destroy(test);
}

static void an_area_that_is_none_is_refused(struct kunit *test)
{
	static const struct pfm_ds wrong[] = {
		{ .buf = (void *)&sound }, { .word = 2 }, { .word = 16 },
		{ .record_size = 8 * 26 }, { .record_size = 143 },
		{ .base = 255 }, { .index = 400 }, { .thres = 256 },
		{ .thres = 1000 }, { .abs_max = PAGE_SIZE + 8 },
		{ .index_offs = 250 }, { .index_offs = 256 },
		{ .flags_offs = 253 }, { .flags_offs = ~0U - 3 },
		{ .overflows_offs = 249 }, { .dropped_offs = ~0U },
		{ .lost_offs = 4096 },
	};
	pfarg_ctx_t req = { .ctx_smpl_buf_id = SCRIPT_UUID };
	int i;

	script = kunit_kzalloc(test, sizeof(*script), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, script);
	KUNIT_ASSERT_EQ(test, pfm_register_buffer_fmt(&own_fmt), 0);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		const u64 *from = (const u64 *)&wrong[i];
		u64 *to = (u64 *)&described;
		u32 j;

		/* What is 0 there is sound. */
		described = sound;
		for (j = 0; j < sizeof(described) / 4; j++)
			if (((u32 *)from)[j])
				((u32 *)to)[j] = ((u32 *)from)[j];
		KUNIT_EXPECT_EQ_MSG(test,
				    PTR_ERR(pfm_context_create(&req, NULL, 0)),
				    -EINVAL, "case %d", i);
		KUNIT_EXPECT_EQ(test, script->exits, i + 1);
	}
	pfm_unregister_buffer_fmt(own_fmt.fmt_uuid);
}

static void a_pmu_that_cannot_is_not_asked_to(struct kunit *test)
{
	const struct pfm_pmu *real;
	struct pfm_context *ctx;
	struct pfm_pmu pmu;

	make64(test, 0, 144, 4, 4);
	ctx = ((struct fixture *)test->priv)->ctx;
	real = ctx->pmu;
	pmu = *real;
	ctx->pmu = &pmu;
	pmu.ds = PFM_DS_IMPRECISE;
	KUNIT_EXPECT_EQ(test, pfm_ds_attach(ctx), -EOPNOTSUPP);
	ctx->session.ds->imprecise_ok = true;
	KUNIT_EXPECT_EQ(test, pfm_ds_attach(ctx), 0);
	pmu.ds = PFM_DS_NONE;
	KUNIT_EXPECT_EQ(test, pfm_ds_attach(ctx), -EOPNOTSUPP);
	ctx->pmu = real;
}

static void an_imprecise_record_marks_the_header(struct kunit *test)
{
	struct pfm_sim_tick tick = { .task = current, .delta = { PERIOD } };

	make64(test, PFM_PEBS64_SMPL_IMPRECISE, 144, 4, 4);
	fixture_start(test);
	overflow(test);
	KUNIT_EXPECT_EQ(test, hdr64(test)->hdr_flags, 0U);
	tick.rec.imprecise = true;
	KUNIT_ASSERT_EQ(test, pfm_sim_advance(&tick), 0);
	KUNIT_EXPECT_EQ(test, hdr64(test)->hdr_flags,
			(u32)PFM_PEBS64_HDR_IMPRECISE);
}

static void the_cpu_believes_nothing_in_the_mapped_header(struct kunit *test)
{
	int byte;

	make64(test, 0, 144, 2, 2);
	fixture_start(test);
	for (byte = 0; byte < sizeof(pfm_pebs64_smpl_hdr_t); byte++) {
		((u8 *)buf_of(test))[byte] = 0xff;
		overflow(test);
		overflow(test);
		KUNIT_ASSERT_EQ(test,
				((struct fixture *)test->priv)->ctx->masked,
				1U);
		KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	}
}

static struct kunit_case pebs_cases[] = {
	KUNIT_CASE(validate_wants_room_for_the_threshold),
	KUNIT_CASE(validate_refuses_what_cannot_be),
	KUNIT_CASE(init_lays_out_an_empty_64_bit_area),
	KUNIT_CASE(init_lays_out_an_empty_32_bit_area),
	KUNIT_CASE(records_of_all_sizes_are_what_the_cpu_wrote),
	KUNIT_CASE(records_of_32_bits_are_what_the_cpu_wrote),
	KUNIT_CASE(a_value_that_does_not_fit_is_dropped_and_counted),
	KUNIT_CASE(records_load_the_counter_and_tell_nobody),
	KUNIT_CASE(the_threshold_notifies_and_masks),
	KUNIT_CASE(restart_rewinds_the_index),
	KUNIT_CASE(restart_of_an_active_context_rewinds_only),
	KUNIT_CASE(counters_of_one_instant_share_a_record),
	KUNIT_CASE(counters_of_the_last_instant_interrupt_once),
	KUNIT_CASE(nothing_is_written_past_abs_max),
	KUNIT_CASE(a_nested_overflow_has_no_record_and_is_lost),
	KUNIT_CASE(an_area_that_is_none_is_refused),
	KUNIT_CASE(a_pmu_that_cannot_is_not_asked_to),
	KUNIT_CASE(an_imprecise_record_marks_the_header),
	KUNIT_CASE(the_cpu_believes_nothing_in_the_mapped_header),
	{}
};

static struct kunit_suite pebs_suite = {
	.name = "pfm_pebs",
	.exit = fixture_exit,
	.test_cases = pebs_cases,
};
kunit_test_suite(pebs_suite);
