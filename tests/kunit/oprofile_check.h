/* SPDX-License-Identifier: GPL-2.0 */
/*
 * oprofile_check.h - check what a reader of the OProfile bridge gets: words of
 * the stream, names of files
 */
#ifndef PFM_KUNIT_OPROFILE_CHECK_H
#define PFM_KUNIT_OPROFILE_CHECK_H

#include <kunit/test.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/path.h>
#include <perfmon/perfmon_oprofile_smpl.h>
#include "cookies.h"
#include "stream.h"

#define ESC	PFM_OPROFILE_ESC

/* Remove and return the next word of the stream. */
static inline unsigned long take(struct kunit *test, struct pfm_op_stream *s)
{
	unsigned long word;

	KUNIT_ASSERT_TRUE(test, pfm_op_stream_has_words(s));
	word = s->words[s->tail & s->mask];
	s->tail++;
	return word;
}

static inline void expect_words(struct kunit *test, struct pfm_op_stream *s,
				const unsigned long *words, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		KUNIT_EXPECT_EQ_MSG(test, take(test, s), words[i],
				    "word %zu", i);
	KUNIT_EXPECT_FALSE(test, pfm_op_stream_has_words(s));
}

#define EXPECT_WORDS(test, s, ...) do {					\
	const unsigned long words_[] = { __VA_ARGS__ };			\
									\
	expect_words(test, s, words_, ARRAY_SIZE(words_));		\
} while (0)

/* The names of the two files that file_open() creates and opens. */
static const char * const file_names[] = { "/bridge-a", "/bridge-b" };

static inline struct file *file_open(struct kunit *test, int n)
{
	struct file *file = filp_open(file_names[n], O_RDWR | O_CREAT, 0600);

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	return file;
}

static inline void expect_name(struct kunit *test,
			       struct pfm_op_cookies *cookies,
			       unsigned long cookie, const char *name)
{
	struct path path;
	char text[64];

	KUNIT_ASSERT_EQ(test, pfm_op_cookie_path(cookies, cookie, &path), 0);
	KUNIT_EXPECT_STREQ(test, d_path(&path, text, sizeof(text)), name);
	path_put(&path);
}

#endif /* PFM_KUNIT_OPROFILE_CHECK_H */
