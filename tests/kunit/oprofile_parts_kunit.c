// SPDX-License-Identifier: GPL-2.0
/*
 * oprofile_parts_kunit.c - parts of the OProfile bridge, each by itself: per-CPU
 *			    buffers, the stream, cookies
 */
#include <kunit/test.h>
#include <linux/file.h>
#include <linux/mount.h>
#include <perfmon/perfmon_oprofile_smpl.h>
#include "cookies.h"
#include "cpu_buffer.h"
#include "oprofile_check.h"
#include "stream.h"

/*
 * The buffer of a CPU
 */

static struct pfm_op_cpu_buffer *buffer_make(struct kunit *test,
					     unsigned int samples,
					     unsigned int depth)
{
	struct pfm_op_cpu_buffer *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

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

/*
 * The stream
 */

/* Words of a sample that says everything. */
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

static void first_sample_says_everything(struct kunit *test)
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

/* Everything is said; what follows is what a change adds. */
static struct pfm_op_record said(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;

	KUNIT_ASSERT_TRUE(test, pfm_op_stream_add(s, &user_record));
	while (pfm_op_stream_has_words(s))
		take(test, s);
	return user_record;
}

static void what_did_not_change_is_not_said_again(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;
	struct pfm_op_record r = said(test);

	r.event = 8;
	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &r));
	EXPECT_WORDS(test, s, 0x123, 8);
}

static void another_thread_is_said(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;
	struct pfm_op_record r = said(test);

	r.tid = 22;
	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &r));
	EXPECT_WORDS(test, s, ESC, PFM_OPROFILE_CTX_SWITCH, 22, 5,
		     ESC, PFM_OPROFILE_CTX_TGID, 21, 0x123, 7);
}

static void another_program_of_the_thread_is_said(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;
	struct pfm_op_record r = said(test);

	r.app = 9;
	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &r));
	EXPECT_WORDS(test, s, ESC, PFM_OPROFILE_CTX_SWITCH, 20, 9,
		     ESC, PFM_OPROFILE_CTX_TGID, 21, 0x123, 7);
}

static void another_file_is_said(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;
	struct pfm_op_record r = said(test);

	r.at.cookie = PFM_OPROFILE_NO_COOKIE;
	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &r));
	EXPECT_WORDS(test, s, ESC, PFM_OPROFILE_COOKIE_SWITCH, 0, 0x123, 7);
}

static void entering_and_leaving_the_kernel_is_said(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;
	struct pfm_op_record r = said(test);

	r.user = false;
	r.at.cookie = 0;
	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &r));
	EXPECT_WORDS(test, s, ESC, PFM_OPROFILE_KERNEL_ENTER, 0x123, 7);
	/* The file is still the one of before. */
	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &user_record));
	EXPECT_WORDS(test, s, ESC, PFM_OPROFILE_KERNEL_EXIT, 0x123, 7);
}

static void another_cpu_says_everything(struct kunit *test)
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

static void trace_holds_its_sample_and_the_callers(struct kunit *test)
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
	/* The next sample is in its own file again. */
	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &user_record));
	EXPECT_WORDS(test, s, ESC, PFM_OPROFILE_COOKIE_SWITCH, 6, 0x123, 7);
}

/* Fill the stream. Return: samples that are in it. */
static int fill(struct kunit *test)
{
	int n = 0;

	while (pfm_op_stream_add(test->priv, &user_record))
		n++;
	return n;
}

static void what_does_not_fit_leaves_the_stream_whole(struct kunit *test)
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

static void after_a_gap_everything_is_said(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;

	fill(test);
	while (pfm_op_stream_has_words(s))
		take(test, s);
	first_sample_says_everything(test);
	what_did_not_change_is_not_said_again(test);
}

static void a_gap_ends_only_when_everything_fits(struct kunit *test)
{
	struct pfm_op_stream *s = test->priv;
	int i;

	fill(test);
	/* Room for a pair, not for what must be said with it. */
	for (i = 0; i < ALL_WORDS - 2; i++)
		take(test, s);
	KUNIT_EXPECT_FALSE(test, pfm_op_stream_add(s, &user_record));
	take(test, s);
	take(test, s);
	KUNIT_EXPECT_TRUE(test, pfm_op_stream_add(s, &user_record));
}

static void stream_goes_round(struct kunit *test)
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
	KUNIT_CASE(first_sample_says_everything),
	KUNIT_CASE(what_did_not_change_is_not_said_again),
	KUNIT_CASE(another_thread_is_said),
	KUNIT_CASE(another_program_of_the_thread_is_said),
	KUNIT_CASE(another_file_is_said),
	KUNIT_CASE(entering_and_leaving_the_kernel_is_said),
	KUNIT_CASE(another_cpu_says_everything),
	KUNIT_CASE(trace_holds_its_sample_and_the_callers),
	KUNIT_CASE(what_does_not_fit_leaves_the_stream_whole),
	KUNIT_CASE(after_a_gap_everything_is_said),
	KUNIT_CASE(a_gap_ends_only_when_everything_fits),
	KUNIT_CASE(stream_goes_round),
	{}
};

