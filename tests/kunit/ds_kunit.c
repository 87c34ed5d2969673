// SPDX-License-Identifier: GPL-2.0
/*
 * ds_kunit.c - the debug-store service (Eranian 2006, 5.4), tested with a
 * format that this file defines
 */
#include "context.h"
#include "ds.h"
#include "ds_area.h"
#include "rate.h"

/*
 * The description of the debug-store area, which fmt_init copies. Tests may
 * make it invalid. The format uses the scripted handler, so that a test can let
 * sampling continue when the threshold is reached.
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
};

static const struct pfm_ds sound = {
	.base = 256, .index = 256, .abs_max = 256 + 3 * 144,
	.thres = 256 + 2 * 144, .cnt_reset = RESET, .record_size = 144,
	.word = 8, .index_offs = 0, .overflows_offs = 8, .flags_offs = 16,
	.dropped_offs = 24, .lost_offs = 32,
};

static void own_create_as(struct kunit *test, const struct pfm_ds *ds)
{
	described = *ds;
	KUNIT_ASSERT_EQ(test, pfm_register_buffer_fmt(&own_fmt), 0);
	fixture_create_with(test, own_fmt.fmt_uuid, NULL, 0);
	fixture_counter(test, 0, NOTIFY, RESET);
	fixture_start(test);
}

static void own_create(struct kunit *test)
{
	own_create_as(test, &sound);
}

static void own_destroy(struct kunit *test)
{
	fixture_exit(test);
	test->priv = NULL;
	pfm_unregister_buffer_fmt(own_fmt.fmt_uuid);
}

static void ds_writes_stop_at_abs_max(struct kunit *test)
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
	/* Each overflow from the threshold on causes an interrupt. */
	KUNIT_EXPECT_EQ(test, f->script.calls, 4);
	KUNIT_EXPECT_EQ(test, shown[1], 4ULL);
	own_destroy(test);
}

/*
 * The limit allows ten records in a tenth of a second. The test stores eleven
 * in less time.
 */
/* Proves 4.4.4-02 */
static void too_many_ds_records_interrupt(struct kunit *test)
{
	unsigned int max = pfm_ovfl_rate_max;
	struct pfm_ds ds = sound;
	struct fixture *f;
	int i;

	ds.abs_max = ds.base + 20 * 144;
	ds.thres = ds.abs_max;
	own_create_as(test, &ds);
	f = test->priv;
	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	pfm_ovfl_rate_max = 100;
	/* The tenth of a second begins at the first record. */
	for (i = 0; i < 10; i++)
		overflow(test);
	KUNIT_EXPECT_EQ(test, f->script.calls, 0);
	overflow(test);
	pfm_ovfl_rate_max = max;
	KUNIT_EXPECT_EQ(test, f->script.calls, 1);
	KUNIT_EXPECT_EQ(test, f->ctx->throttled, 1ULL);
	own_destroy(test);
}

static void ds_record_keeps_declared_size(struct kunit *test)
{
	struct pfm_ds ds = sound;
	u32 *shown;

	ds.word = sizeof(u32);
	ds.record_size = 2 * sizeof(u32);
	ds.thres = ds.base + ds.record_size;
	ds.abs_max = ds.thres;
	own_create_as(test, &ds);
	shown = buf_of(test);
	overflow(test);
	KUNIT_EXPECT_EQ(test, shown[ds.base / 4 + 1], 0x1001U);
	KUNIT_EXPECT_EQ(test, shown[ds.abs_max / 4], 0U);
	own_destroy(test);
}

static void overflow_again(void)
{
	struct pfm_sim_tick tick = { .task = current, .delta = { 0, PERIOD } };

	pfm_sim_advance(&tick);
}

static void ds_nested_overflow_is_lost(struct kunit *test)
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

static void ds_malformed_area_is_refused(struct kunit *test)
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

		/* A field that is 0 in @wrong keeps its valid value. */
		described = sound;
		for (j = 0; j < sizeof(described) / 4; j++)
			if (((u32 *)from)[j])
				((u32 *)to)[j] = ((u32 *)from)[j];
		KUNIT_EXPECT_EQ_MSG(test,
				    PTR_ERR(fixture_context(&req, NULL, 0)),
				    -EINVAL, "case %d", i);
		KUNIT_EXPECT_EQ(test, script->exits, i + 1);
	}
	pfm_unregister_buffer_fmt(own_fmt.fmt_uuid);
}

static void ds_attach_needs_pmu_support(struct kunit *test)
{
	const struct pfm_pmu *real;
	struct pfm_context *ctx;
	struct pfm_pmu pmu;

	own_create(test);
	ctx = ctx_of(test);
	real = ctx->pmu;
	pmu = *real;
	ctx->pmu = &pmu;
	pmu.ds = PFM_DS_IMPRECISE;
	KUNIT_EXPECT_EQ(test, pfm_ds_attach(ctx), -EOPNOTSUPP);
	ctx->target.ds->imprecise_ok = true;
	KUNIT_EXPECT_EQ(test, pfm_ds_attach(ctx), 0);
	pmu.ds = PFM_DS_NONE;
	KUNIT_EXPECT_EQ(test, pfm_ds_attach(ctx), -EOPNOTSUPP);
	ctx->pmu = real;
	own_destroy(test);
}

static struct kunit_case ds_cases[] = {
	KUNIT_CASE(ds_writes_stop_at_abs_max),
	KUNIT_CASE(too_many_ds_records_interrupt),
	KUNIT_CASE(ds_record_keeps_declared_size),
	KUNIT_CASE(ds_nested_overflow_is_lost),
	KUNIT_CASE(ds_malformed_area_is_refused),
	KUNIT_CASE(ds_attach_needs_pmu_support),
	{}
};

static struct kunit_suite ds_suite = {
	.name = "pfm_ds",
	.exit = fixture_exit,
	.test_cases = ds_cases,
};
kunit_test_suite(ds_suite);
