// SPDX-License-Identifier: GPL-2.0
/*
 * table_kunit.c - call-backs of formats with a table, called directly
 */
#include <kunit/test.h>
#include <linux/sizes.h>
#include <perfmon/perfmon_fmt_table.h>
#include "sink_calls.h"

#define OFFS	PFM_SINK_REGION_OFFS(1)
#define GO_ON	((u32)PFM_OVFL_CTRL_RESET)

/* A record with every kind of merged field, in different sizes. */
struct all_record {
	u32	id;
	u32	event;
	u64	count;
	u64	sum;
	u64	min;
	s64	max;
	u32	first;
	u32	last;
	u16	sizes[4];
};

/*
 * all_see() stores these values while the handler merges a sample into a
 * record: the buffer's count of updates, and whether the record is new.
 */
static struct {
	u64	updates;
	bool	is_new;
} seen;

static void all_see(bool is_new);

DEFINE_PFM_TABLE(all, struct all_record, count, 3U << 16,
		 PFM_TABLE_COUNT(count), PFM_TABLE_SUM(sum), PFM_TABLE_MIN(min),
		 all_see(is_new),
		 PFM_TABLE_MAX(max), PFM_TABLE_FIRST(first),
		 PFM_TABLE_LAST(last), PFM_TABLE_LOG2(sizes, sum))

/* A record with a long key, and with a payload of one 64-bit word. */
struct long_record {
	u64	key[16];
	u64	count;
};

DEFINE_PFM_TABLE(long, struct long_record, count, 1U << 16,
		 PFM_TABLE_COUNT(count))

/* A record with a payload of one 64-bit word that consists of two fields. */
struct short_record {
	u64	key;
	u32	count;
	u32	last;
};

DEFINE_PFM_TABLE(short, struct short_record, count, 1U << 16,
		 PFM_TABLE_COUNT(count), PFM_TABLE_LAST(last))

/* The next sample for each format. */
static struct all_record all;
static struct long_record wide;
static struct short_record narrow;
static const pfm_sink_more_t *more;

static void all_see(bool is_new)
{
	seen.updates = more->more_updates;
	seen.is_new = is_new;
}

static int all_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
		       struct pfm_ovfl_data *data)
{
	return all_add(buf, arg, &all);
}

static int long_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
			struct pfm_ovfl_data *data)
{
	return long_add(buf, arg, &wide);
}

static int short_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
			 struct pfm_ovfl_data *data)
{
	return short_add(buf, arg, &narrow);
}

static const pfm_buffer_fmt_t all_fmt = {
	.fmt_name	= "all",
	.fmt_handler	= all_handler,
	PFM_TABLE_CALLS(all),
};

static const pfm_buffer_fmt_t long_fmt = {
	.fmt_name	= "long",
	.fmt_handler	= long_handler,
	PFM_TABLE_CALLS(long),
};

static const pfm_buffer_fmt_t short_fmt = {
	.fmt_name	= "short",
	.fmt_handler	= short_handler,
	PFM_TABLE_CALLS(short),
};

static int table_kunit_init(struct kunit *test)
{
	struct pfm_fmt_calls *d = kunit_kzalloc(test, sizeof(*d), GFP_KERNEL);

	test->priv = d;
	return d ? 0 : -ENOMEM;
}

/* Create a buffer of a format with room for exactly @keys records. */
static void make(struct kunit *test, const pfm_buffer_fmt_t *fmt, u64 keys)
{
	size_t record = fmt == &all_fmt ? sizeof(all) :
			fmt == &long_fmt ? sizeof(wide) : sizeof(narrow);
	pfm_sink_arg_t arg = { .buf_size = OFFS + keys * record };
	struct pfm_fmt_calls *d = test->priv;

	d->fmt = fmt;
	pfm_calls_make(test, &arg);
	more = d->buf + PFM_SINK_MORE_OFFS(1);
	all = (struct all_record) { .id = 1 };
	wide = (struct long_record) { .count = 0 };
}

static const pfm_sink_hdr_t *hdr_of(const struct pfm_fmt_calls *d)
{
	return d->buf;
}

static u64 lost_of(const struct pfm_fmt_calls *d)
{
	return hdr_of(d)->hdr_lost[PFM_SINK_LOST_TABLE];
}

static struct all_record *all_of(const struct pfm_fmt_calls *d, u64 i)
{
	return (struct all_record *)(d->buf + OFFS) + i;
}

static struct long_record *long_of(const struct pfm_fmt_calls *d, u64 i)
{
	return (struct long_record *)(d->buf + OFFS) + i;
}

/* Make all searches begin at the first slot. */
static void make_hashes_equal(const struct pfm_fmt_calls *d)
{
	struct pfm_table *t = pfm_sink_priv(d->buf);

	t->places = 1;
}

static void sample(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, GO_ON);
}

/*
 * Let the format all_fmt take a sample with key @id, and @value in most other
 * fields.
 */
