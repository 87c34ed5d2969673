// SPDX-License-Identifier: GPL-2.0
/*
 * oprofile_stream_kunit.c - the stream of the OProfile bridge
 */
#include <kunit/test.h>
#include <perfmon/perfmon_oprofile_smpl.h>
#include "oprofile_check.h"
#include "stream.h"

/* The number of words of a sample with all headers. */
#define ALL_WORDS	17
#define STREAM_WORDS	64

static int stream_init(struct kunit *test)
{
	struct pfm_op_stream *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	test->priv = s;
	return s ? pfm_op_stream_init(s, STREAM_WORDS) : -ENOMEM;
}

static void stream_exit(struct kunit *test)
{
	pfm_op_stream_free(test->priv);
}

static const struct pfm_op_record user_record = {
	.cpu = 1, .tid = 20, .tgid = 21, .user = true, .app = 5, .event = 7,
	.at = { .cookie = 6, .offset = 0x123 },
};

static void stream_first_sample_has_all_headers(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;

	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &user_record));
	EXPECT_WORDS(test, s, ESC, PFM_OPROFILE_CPU_SWITCH, 1,
		     ESC, PFM_OPROFILE_CTX_SWITCH, 20, 5,
		     ESC, PFM_OPROFILE_CTX_TGID, 21,
		     ESC, PFM_OPROFILE_KERNEL_EXIT,
		     ESC, PFM_OPROFILE_COOKIE_SWITCH, 6,
		     0x123, 7);
}

/*
 * Add a sample with all headers to the stream, and consume its words. Later
 * samples add only headers that have changed. Return: the sample.
 */
static struct pfm_op_record said(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;

	KUNIT_ASSERT_TRUE(test, pfm_op_stream_add(s, &user_record));
	while (pfm_op_stream_has_words(s))
		take(test, s);
	return user_record;
}

static void stream_omits_unchanged_headers(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;
	struct pfm_op_record r = said(test);

	r.event = 8;
	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &r));
	EXPECT_WORDS(test, s, 0x123, 8);
}

static void stream_adds_header_for_new_thread(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;
	struct pfm_op_record r = said(test);

	r.tid = 22;
	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &r));
	EXPECT_WORDS(test, s, ESC, PFM_OPROFILE_CTX_SWITCH, 22, 5,
		     ESC, PFM_OPROFILE_CTX_TGID, 21, 0x123, 7);
}

static void stream_adds_header_for_exec(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;
	struct pfm_op_record r = said(test);

	r.app = 9;
	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &r));
	EXPECT_WORDS(test, s, ESC, PFM_OPROFILE_CTX_SWITCH, 20, 9,
		     ESC, PFM_OPROFILE_CTX_TGID, 21, 0x123, 7);
}

static void stream_adds_header_for_new_file(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;
	struct pfm_op_record r = said(test);

	r.at.cookie = PFM_OPROFILE_NO_COOKIE;
	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &r));
	EXPECT_WORDS(test, s, ESC, PFM_OPROFILE_COOKIE_SWITCH, 0, 0x123, 7);
}

static void stream_adds_kernel_enter_and_exit(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;
	struct pfm_op_record r = said(test);

	r.user = false;
	r.at.cookie = 0;
	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &r));
	EXPECT_WORDS(test, s, ESC, PFM_OPROFILE_KERNEL_ENTER, 0x123, 7);
	/*
	 * The stream omits the header for the file, because the file is that of
	 * the previous sample in user space.
	 */
	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &user_record));
	EXPECT_WORDS(test, s, ESC, PFM_OPROFILE_KERNEL_EXIT, 0x123, 7);
}

static void stream_adds_all_headers_for_new_cpu(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;
	struct pfm_op_record r = said(test);

	r.cpu = 0;
	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &r));
	EXPECT_WORDS(test, s, ESC, PFM_OPROFILE_CPU_SWITCH, 0,
		     ESC, PFM_OPROFILE_CTX_SWITCH, 20, 5,
		     ESC, PFM_OPROFILE_CTX_TGID, 21,
		     ESC, PFM_OPROFILE_KERNEL_EXIT,
		     ESC, PFM_OPROFILE_COOKIE_SWITCH, 6,
		     0x123, 7);
}

