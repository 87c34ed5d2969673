// SPDX-License-Identifier: GPL-2.0
/*
 * oprofile_cookies_kunit.c - the OProfile bridge's cookies
 */
#include <kunit/test.h>
#include <linux/file.h>
#include <linux/mount.h>
#include "cookies.h"
#include "oprofile_check.h"

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

static void each_file_has_own_cookie(struct kunit *test)
{
	struct files *f = test->priv;
	unsigned long a = cookie_of(f, 0), b = cookie_of(f, 1);

	KUNIT_EXPECT_NE(test, a, b);
	KUNIT_EXPECT_NE(test, a, PFM_OPROFILE_NO_COOKIE);
	KUNIT_EXPECT_NE(test, a, PFM_OPROFILE_INVALID_COOKIE);
	expect_name(test, &f->cookies, a, file_names[0]);
	expect_name(test, &f->cookies, b, file_names[1]);
}

static void file_keeps_cookie(struct kunit *test)
{
	struct files *f = test->priv;
	unsigned long a = cookie_of(f, 0);

	cookie_of(f, 1);
	KUNIT_EXPECT_EQ(test, cookie_of(f, 0), a);
}

static void file_has_cookie_per_mount(struct kunit *test)
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

static void invalid_cookies_are_enoent(struct kunit *test)
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

static void cookies_hold_dentries_until_dropped(struct kunit *test)
{
	struct files *f = test->priv;
	struct dentry *dentry = f->file[0]->f_path.dentry;
	unsigned int before;
	unsigned long a;
	struct path path;

	/* A delayed fput() of an earlier test may still be pending. */
	flush_delayed_fput();
	before = d_count(dentry);
	a = cookie_of(f, 0);
	KUNIT_EXPECT_EQ(test, d_count(dentry), before + 1);
	pfm_op_cookies_drop(&f->cookies);
	KUNIT_EXPECT_EQ(test, d_count(dentry), before);
	KUNIT_EXPECT_EQ(test, pfm_op_cookie_path(&f->cookies, a, &path),
			-ENOENT);
	/* The table can be used again. */
	expect_name(test, &f->cookies, cookie_of(f, 1), file_names[1]);
}

static void full_cookie_table_returns_invalid_cookie(struct kunit *test)
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
	KUNIT_CASE(each_file_has_own_cookie),
	KUNIT_CASE(file_keeps_cookie),
	KUNIT_CASE(file_has_cookie_per_mount),
	KUNIT_CASE(invalid_cookies_are_enoent),
	KUNIT_CASE(cookies_hold_dentries_until_dropped),
	KUNIT_CASE(full_cookie_table_returns_invalid_cookie),
	{}
};

static struct kunit_suite cookie_suite = {
	.name = "pfm_op_cookies",
	.init = cookies_init,
	.exit = cookies_exit,
	.test_cases = cookie_cases,
};
kunit_test_suite(cookie_suite);
