// SPDX-License-Identifier: GPL-2.0
/*
 * smpl_buf_kunit.c - create sampling buffers, and release them together with
 * their format
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <perfmon/perfmon_fmt_sdk.h>
#include "buffer.h"
#include "smpl_buf.h"

/*
 * The results of the format's call-backs, and the arguments that they received.
 */
static size_t buf_size, area_size;
static int init_ret;
static void *init_buf, *exit_buf;
static int exits;

static int odd_getsize(u32 flags, void *arg, size_t *size)
{
	*size = buf_size;
	return 0;
}

static int odd_getpriv(u32 flags, void *arg, size_t *size)
{
	*size = area_size;
	return 0;
}

static int odd_init(u32 flags, void *arg, void *buf)
{
	init_buf = buf;
	return init_ret;
}

static int odd_exit(void *buf)
{
	exit_buf = buf;
	exits++;
	return 0;
}

static const pfm_buffer_fmt_t odd_fmt = {
	.fmt_name	= "odd",
	.fmt_getsize	= odd_getsize,
	.fmt_getpriv	= odd_getpriv,
	.fmt_init	= odd_init,
	.fmt_exit	= odd_exit,
};

static int smpl_buf_init(struct kunit *test)
{
	buf_size = 100;
	area_size = 0;
	init_ret = 0;
	exits = 0;
	return 0;
}

static int measure(struct pfm_smpl_size *size)
{
	return pfm_smpl_buf_measure(&odd_fmt, 0, NULL, size);
}

static void smpl_buf_has_front_and_area(struct kunit *test)
{
	struct pfm_buffer *buffer;
	struct pfm_smpl_size size;

	area_size = 50;
	KUNIT_EXPECT_EQ(test, measure(&size), 0);
	KUNIT_ASSERT_EQ(test, pfm_smpl_buf_create(&odd_fmt, 0, NULL, &size,
						  &buffer), 0);
	KUNIT_EXPECT_EQ(test, pfm_buffer_size(buffer), PAGE_SIZE);
	KUNIT_EXPECT_PTR_EQ(test, init_buf, pfm_buffer_start(buffer));
	KUNIT_EXPECT_PTR_EQ(test, pfm_fmt_area(init_buf),
			    pfm_buffer_area(buffer));
	pfm_smpl_buf_end(&odd_fmt, buffer);
	KUNIT_EXPECT_PTR_EQ(test, exit_buf, init_buf);
}

static void format_without_buffer_is_initialised(struct kunit *test)
{
	struct pfm_buffer *buffer;
	struct pfm_smpl_size size;

	buf_size = 0;
	KUNIT_EXPECT_EQ(test, measure(&size), 0);
	KUNIT_ASSERT_EQ(test, pfm_smpl_buf_create(&odd_fmt, 0, NULL, &size,
						  &buffer), 0);
	KUNIT_EXPECT_NULL(test, buffer);
	KUNIT_EXPECT_NULL(test, init_buf);
	pfm_smpl_buf_end(&odd_fmt, buffer);
	KUNIT_EXPECT_EQ(test, exits, 1);
}

static void smpl_buf_with_error_of_init_is_freed(struct kunit *test)
{
	struct pfm_buffer *buffer = NULL;
	struct pfm_smpl_size size;

	init_ret = -EIO;
	KUNIT_EXPECT_EQ(test, measure(&size), 0);
	KUNIT_EXPECT_EQ(test, pfm_smpl_buf_create(&odd_fmt, 0, NULL, &size,
						  &buffer), -EIO);
	KUNIT_EXPECT_NULL(test, buffer);
	KUNIT_EXPECT_EQ(test, exits, 0);
}

static void area_without_buffer_is_refused(struct kunit *test)
{
	struct pfm_smpl_size size;

	buf_size = 0;
	area_size = 1;
	KUNIT_EXPECT_EQ(test, measure(&size), -EINVAL);
}

static struct kunit_case smpl_buf_cases[] = {
	KUNIT_CASE(smpl_buf_has_front_and_area),
	KUNIT_CASE(format_without_buffer_is_initialised),
	KUNIT_CASE(smpl_buf_with_error_of_init_is_freed),
	KUNIT_CASE(area_without_buffer_is_refused),
	{}
};

static struct kunit_suite smpl_buf_suite = {
	.name = "pfm_smpl_buf",
	.init = smpl_buf_init,
	.test_cases = smpl_buf_cases,
};

kunit_test_suites(&smpl_buf_suite);
