// SPDX-License-Identifier: GPL-2.0
/*
 * ring_kunit.c - the ring between the handlers of a CPU and a consumer
 */
#include <kunit/test.h>
#include <perfmon/perfmon_fmt_ring.h>

/* The number of bytes after the header in each slot. */
#define ROOM	24

struct slot {
	struct pfm_ring_slot	head;
	u8			number[ROOM];
};

static struct pfm_ring *ring_make(struct kunit *test, unsigned int slots)
{
	struct pfm_ring *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_ASSERT_EQ(test,
			pfm_ring_init(r, slots, sizeof(struct slot),
				      NUMA_NO_NODE), 0);
	test->priv = r;
	return r;
}

static void ring_exit(struct kunit *test)
{
	pfm_ring_free(test->priv);
}

static void ring_put(struct kunit *test, struct pfm_ring *r, u8 number)
{
	unsigned long pos;
	struct slot *slot = pfm_ring_reserve(r, &pos);

	KUNIT_ASSERT_NOT_NULL(test, slot);
	memset(slot->number, number, ROOM);
	pfm_ring_publish(&slot->head, pos);
}

static void ring_expect(struct kunit *test, struct pfm_ring *r, u8 number)
{
	const struct slot *slot = pfm_ring_next(r);

	KUNIT_ASSERT_NOT_NULL(test, slot);
	/* Samples in the adjacent slots have not overwritten this slot. */
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(slot->number, number, ROOM), NULL);
	pfm_ring_consume(r);
}

static void empty_ring_has_no_sample(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, pfm_ring_next(ring_make(test, 4)));
}

static void full_ring_reserves_after_consumption(struct kunit *test)
{
	struct pfm_ring *r = ring_make(test, 4);
	unsigned long pos;
	int i;

	for (i = 0; i < 4; i++)
		ring_put(test, r, i);
	KUNIT_EXPECT_NULL(test, pfm_ring_reserve(r, &pos));
	ring_expect(test, r, 0);
	ring_put(test, r, 4);
	KUNIT_EXPECT_NULL(test, pfm_ring_reserve(r, &pos));
	for (i = 1; i < 5; i++)
		ring_expect(test, r, i);
	KUNIT_EXPECT_NULL(test, pfm_ring_next(r));
}

static void ring_size_is_rounded_up(struct kunit *test)
{
	struct pfm_ring *r = ring_make(test, 5);
	unsigned long pos;
	int i;

	for (i = 0; i < 8; i++)
		ring_put(test, r, i);
	KUNIT_EXPECT_NULL(test, pfm_ring_reserve(r, &pos));
}

static void ring_delivers_nested_samples_in_order(struct kunit *test)
{
	struct pfm_ring *r = ring_make(test, 4);
	struct slot *outer;
	unsigned long pos;

	outer = pfm_ring_reserve(r, &pos);
	KUNIT_ASSERT_NOT_NULL(test, outer);
	ring_put(test, r, 2);
	/* The interrupted sample is not complete yet. */
	KUNIT_EXPECT_NULL(test, pfm_ring_next(r));
	memset(outer->number, 1, ROOM);
	pfm_ring_publish(&outer->head, pos);
	ring_expect(test, r, 1);
	ring_expect(test, r, 2);
}

static void ring_does_not_repeat_old_samples(struct kunit *test)
{
	struct pfm_ring *r = ring_make(test, 4);
	int i;

	for (i = 0; i < 100; i++) {
		ring_put(test, r, i);
		ring_expect(test, r, i);
		KUNIT_EXPECT_NULL(test, pfm_ring_next(r));
	}
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(empty_ring_has_no_sample),
	KUNIT_CASE(full_ring_reserves_after_consumption),
	KUNIT_CASE(ring_size_is_rounded_up),
	KUNIT_CASE(ring_delivers_nested_samples_in_order),
	KUNIT_CASE(ring_does_not_repeat_old_samples),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "pfm_ring",
	.exit = ring_exit,
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);