static struct kunit_suite stream_suite = {
	.name = "pfm_op_stream",
	.init = stream_init,
	.exit = stream_exit,
	.test_cases = stream_cases,
};

/*
 * Cookies
 */

struct files {
	struct pfm_op_cookies	cookies;
	struct file		*file[2];
};

static int cookies_init(struct kunit *test)
{
	struct files *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	test->priv = f;
	pfm_op_cookies_init(&f->cookies);
	f->file[0] = file_open(test, 0);
	f->file[1] = file_open(test, 1);
	return 0;
}

static void cookies_exit(struct kunit *test)
{
	struct files *f = test->priv;

	pfm_op_cookies_drop(&f->cookies);
	fput(f->file[0]);
	fput(f->file[1]);
}

static unsigned long cookie_of(struct files *f, int n)
{
	return pfm_op_cookie(&f->cookies, &f->file[n]->f_path);
}

static void files_have_cookies_of_their_own(struct kunit *test)
{
	struct files *f = test->priv;
	unsigned long a = cookie_of(f, 0), b = cookie_of(f, 1);

	KUNIT_EXPECT_NE(test, a, b);
	KUNIT_EXPECT_NE(test, a, PFM_OPROFILE_NO_COOKIE);
	KUNIT_EXPECT_NE(test, a, PFM_OPROFILE_INVALID_COOKIE);
	expect_name(test, &f->cookies, a, file_names[0]);
	expect_name(test, &f->cookies, b, file_names[1]);
}

static void a_file_keeps_its_cookie(struct kunit *test)
{
	struct files *f = test->priv;
	unsigned long a = cookie_of(f, 0);

	cookie_of(f, 1);
	KUNIT_EXPECT_EQ(test, cookie_of(f, 0), a);
}

static void another_mount_of_a_file_has_another_cookie(struct kunit *test)
{
	struct files *f = test->priv;
	unsigned long a = cookie_of(f, 0);
	struct path other = f->file[0]->f_path;

	other.mnt = clone_private_mount(&other);
	KUNIT_ASSERT_FALSE(test, IS_ERR(other.mnt));
	KUNIT_EXPECT_NE(test, pfm_op_cookie(&f->cookies, &other), a);
	KUNIT_EXPECT_EQ(test, cookie_of(f, 0), a);
	pfm_op_cookies_drop(&f->cookies);
	kern_unmount(other.mnt);
}

static const u64 no_cookies[] = {
	PFM_OPROFILE_NO_COOKIE, PFM_OPROFILE_INVALID_COOKIE, 3,
	PFM_OP_MAX_COOKIES, PFM_OP_MAX_COOKIES + 1, 1ULL << 32,
	(1ULL << 32) + 1, 1ULL << 63,
};

static void other_numbers_are_no_cookies(struct kunit *test)
{
	struct files *f = test->priv;
	struct path path;
	size_t i;

	cookie_of(f, 0);
	cookie_of(f, 1);
	for (i = 0; i < ARRAY_SIZE(no_cookies); i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    pfm_op_cookie_path(&f->cookies,
						       no_cookies[i], &path),
				    -ENOENT, "cookie %llu", no_cookies[i]);
}

static void cookies_hold_their_files_until_they_are_dropped(struct kunit *test)
{
	struct files *f = test->priv;
	struct dentry *dentry = f->file[0]->f_path.dentry;
	unsigned int before = d_count(dentry);
	unsigned long a = cookie_of(f, 0);
	struct path path;

	KUNIT_EXPECT_EQ(test, d_count(dentry), before + 1);
	pfm_op_cookies_drop(&f->cookies);
	KUNIT_EXPECT_EQ(test, d_count(dentry), before);
	KUNIT_EXPECT_EQ(test, pfm_op_cookie_path(&f->cookies, a, &path),
			-ENOENT);
	/* And the table can be used again. */
	expect_name(test, &f->cookies, cookie_of(f, 1), file_names[1]);
}

static void a_full_table_gives_no_cookie(struct kunit *test)
{
	struct files *f = test->priv;
	unsigned long i;

	for (i = 1; i <= PFM_OP_MAX_COOKIES; i++)
		KUNIT_ASSERT_EQ(test, xa_err(xa_store(&f->cookies.by_num, i,
						      xa_mk_value(i),
						      GFP_KERNEL)), 0);
	KUNIT_EXPECT_EQ(test, cookie_of(f, 0), PFM_OPROFILE_INVALID_COOKIE);
	xa_destroy(&f->cookies.by_num);
}

static struct kunit_case cookie_cases[] = {
	KUNIT_CASE(files_have_cookies_of_their_own),
	KUNIT_CASE(a_file_keeps_its_cookie),
	KUNIT_CASE(another_mount_of_a_file_has_another_cookie),
	KUNIT_CASE(other_numbers_are_no_cookies),
	KUNIT_CASE(cookies_hold_their_files_until_they_are_dropped),
	KUNIT_CASE(a_full_table_gives_no_cookie),
	{}
};

static struct kunit_suite cookie_suite = {
	.name = "pfm_op_cookies",
	.init = cookies_init,
	.exit = cookies_exit,
	.test_cases = cookie_cases,
};

kunit_test_suites(&buffer_suite, &stream_suite, &cookie_suite);
