// SPDX-License-Identifier: GPL-2.0
/*
 * oprofile_cpu_buffer_kunit.c - the OProfile bridge's per-CPU buffer
 */
#include <kunit/test.h>
#include "cpu_buffer.h"

static struct pfm_op_cpu_buffer *buffer_make(struct kunit *test,
					     unsigned int samples,
					     unsigned int depth)
{
	struct pfm_op_cpu_buffer *b = kunit_kzalloc(test, sizeof(*b),
						    GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	KUNIT_ASSERT_EQ(test,
			pfm_op_cpu_buffer_init(b, samples, depth, NUMA_NO_NODE),
			0);
	test->priv = b;
	return b;
}

static void buffer_exit(struct kunit *test)
{
	pfm_op_cpu_buffer_free(test->priv);
}

static void buffer_put(struct kunit *test, struct pfm_op_cpu_buffer *b,
		       unsigned long ip)
{
	struct pfm_op_sample *sample;
	unsigned long pos;

	sample = pfm_op_reserve(b, &pos);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	sample->ip = ip;
	pfm_op_publish(sample, pos);
}

static void buffer_expect(struct kunit *test, struct pfm_op_cpu_buffer *b,
			  unsigned long ip)
{
	const struct pfm_op_sample *sample = pfm_op_next(b);

	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->ip, ip);
	pfm_op_consume(b);
}

static void empty_buffer_has_no_sample(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, pfm_op_next(buffer_make(test, 4, 0)));
}

static void full_buffer_gives_no_slot_until_one_is_consumed(struct kunit *test)
{
	struct pfm_op_cpu_buffer *b = buffer_make(test, 4, 0);
	unsigned long pos;
	int i;

	for (i = 0; i < 4; i++)
		buffer_put(test, b, i);
	KUNIT_EXPECT_NULL(test, pfm_op_reserve(b, &pos));
	buffer_expect(test, b, 0);
	buffer_put(test, b, 4);
	KUNIT_EXPECT_NULL(test, pfm_op_reserve(b, &pos));
	for (i = 1; i < 5; i++)
		buffer_expect(test, b, i);
	KUNIT_EXPECT_NULL(test, pfm_op_next(b));
}

static void size_is_rounded_up(struct kunit *test)
{
	struct pfm_op_cpu_buffer *b = buffer_make(test, 5, 0);
	unsigned long pos;
	int i;

	for (i = 0; i < 8; i++)
		buffer_put(test, b, i);
	KUNIT_EXPECT_NULL(test, pfm_op_reserve(b, &pos));
}

static void nested_samples_come_in_order_of_reservation(struct kunit *test)
{
	struct pfm_op_cpu_buffer *b = buffer_make(test, 4, 0);
	struct pfm_op_sample *outer;
	unsigned long pos;

	outer = pfm_op_reserve(b, &pos);
	KUNIT_ASSERT_NOT_NULL(test, outer);
	buffer_put(test, b, 2);
	/* The one that was interrupted is not there yet. */
	KUNIT_EXPECT_NULL(test, pfm_op_next(b));
	outer->ip = 1;
	pfm_op_publish(outer, pos);
	buffer_expect(test, b, 1);
	buffer_expect(test, b, 2);
}

static void old_samples_do_not_come_back_after_a_lap(struct kunit *test)
{
	struct pfm_op_cpu_buffer *b = buffer_make(test, 4, 0);
	int i;

	for (i = 0; i < 100; i++) {
		buffer_put(test, b, i);
		buffer_expect(test, b, i);
		KUNIT_EXPECT_NULL(test, pfm_op_next(b));
	}
}

static void every_slot_has_room_for_all_callers(struct kunit *test)
{
	struct pfm_op_cpu_buffer *b = buffer_make(test, 4, 3);
	const struct pfm_op_sample *sample;
	unsigned long pos, i, k;

	for (i = 0; i < 4; i++)
		for (sample = pfm_op_reserve(b, &pos), k = 0; k < 3; k++)
			pfm_op_slot(b, pos)->callers[k] = 10 * i + k;
	for (i = 0; i < 4; i++)
		for (k = 0; k < 3; k++)
			KUNIT_EXPECT_EQ(test, pfm_op_slot(b, i)->callers[k],
					10 * i + k);
}

static struct kunit_case buffer_cases[] = {
	KUNIT_CASE(empty_buffer_has_no_sample),
	KUNIT_CASE(full_buffer_gives_no_slot_until_one_is_consumed),
	KUNIT_CASE(size_is_rounded_up),
	KUNIT_CASE(nested_samples_come_in_order_of_reservation),
	KUNIT_CASE(old_samples_do_not_come_back_after_a_lap),
	KUNIT_CASE(every_slot_has_room_for_all_callers),
	{}
};

static struct kunit_suite buffer_suite = {
	.name = "pfm_op_cpu_buffer",
	.exit = buffer_exit,
	.test_cases = buffer_cases,
};
kunit_test_suite(buffer_suite);
