// SPDX-License-Identifier: GPL-2.0
/*
 * flight_kunit.c - the flight format's call-backs, called directly
 */
#include <kunit/test.h>
#include <linux/sizes.h>
#include <perfmon/perfmon_flight_smpl.h>
#include <perfmon/perfmon_fmt_kunit.h>

#define RECORD	sizeof(pfm_flight_record_t)
#define OFFS	PFM_SINK_REGION_OFFS(2)
#define GO_ON	((u32)PFM_OVFL_CTRL_RESET)
#define HOLD	((u32)PFM_OVFL_CTRL_HOLD)

static int flight_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_FLIGHT_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

static int validate(struct kunit *test, u64 size, u32 regions, u32 flags)
{
	pfm_flight_smpl_arg_t arg = { .sink = { .buf_size = size,
						.num_regions = regions,
						.flags = flags } };

	return pfm_calls_validate(test, &arg);
}

/* Return the size of a region that is full after two records without PMDs. */
static u64 region_size(void)
{
	return 2 * RECORD + 8 * pfm_num_pmds();
}

/* Return the format argument @arg with valid sizes filled in. */
static pfm_flight_smpl_arg_t arg_for(pfm_flight_smpl_arg_t arg)
{
	arg.sink.buf_size = OFFS + 2 * region_size();
	arg.sink.num_regions = 2;
	arg.sink.flags = PFM_SINK_OVERWRITE;
	return arg;
}

static void make_for(struct kunit *test, pfm_flight_smpl_arg_t arg)
{
	arg = arg_for(arg);
	pfm_calls_make(test, &arg);
}

static void make(struct kunit *test)
{
	make_for(test, (pfm_flight_smpl_arg_t){});
}

/* Make @pmd overflow. Return: the handler's control bits. */
static u32 overflow(struct kunit *test, u16 pmd, bool notify)
{
	struct pfm_fmt_calls *d = test->priv;

	d->arg.ovfl_notify = notify;
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, pmd, 0), 0);
	return d->arg.ovfl_ctrl.val;
}

static const pfm_sink_hdr_t *hdr_of(const struct pfm_fmt_calls *d)
{
	return d->buf;
}

static const pfm_flight_record_t *record_of(const struct pfm_fmt_calls *d,
					    u32 region, u32 i)
{
	void *first = d->buf + OFFS + region * hdr_of(d)->hdr_region_size;

	return (const pfm_flight_record_t *)first + i;
}

static void arguments_out_of_range_are_refused(struct kunit *test)
{
	const u32 over = PFM_SINK_OVERWRITE;

	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 2, over), 0);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 64, over), 0);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 2, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 1, over), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 65, over), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, SZ_1M, 2, over | 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, validate(test, OFFS, 2, over), -EINVAL);
}

static void flight_record_has_all_fields(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	const pfm_flight_record_t *record;
	const u64 *values;

	make(test);
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 5, 2), 0);
	record = record_of(d, 0, 0);
	values = (const u64 *)(record + 1);
	KUNIT_EXPECT_EQ(test, record->tstamp, PFM_CALLS_TSTAMP);
	KUNIT_EXPECT_EQ(test, record->ip, PFM_CALLS_IP(5));
	KUNIT_EXPECT_EQ(test, record->tid, PFM_CALLS_TID);
	KUNIT_EXPECT_EQ(test, record->tgid, PFM_CALLS_TGID);
	KUNIT_EXPECT_EQ(test, record->ovfl_pmd, 5);
	KUNIT_EXPECT_EQ(test, record->cpu, PFM_CALLS_CPU);
	KUNIT_EXPECT_EQ(test, record->set, PFM_CALLS_SET);
	KUNIT_EXPECT_EQ(test, record->num_pmds, 2);
	KUNIT_EXPECT_EQ(test, values[0], PFM_CALLS_VALUE(0));
	KUNIT_EXPECT_EQ(test, values[1], PFM_CALLS_VALUE(1));
}

static void flight_overwrites_oldest_records(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	u16 i;

	make(test);
	for (i = 0; i < 9; i++)
		KUNIT_EXPECT_EQ(test, overflow(test, i, false), GO_ON);
	/* Each region has two records, so record 8 has replaced record 4. */
	KUNIT_EXPECT_EQ(test, record_of(d, 0, 0)->ovfl_pmd, 8);
	KUNIT_EXPECT_EQ(test, record_of(d, 1, 1)->ovfl_pmd, 7);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_overwritten, 6);
}