static void value(struct kunit *test, u32 id, u32 value)
{
	all = (struct all_record) {
		.id = id, .event = 7, .count = 99, .sum = value, .min = value,
		.max = -(s64)value, .first = value, .last = value,
		.sizes = { 99, 99, 99, 99 },
	};
	sample(test);
}

static void table_first_sample_makes_whole_record(struct kunit *test)
{
	const struct all_record expected = {
		.id = 5, .event = 7, .count = 1, .sum = 3, .min = 3, .max = -3,
		.first = 3, .last = 3, .sizes = { 0, 0, 1, 0 },
	};
	struct pfm_fmt_calls *d = test->priv;

	make(test, &all_fmt, 2);
	memset(all_of(d, 0), 0xff, sizeof(expected));
	value(test, 5, 3);
	KUNIT_EXPECT_EQ(test, records_of(d), 1);
	KUNIT_EXPECT_MEMEQ(test, all_of(d, 0), &expected, sizeof(expected));
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_past, 0);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_fmt_version, 3 << 16);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_max_record, sizeof(expected));
}

static void table_merges_fields_as_declared(struct kunit *test)
{
	const struct all_record expected = {
		.id = 1, .event = 7, .count = 4, .sum = 117, .min = 2,
		.max = -2, .first = 10, .last = 5, .sizes = { 0, 0, 1, 3 },
	};
	struct pfm_fmt_calls *d = test->priv;

	make(test, &all_fmt, 2);
	value(test, 1, 10);
	value(test, 2, 1000);
	value(test, 1, 100);
	value(test, 1, 2);
	value(test, 1, 5);
	KUNIT_EXPECT_EQ(test, records_of(d), 2);
	KUNIT_EXPECT_MEMEQ(test, all_of(d, 0), &expected, sizeof(expected));
	KUNIT_EXPECT_EQ(test, all_of(d, 1)->count, 1);
	KUNIT_EXPECT_EQ(test, all_of(d, 1)->sum, 1000);
	KUNIT_EXPECT_EQ(test, hdr_of(d)->hdr_past, 3);
}

static void table_log2_counts_by_number_of_bits(struct kunit *test)
{
	static const u32 values[] = { 0, 0, 1, 2, 3, 3, 4, U32_MAX };
	static const u16 expected[] = { 2, 1, 3, 2 };
	struct pfm_fmt_calls *d = test->priv;
	unsigned int i;

	make(test, &all_fmt, 1);
	for (i = 0; i < ARRAY_SIZE(values); i++)
		value(test, 1, values[i]);
	KUNIT_EXPECT_MEMEQ(test, all_of(d, 0)->sizes, expected,
			   sizeof(expected));
}

/*
 * Keys that differ in one bit must not be confused, even if hashes are equal.
 */
static void table_compares_whole_keys(struct kunit *test)
{
	static const unsigned int bytes[] = { 0, 7, 8, 64, 127 };
	struct pfm_fmt_calls *d = test->priv;
	unsigned int i;

	make(test, &long_fmt, 8);
	make_hashes_equal(d);
	sample(test);
	for (i = 0; i < ARRAY_SIZE(bytes); i++) {
		memset(&wide, 0, sizeof(wide));
		((u8 *)wide.key)[bytes[i]] = 0x80;
		sample(test);
		sample(test);
		KUNIT_EXPECT_EQ(test, records_of(d), i + 2);
		KUNIT_EXPECT_MEMEQ(test, long_of(d, i + 1)->key, wide.key,
				   sizeof(wide.key));
		KUNIT_EXPECT_EQ(test, long_of(d, i + 1)->count, 2);
	}
	KUNIT_EXPECT_EQ(test, long_of(d, 0)->count, 1);
}

static void table_search_is_bounded(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	u32 id;

	make(test, &all_fmt, 64);
	make_hashes_equal(d);
	for (id = 0; id < 32; id++)
		value(test, id, 1);
	KUNIT_EXPECT_EQ(test, records_of(d), PFM_TABLE_PROBES);
	KUNIT_EXPECT_EQ(test, lost_of(d), 32 - PFM_TABLE_PROBES);
	value(test, PFM_TABLE_PROBES - 1, 1);
	KUNIT_EXPECT_EQ(test, all_of(d, PFM_TABLE_PROBES - 1)->count, 2);
}

/*
 * A search that begins at the last place must not leave the memory area of the
 * table. KASAN would report this.
 */
static void table_search_ends_behind_last_place(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	struct pfm_table *t;
	u32 id;

	make(test, &all_fmt, 64);
	t = pfm_sink_priv(d->buf);
	KUNIT_EXPECT_EQ(test, t->places, 128);
	/* Fill the slots from the last place on. */
	for (id = 0; id < PFM_TABLE_PROBES; id++)
		((struct pfm_table_slot *)
		 (d->area + (127 + id) * (8 + sizeof(all))))->offs = OFFS;
	for (id = 0; id < 4096; id++)
		value(test, id, 1);
	KUNIT_EXPECT_EQ(test, records_of(d) + hdr_of(d)->hdr_past + lost_of(d),
			4096);
}

