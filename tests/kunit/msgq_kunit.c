// SPDX-License-Identifier: GPL-2.0
/*
 * msgq_kunit.c - the message queue
 */
#include <kunit/test.h>
#include "fixture.h"
#include "msgq.h"

static void put(struct pfm_msgq *q, u16 set, bool fits, struct kunit *test)
{
	pfm_ovfl_msg_t msg = { .msg_type = PFM_MSG_OVFL,
			       .msg_active_set = set };

	KUNIT_EXPECT_EQ(test, pfm_msgq_put_ovfl(q, &msg), fits);
}

static int msgq_init(struct kunit *test)
{
	struct pfm_msgq *q = kunit_kzalloc(test, sizeof(*q), GFP_KERNEL);

	test->priv = q;
	return q ? pfm_msgq_init(q, 3) : -ENOMEM;
}

static void msgq_exit(struct kunit *test)
{
	pfm_msgq_destroy(test->priv);
}

/* Proves 3.3.1-02, 3.3.3-01, P5.2-03 */
static void msgq_is_first_in_first_out(struct kunit *test)
{
	struct pfm_msgq *q = test->priv;
	pfm_msg_t msg;
	u16 round, i;

	/* Wrap around the ring several times. */
	for (round = 0; round < 5; round++) {
		for (i = 0; i < 3; i++)
			put(q, i, true, test);
		for (i = 0; i < 3; i++) {
			KUNIT_ASSERT_TRUE(test, take_msg(q, &msg));
			KUNIT_EXPECT_EQ(test, msg.ovfl.msg_active_set, i);
		}
		KUNIT_EXPECT_FALSE(test, take_msg(q, &msg));
		KUNIT_EXPECT_TRUE(test, pfm_msgq_empty(q));
	}
	KUNIT_EXPECT_EQ(test, q->dropped, 0ULL);
}

/* Proves P5.2-01, H23 */
static void full_msgq_drops_newest_message(struct kunit *test)
{
	struct pfm_msgq *q = test->priv;
	pfm_msg_t msg;
	u16 i;

	for (i = 0; i < 3; i++)
		put(q, i, true, test);
	put(q, 99, false, test);
	put(q, 99, false, test);
	KUNIT_EXPECT_EQ(test, q->dropped, 2ULL);
	for (i = 0; i < 3; i++) {
		KUNIT_ASSERT_TRUE(test, take_msg(q, &msg));
		KUNIT_EXPECT_EQ(test, msg.ovfl.msg_active_set, i);
	}
	KUNIT_EXPECT_TRUE(test, pfm_msgq_empty(q));
}

/* Proves 3.3.6-04, H23 */
static void full_msgq_accepts_end_message(struct kunit *test)
{
	pfm_msg_t msg;
	u16 depth, i;

	/*
	 * Try several depths, because the ring's size is rounded up to a power
	 * of two.
	 */
	for (depth = 1; depth <= 4; depth++) {
		struct pfm_msgq q = {};

		KUNIT_ASSERT_EQ(test, pfm_msgq_init(&q, depth), 0);
		for (i = 1; i <= depth; i++)
			put(&q, i, true, test);
		pfm_msgq_put_end(&q);
		for (i = 1; i <= depth; i++) {
			KUNIT_EXPECT_TRUE(test, take_msg(&q, &msg));
			KUNIT_EXPECT_EQ(test, msg.ovfl.msg_active_set, i);
		}
		KUNIT_EXPECT_TRUE(test, take_msg(&q, &msg));
		KUNIT_EXPECT_EQ(test, msg.msg_type, (u32)PFM_MSG_END);
		pfm_msgq_destroy(&q);
	}
}

/* Proves 3.3.5-01 */
static void msgq_reset_drops_all_messages(struct kunit *test)
{
	struct pfm_msgq *q = test->priv;
	pfm_msg_t msg;

	put(q, 1, true, test);
	put(q, 2, true, test);
	pfm_msgq_reset(q);
	KUNIT_EXPECT_TRUE(test, pfm_msgq_empty(q));
	put(q, 3, true, test);
	KUNIT_ASSERT_TRUE(test, take_msg(q, &msg));
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_active_set, 3);
}

static void msgq_peek_keeps_message(struct kunit *test)
{
	struct pfm_msgq *q = test->priv;
	unsigned long pos;
	pfm_msg_t msg;

	put(q, 1, true, test);
	KUNIT_EXPECT_TRUE(test, pfm_msgq_peek(q, &msg, &pos));
	KUNIT_EXPECT_TRUE(test, pfm_msgq_peek(q, &msg, &pos));
	KUNIT_EXPECT_TRUE(test, pfm_msgq_take(q, pos));
	KUNIT_EXPECT_FALSE(test, pfm_msgq_peek(q, &msg, &pos));
}