static void flight_notification_holds_buffer(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test);
	overflow(test, 1, false);
	KUNIT_EXPECT_EQ(test, overflow(test, 2, true), HOLD);
	KUNIT_EXPECT_EQ(test, record_of(d, 0, 0)->ovfl_pmd, 1);
	KUNIT_EXPECT_EQ(test, record_of(d, 0, 1)->ovfl_pmd, 2);
	/* The restart empties the buffer. */
	KUNIT_EXPECT_EQ(test, pfm_calls_restart(test, false), GO_ON);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_past, 2);
	KUNIT_EXPECT_EQ(test, overflow(test, 3, false), GO_ON);
	KUNIT_EXPECT_EQ(test, record_of(d, 0, 0)->ovfl_pmd, 3);
}

/*
 * Make @pmd, for which PFM_REGFL_OVFL_NOTIFY is set, overflow at @tstamp. The
 * sample has the values of @values PMDs. Return: the handler's control bits.
 */
static u32 sample(struct kunit *test, u16 pmd, u16 values, u64 tstamp)
{
	struct pfm_fmt_calls *d = test->priv;

	d->arg.ovfl_notify = 1;
	d->tstamp = tstamp;
	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, pmd, values), 0);
	return d->arg.ovfl_ctrl.val;
}

static void triggers_without_a_pmd_are_refused(struct kunit *test)
{
	pfm_flight_smpl_arg_t arg = { .sink = { SZ_1M, 2, PFM_SINK_OVERWRITE },
				      .pmd = PFM_FLIGHT_SMPL_NO_PMD,
				      .minus = PFM_FLIGHT_SMPL_NO_PMD,
				      .marker = PFM_FLIGHT_SMPL_NO_PMD };

	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), 0);
	arg.above = 1;
	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), -EINVAL);
	arg.pmd = PFM_MAX_PMDS;
	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), -EINVAL);
	arg.pmd = PFM_MAX_PMDS - 1;
	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), 0);
	arg.within = 1;
	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), -EINVAL);
	arg.marker = 0;
	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), 0);
	arg.minus = PFM_MAX_PMDS;
	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), -EINVAL);
}

static void flight_freezes_above_a_value(struct kunit *test)
{
	make_for(test, (pfm_flight_smpl_arg_t){
			       .above = PFM_CALLS_VALUE(1), .pmd = 2,
			       .minus = PFM_FLIGHT_SMPL_NO_PMD });
	KUNIT_EXPECT_EQ(test, sample(test, 0, 3, 1), HOLD);
	pfm_calls_restart(test, false);
	/* The sample does not contain the PMD that the condition compares. */
	KUNIT_EXPECT_EQ(test, sample(test, 0, 2, 2), GO_ON);
	pfm_calls_end(test);
	make_for(test, (pfm_flight_smpl_arg_t){
			       .above = PFM_CALLS_VALUE(2), .pmd = 2,
			       .minus = PFM_FLIGHT_SMPL_NO_PMD });
	KUNIT_EXPECT_EQ(test, sample(test, 0, 3, 1), GO_ON);
}

static void flight_freezes_above_a_difference(struct kunit *test)
{
	make_for(test, (pfm_flight_smpl_arg_t){ .above = 4, .pmd = 5 });
	KUNIT_EXPECT_EQ(test, sample(test, 0, 6, 1), HOLD);
	pfm_calls_end(test);
	make_for(test, (pfm_flight_smpl_arg_t){ .above = 5, .pmd = 5 });
	KUNIT_EXPECT_EQ(test, sample(test, 0, 6, 1), GO_ON);
	pfm_calls_end(test);
	/*
	 * Test a negative difference, and a PMD that the sample does not
	 * contain.
	 */
	make_for(test, (pfm_flight_smpl_arg_t){ .above = 1, .minus = 5 });
	KUNIT_EXPECT_EQ(test, sample(test, 0, 6, 1), GO_ON);
	KUNIT_EXPECT_EQ(test, sample(test, 0, 5, 1), GO_ON);
}

static void flight_freezes_late_after_a_marker(struct kunit *test)
{
	make_for(test, (pfm_flight_smpl_arg_t){ .within = 10, .marker = 7 });
	KUNIT_EXPECT_EQ(test, sample(test, 1, 0, 100), GO_ON);
	KUNIT_EXPECT_EQ(test, sample(test, 7, 0, 101), GO_ON);
	KUNIT_EXPECT_EQ(test, sample(test, 1, 0, 111), GO_ON);
	/*
	 * Each marker restarts the measured time, even if it comes too late
	 * after the previous marker.
	 */
	KUNIT_EXPECT_EQ(test, sample(test, 7, 0, 200), GO_ON);
	KUNIT_EXPECT_EQ(test, sample(test, 1, 0, 199), GO_ON);
	KUNIT_EXPECT_EQ(test, sample(test, 1, 0, 211), HOLD);
	/*
	 * After a restart, only a sample after a new marker can be a trigger,
	 * and only if PFM_REGFL_OVFL_NOTIFY is set for its counter.
	 */
	pfm_calls_restart(test, false);
	KUNIT_EXPECT_EQ(test, sample(test, 1, 0, 300), GO_ON);
	KUNIT_EXPECT_EQ(test, sample(test, 7, 0, 301), GO_ON);
	((struct pfm_fmt_calls *)test->priv)->tstamp = 312;
	KUNIT_EXPECT_EQ(test, overflow(test, 1, false), GO_ON);
	KUNIT_EXPECT_EQ(test, sample(test, 1, 0, 312), HOLD);
}

