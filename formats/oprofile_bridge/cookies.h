/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cookies.h - numbers (cookies) for the files whose code was sampled
 *
 * A cookie is valid, and its file is referenced, until all cookies are dropped.
 */
#ifndef PFM_OP_COOKIES_H
#define PFM_OP_COOKIES_H

#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/xarray.h>

struct path;

#define PFM_OP_COOKIE_BITS	10
#define PFM_OP_MAX_COOKIES	65536

/**
 * struct pfm_op_cookies - the table of cookies
 * @lock:   protects the other members
 * @files:  files by path
 * @by_num: files by cookie
 */
struct pfm_op_cookies {
	struct mutex	lock;
	DECLARE_HASHTABLE(files, PFM_OP_COOKIE_BITS);
	struct xarray	by_num;
};

void pfm_op_cookies_init(struct pfm_op_cookies *c);
/* Forget all cookies and release the files. Context: process, may sleep. */
void pfm_op_cookies_drop(struct pfm_op_cookies *c);

/*
 * Get the cookie of a file; a file that has none gets the next one. Context:
 * process, may sleep.
 * Return: the cookie; PFM_OPROFILE_INVALID_COOKIE if memory is short or
 * PFM_OP_MAX_COOKIES are in use.
 */
unsigned long pfm_op_cookie(struct pfm_op_cookies *c, const struct path *path);

/*
 * Look up the file of a cookie. The caller must call path_put() for *@path.
 * Context: process, may sleep. Return: 0 or -ENOENT.
 */
int pfm_op_cookie_path(struct pfm_op_cookies *c, u64 cookie, struct path *path);

#endif /* PFM_OP_COOKIES_H */