/* Proves H23 */
static void msgq_message_goes_to_one_reader(struct kunit *test)
{
	struct pfm_msgq *q = test->priv;
	unsigned long slow, fast;
	pfm_msg_t msg;

	put(q, 1, true, test);
	put(q, 2, true, test);
	KUNIT_EXPECT_TRUE(test, pfm_msgq_peek(q, &msg, &slow));
	KUNIT_EXPECT_TRUE(test, pfm_msgq_peek(q, &msg, &fast));
	KUNIT_EXPECT_TRUE(test, pfm_msgq_take(q, fast));
	KUNIT_EXPECT_FALSE(test, pfm_msgq_take(q, slow));
	KUNIT_EXPECT_TRUE(test, pfm_msgq_peek(q, &msg, &slow));
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_active_set, 2);
	KUNIT_EXPECT_TRUE(test, pfm_msgq_take(q, slow));
	KUNIT_EXPECT_TRUE(test, pfm_msgq_empty(q));
}

/* Proves H23 */
static void msgq_reset_invalidates_concurrent_read(struct kunit *test)
{
	struct pfm_msgq *q = test->priv;
	unsigned long pos;
	pfm_msg_t msg;

	put(q, 1, true, test);
	put(q, 2, true, test);
	KUNIT_EXPECT_TRUE(test, pfm_msgq_peek(q, &msg, &pos));
	pfm_msgq_reset(q);
	KUNIT_EXPECT_FALSE(test, pfm_msgq_take(q, pos));
	KUNIT_EXPECT_TRUE(test, pfm_msgq_empty(q));
	put(q, 3, true, test);
	KUNIT_ASSERT_TRUE(test, take_msg(q, &msg));
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_active_set, 3);
}

/* Proves 3.3.1-04, 3.5.7-04 */
static void msgq_depth_is_at_least_one(struct kunit *test)
{
	struct pfm_msgq q = {};

	KUNIT_ASSERT_EQ(test, pfm_msgq_init(&q, 0), 0);
	put(&q, 1, true, test);
	put(&q, 2, false, test);
	pfm_msgq_destroy(&q);
}

static struct kunit_case msgq_cases[] = {
	KUNIT_CASE(msgq_is_first_in_first_out),
	KUNIT_CASE(full_msgq_drops_newest_message),
	KUNIT_CASE(full_msgq_accepts_end_message),
	KUNIT_CASE(msgq_reset_drops_all_messages),
	KUNIT_CASE(msgq_peek_keeps_message),
	KUNIT_CASE(msgq_message_goes_to_one_reader),
	KUNIT_CASE(msgq_reset_invalidates_concurrent_read),
	KUNIT_CASE(msgq_depth_is_at_least_one),
	{}
};

static struct kunit_suite msgq_suite = {
	.name = "pfm_msgq",
	.init = msgq_init,
	.exit = msgq_exit,
	.test_cases = msgq_cases,
};

/* Tests of a context's message queue */

/* Proves 3.3.1-04, 3.4.3-09, H23 */
static void full_context_queue_counts_dropped_messages(struct kunit *test)
{
	struct fixture *f = fixture_create(test, 0, false);
	pfm_msg_t msg;

	fixture_sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	fixture_start(test);
	fixture_count(test, 10);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	fixture_count(test, 1000);
	KUNIT_EXPECT_EQ(test, f->ctx->msgq.dropped, 1ULL);
	KUNIT_EXPECT_TRUE(test, fixture_take_msg(f, &msg));
	KUNIT_EXPECT_FALSE(test, fixture_take_msg(f, &msg));
}

/* Proves 3.3.1-03, 3.5.7-03 */
static void format_sets_message_queue_depth(struct kunit *test)
{
	struct fixture *f = fixture_create(test, 0, true);
	pfm_msg_t msg;
	int i;

	for (i = 0; i < 3; i++)
		f->script.ctrl[i] = PFM_OVFL_CTRL_RESET | PFM_OVFL_CTRL_NOTIFY;
	fixture_counter(test, 0, PFM_REGFL_OVFL_NOTIFY, -10);
	fixture_start(test);
	for (i = 0; i < 3; i++)
		fixture_count(test, 10);
	KUNIT_EXPECT_EQ(test, f->ctx->msgq.dropped, 1ULL);
	for (i = 0; i < script_fmt.fmt_msgq_depth; i++)
		KUNIT_EXPECT_TRUE(test, fixture_take_msg(f, &msg));
	KUNIT_EXPECT_FALSE(test, fixture_take_msg(f, &msg));
}

static struct kunit_case msgq_context_cases[] = {
	KUNIT_CASE(full_context_queue_counts_dropped_messages),
	KUNIT_CASE(format_sets_message_queue_depth),
	{}
};

static struct kunit_suite msgq_context_suite = {
	.name = "pfm_msgq_context",
	.exit = fixture_exit,
	.test_cases = msgq_context_cases,
};

kunit_test_suites(&msgq_suite, &msgq_context_suite);