/*
 * A freeze ends the measurement of the time since the marker, because time that
 * passes while monitoring is masked must not count.
 */
static void flight_freeze_ends_time_since_marker(struct kunit *test)
{
	make_for(test, (pfm_flight_smpl_arg_t){
			       .above = PFM_CALLS_VALUE(1), .pmd = 2,
			       .minus = PFM_FLIGHT_SMPL_NO_PMD,
			       .within = 10, .marker = 7, .after = 1 });
	KUNIT_EXPECT_EQ(test, sample(test, 7, 0, 100), GO_ON);
	KUNIT_EXPECT_EQ(test, sample(test, 1, 3, 101), GO_ON);
	KUNIT_EXPECT_EQ(test, sample(test, 7, 0, 102), HOLD);
	pfm_calls_restart(test, false);
	KUNIT_EXPECT_EQ(test, sample(test, 1, 0, 300), GO_ON);
	KUNIT_EXPECT_EQ(test, sample(test, 1, 0, 301), GO_ON);
	KUNIT_EXPECT_EQ(test, sample(test, 7, 0, 302), GO_ON);
	KUNIT_EXPECT_EQ(test, sample(test, 1, 0, 313), GO_ON);
	KUNIT_EXPECT_EQ(test, sample(test, 1, 0, 314), HOLD);
}

static void flight_records_samples_after_a_trigger(struct kunit *test)
{
	u16 turn;

	make_for(test, (pfm_flight_smpl_arg_t){ .after = 2 });
	for (turn = 0; turn < 2; turn++) {
		KUNIT_EXPECT_EQ(test, overflow(test, 1, false), GO_ON);
		KUNIT_EXPECT_EQ(test, overflow(test, 2, true), GO_ON);
		/* A second trigger does not delay the freeze. */
		KUNIT_EXPECT_EQ(test, overflow(test, 3, true), GO_ON);
		/*
		 * The freeze has to wait for an overflow of a counter with
		 * PFM_REGFL_OVFL_NOTIFY.
		 */
		KUNIT_EXPECT_EQ(test, overflow(test, 4, false), GO_ON);
		KUNIT_EXPECT_EQ(test, overflow(test, 5, true), HOLD);
		pfm_calls_restart(test, false);
	}
}

static void set_triggers(struct kunit *test, pfm_flight_smpl_arg_t arg)
{
	arg = arg_for(arg);
	KUNIT_EXPECT_EQ(test, pfm_calls_set_arg(test, &arg), 0);
}

static void flight_triggers_change_while_recording(struct kunit *test)
{
	pfm_flight_smpl_arg_t arg = { .within = 10, .marker = 1, .pmd = 3 };
	struct pfm_fmt_calls *d = test->priv;

	make_for(test, arg);
	KUNIT_EXPECT_EQ(test, overflow(test, 1, false), GO_ON);
	d->tstamp += 20;
	/* If @within is 0, the time since the marker does not matter. */
	arg.within = 0;
	arg.above = 1;
	set_triggers(test, arg);
	KUNIT_EXPECT_EQ(test, overflow(test, 2, true), GO_ON);
	/*
	 * Setting @after to 0 does not affect a trigger that already waits for
	 * two more samples.
	 */
	arg.above = 0;
	arg.after = 2;
	set_triggers(test, arg);
	KUNIT_EXPECT_EQ(test, overflow(test, 2, true), GO_ON);
	arg.after = 0;
	set_triggers(test, arg);
	KUNIT_EXPECT_EQ(test, overflow(test, 2, false), GO_ON);
	KUNIT_EXPECT_EQ(test, overflow(test, 2, true), HOLD);
}

/*
 * Make PMD1 overflow with a sample that contains only PMD2, whose value is
 * @value.
 */
static u32 overflow_with(struct kunit *test, u64 value, bool notify)
{
	struct pfm_ovfl_data data = { .ip = value };
	struct pfm_fmt_calls *d = test->priv;

	d->arg = (pfm_ovfl_arg_t) { .ovfl_pmd = 1, .num_smpl_pmds = 1,
				    .ovfl_notify = notify };
	bitmap_set((unsigned long *)d->arg.smpl_pmds, 2, 1);
	d->arg.smpl_pmds_values[0] = value;
	preempt_disable();
	KUNIT_EXPECT_EQ(test,
			d->fmt->fmt_handler(d->buf, &d->arg, 1, &data), 0);
	preempt_enable();
	return d->arg.ovfl_ctrl.val;
}