static void stream_trace_has_sample_and_callers(struct kunit *test)
{
	static const struct pfm_op_point callers[] = {
		{ 6, 0x200 }, { 8, 0x300 },
	};
	struct pfm_op_stream *s = test->priv;
	struct pfm_op_record r = said(test);

	r.callers = callers;
	r.num_callers = 2;
	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &r));
	EXPECT_WORDS(test, s, ESC, PFM_OPROFILE_TRACE_BEGIN, 0x123, 7,
		     0x200, 0, ESC, PFM_OPROFILE_COOKIE_SWITCH, 8, 0x300, 0,
		     ESC, PFM_OPROFILE_TRACE_END);
	/* The next sample has the header for its own file again. */
	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &user_record));
	EXPECT_WORDS(test, s, ESC, PFM_OPROFILE_COOKIE_SWITCH, 6, 0x123, 7);
}

/* Fill the stream. Return: the number of samples that fit. */
static int fill(struct kunit *test)
{
	int n = 0;

	while (pfm_op_stream_add(test->priv, &user_record))
		n++;
	return n;
}

static void stream_drops_sample_that_does_not_fit(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;
	unsigned long head;
	int i, n = fill(test);

	KUNIT_EXPECT_EQ(test, n, 1 + (STREAM_WORDS - ALL_WORDS) / 2);
	head = s->head;
	KUNIT_EXPECT_FALSE(test, pfm_op_stream_add(s, &user_record));
	KUNIT_EXPECT_EQ(test, s->head, head);
	for (i = 0; i < ALL_WORDS - 2; i++)
		take(test, s);
	for (i = 0; i < n; i++) {
		KUNIT_EXPECT_EQ(test, take(test, s), 0x123UL);
		KUNIT_EXPECT_EQ(test, take(test, s), 7UL);
	}
	KUNIT_EXPECT_FALSE(test, pfm_op_stream_has_words(s));
}

static void stream_adds_all_headers_after_gap(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;

	fill(test);
	while (pfm_op_stream_has_words(s))
		take(test, s);
	stream_first_sample_has_all_headers(test);
	stream_omits_unchanged_headers(test);
}

static void stream_gap_ends_when_all_headers_fit(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;
	int i;

	fill(test);
	/*
	 * Make room for a sample without headers. A sample was dropped, so the
	 * next one needs all headers, and does not fit yet.
	 */
	for (i = 0; i < ALL_WORDS - 2; i++)
		take(test, s);
	KUNIT_EXPECT_FALSE(test, pfm_op_stream_add(s, &user_record));
	take(test, s);
	take(test, s);
	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &user_record));
}

static void stream_wraps_around(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;
	struct pfm_op_record r = said(test);
	unsigned long i;

	for (i = 0; i < 10 * STREAM_WORDS; i++) {
		r.at.offset = i;
		r.tid = i % 3;
		KUNIT_ASSERT_TRUE(test, pfm_op_stream_add(s, &r));
		EXPECT_WORDS(test, s, ESC, PFM_OPROFILE_CTX_SWITCH, i % 3, 5,
			     ESC, PFM_OPROFILE_CTX_TGID, 21, i, 7);
	}
}

static struct kunit_case stream_cases[] = {
	KUNIT_CASE(stream_first_sample_has_all_headers),
	KUNIT_CASE(stream_omits_unchanged_headers),
	KUNIT_CASE(stream_adds_header_for_new_thread),
	KUNIT_CASE(stream_adds_header_for_exec),
	KUNIT_CASE(stream_adds_header_for_new_file),
	KUNIT_CASE(stream_adds_kernel_enter_and_exit),
	KUNIT_CASE(stream_adds_all_headers_for_new_cpu),
	KUNIT_CASE(stream_trace_has_sample_and_callers),
	KUNIT_CASE(stream_drops_sample_that_does_not_fit),
	KUNIT_CASE(stream_adds_all_headers_after_gap),
	KUNIT_CASE(stream_gap_ends_when_all_headers_fit),
	KUNIT_CASE(stream_wraps_around),
	{}
};

static struct kunit_suite stream_suite = {
	.name = "pfm_op_stream",
	.init = stream_init,
	.exit = stream_exit,
	.test_cases = stream_cases,
};
kunit_test_suite(stream_suite);