static void table_loses_new_keys_when_full(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	u32 id;

	make(test, &all_fmt, 3);
	for (id = 0; id < 5; id++)
		value(test, id, 1);
	value(test, 2, 4);
	KUNIT_EXPECT_EQ(test, records_of(d), 3);
	KUNIT_EXPECT_EQ(test, lost_of(d), 2);
	KUNIT_EXPECT_EQ(test, all_of(d, 2)->sum, 5);
}

/*
 * Do not expect a record for every key, because how many keys find a slot
 * depends on how the hash distributes them.
 */
static void table_is_nearly_filled_before_losses(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	u64 i;

	make(test, &long_fmt, 1024);
	for (i = 0; i < 1024; i++) {
		wide.key[0] = 0xffffffff81000000 + i * 64;
		wide.key[15] = i >> 3;
		sample(test);
	}
	KUNIT_EXPECT_EQ(test, records_of(d) + lost_of(d), 1024);
	KUNIT_EXPECT_GE(test, records_of(d), 1000);
}

static void table_change_is_between_two_updates(struct kunit *test)
{
	make(test, &all_fmt, 2);
	value(test, 1, 1);
	KUNIT_EXPECT_TRUE(test, seen.is_new);
	KUNIT_EXPECT_EQ(test, more->more_updates, 0);
	value(test, 1, 2);
	KUNIT_EXPECT_FALSE(test, seen.is_new);
	KUNIT_EXPECT_EQ(test, seen.updates, 1);
	KUNIT_EXPECT_EQ(test, more->more_updates, 2);
	value(test, 1, 3);
	KUNIT_EXPECT_EQ(test, seen.updates, 3);
	KUNIT_EXPECT_EQ(test, more->more_updates, 4);
}

/*
 * The payload is one word, but its two fields are written one after the other.
 * A reader must not get fields of different updates, so updates are counted.
 */
static void table_of_two_fields_in_a_word_updates(struct kunit *test)
{
	make(test, &short_fmt, 2);
	sample(test);
	KUNIT_EXPECT_EQ(test, more->more_updates, 0);
	sample(test);
	KUNIT_EXPECT_EQ(test, more->more_updates, 2);
}

static void table_of_one_word_needs_no_updates(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, &long_fmt, 2);
	sample(test);
	sample(test);
	KUNIT_EXPECT_EQ(test, long_of(d, 0)->count, 2);
	KUNIT_EXPECT_EQ(test, more->more_updates, 0);
}

static void handler_ignores_mapped_buffer(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	make(test, &all_fmt, 4);
	value(test, 1, 10);
	memset(d->buf, 0xff, d->size);
	value(test, 1, 20);
	value(test, 2, 5);
	KUNIT_EXPECT_EQ(test, all_of(d, 0)->count, 2);
	KUNIT_EXPECT_EQ(test, all_of(d, 0)->sum, 30);
	KUNIT_EXPECT_EQ(test, all_of(d, 0)->min, 10);
	KUNIT_EXPECT_EQ(test, all_of(d, 1)->id, 2);
	KUNIT_EXPECT_EQ(test, records_of(d), 2);
	KUNIT_EXPECT_EQ(test, more->more_updates, 2);
}

static void table_private_part_is_for_format(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	void *end;

	make(test, &all_fmt, 2);
	end = pfm_fmt_priv(d->buf) + PFM_FMT_PRIV_SIZE;
	memset(pfm_table_priv(d->buf), 0xff, end - pfm_table_priv(d->buf));
	value(test, 1, 10);
	value(test, 1, 20);
	KUNIT_EXPECT_EQ(test, all_of(d, 0)->sum, 30);
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE(table_first_sample_makes_whole_record),
	KUNIT_CASE(table_merges_fields_as_declared),
	KUNIT_CASE(table_log2_counts_by_number_of_bits),
	KUNIT_CASE(table_compares_whole_keys),
	KUNIT_CASE(table_search_is_bounded),
	KUNIT_CASE(table_search_ends_behind_last_place),
	KUNIT_CASE(table_loses_new_keys_when_full),
	KUNIT_CASE(table_is_nearly_filled_before_losses),
	KUNIT_CASE(table_change_is_between_two_updates),
	KUNIT_CASE(table_of_two_fields_in_a_word_updates),
	KUNIT_CASE(table_of_one_word_needs_no_updates),
	KUNIT_CASE(handler_ignores_mapped_buffer),
	KUNIT_CASE(table_private_part_is_for_format),
	{}
};

static struct kunit_suite table_suite = {
	.name = "pfm_table",
	.init = table_kunit_init,
	.exit = pfm_calls_end,
	.test_cases = table_cases,
};

kunit_test_suite(table_suite);