/*
 * Return the number of records so far, including overwritten records and those
 * before restarts.
 */
static u64 recorded(const struct pfm_fmt_calls *d)
{
	const pfm_sink_rgn_t *rgn = (const void *)(hdr_of(d) + 1);

	return rgn[0].rgn_count + rgn[1].rgn_count + hdr_of(d)->hdr_past +
	       hdr_of(d)->hdr_overwritten;
}

static void flight_keeps_samples_with_largest_values(struct kunit *test)
{
	static const u64 values[] = { 50, 90, 10, 50, 91, 0 };
	struct pfm_fmt_calls *d = test->priv;
	const pfm_sink_more_t *more;
	int i;

	make_for(test, (pfm_flight_smpl_arg_t){
			       .keep = 2, .pmd = 2,
			       .minus = PFM_FLIGHT_SMPL_NO_PMD });
	for (i = 0; i < ARRAY_SIZE(values); i++)
		KUNIT_EXPECT_EQ(test, overflow_with(test, values[i], false),
				GO_ON);
	more = d->buf + PFM_SINK_MORE_OFFS(2);
	KUNIT_EXPECT_EQ(test, recorded(d), 3);
	KUNIT_EXPECT_EQ(test, more->more_skipped, 3);
	/*
	 * A trigger freezes the buffer even if its sample is skipped. After the
	 * restart, recording starts again.
	 */
	KUNIT_EXPECT_EQ(test, overflow_with(test, 1, true), HOLD);
	KUNIT_EXPECT_EQ(test, recorded(d), 3);
	pfm_calls_restart(test, false);
	KUNIT_EXPECT_EQ(test, overflow_with(test, 1, false), GO_ON);
	KUNIT_EXPECT_EQ(test, recorded(d), 4);
}

static void flight_counts_skipped_samples_after_trigger(struct kunit *test)
{
	make_for(test, (pfm_flight_smpl_arg_t){
			       .keep = 1, .after = 2, .pmd = 2,
			       .minus = PFM_FLIGHT_SMPL_NO_PMD });
	KUNIT_EXPECT_EQ(test, overflow_with(test, 9, true), GO_ON);
	KUNIT_EXPECT_EQ(test, overflow_with(test, 1, false), GO_ON);
	KUNIT_EXPECT_EQ(test, overflow_with(test, 1, true), HOLD);
	KUNIT_EXPECT_EQ(test, recorded(test->priv), 1);
}

static void flight_keeps_only_values_of_a_pmd(struct kunit *test)
{
	pfm_flight_smpl_arg_t arg = arg_for((pfm_flight_smpl_arg_t){
		.keep = PFM_LARGEST_MAX, .pmd = PFM_FLIGHT_SMPL_NO_PMD,
		.minus = PFM_FLIGHT_SMPL_NO_PMD });

	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), -EINVAL);
	arg.pmd = 2;
	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), 0);
	arg.keep++;
	KUNIT_EXPECT_EQ(test, pfm_calls_validate(test, &arg), -EINVAL);
}

static void handler_believes_nothing_that_is_mapped(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test);
	memset(d->buf, 0xff, OFFS + 2 * region_size());
	KUNIT_EXPECT_EQ(test, overflow(test, 1, false), GO_ON);
	KUNIT_EXPECT_EQ(test,
			((pfm_flight_record_t *)(d->buf + OFFS))->ovfl_pmd, 1);
}

static struct kunit_case flight_cases[] = {
	KUNIT_CASE(arguments_out_of_range_are_refused),
	KUNIT_CASE(flight_record_has_all_fields),
	KUNIT_CASE(flight_overwrites_oldest_records),
	KUNIT_CASE(flight_notification_holds_buffer),
	KUNIT_CASE(triggers_without_a_pmd_are_refused),
	KUNIT_CASE(flight_freezes_above_a_value),
	KUNIT_CASE(flight_freezes_above_a_difference),
	KUNIT_CASE(flight_freezes_late_after_a_marker),
	KUNIT_CASE(flight_freeze_ends_time_since_marker),
	KUNIT_CASE(flight_records_samples_after_a_trigger),
	KUNIT_CASE(flight_triggers_change_while_recording),
	KUNIT_CASE(flight_keeps_samples_with_largest_values),
	KUNIT_CASE(flight_counts_skipped_samples_after_trigger),
	KUNIT_CASE(flight_keeps_only_values_of_a_pmd),
	KUNIT_CASE(handler_believes_nothing_that_is_mapped),
	{}
};

static struct kunit_suite flight_suite = {
	.name = "pfm_flight",
	.init = flight_kunit_init,
	.exit = pfm_calls_exit,
	.test_cases = flight_cases,
};

kunit_test_suite(flight_suite);
