/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cookies.h - a number for each file that samples were in
 *
 * A cookie stays what it is until all are dropped; its file is held that long.
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
 * struct pfm_op_cookies - the table
 * @lock:   protects all else
 * @files:  by path
 * @by_num: the same, by cookie
 */
struct pfm_op_cookies {
	struct mutex	lock;
	DECLARE_HASHTABLE(files, PFM_OP_COOKIE_BITS);
	struct xarray	by_num;
};

void pfm_op_cookies_init(struct pfm_op_cookies *c);
/* Forget all cookies and let go of the files. Context: process, may sleep. */
void pfm_op_cookies_drop(struct pfm_op_cookies *c);

/*
 * The cookie of a file, a new one if it has none. Context: process, may sleep.
 * Return: the cookie; PFM_OPROFILE_INVALID_COOKIE if there is no memory or
 * PFM_OP_MAX_COOKIES are in use.
 */
unsigned long pfm_op_cookie(struct pfm_op_cookies *c, const struct path *path);

/*
 * The file of a cookie, in *@path, a reference that the caller puts.
 * Context: process, may sleep. Return: 0 or -ENOENT.
 */
int pfm_op_cookie_path(struct pfm_op_cookies *c, u64 cookie, struct path *path);

#endif /* PFM_OP_COOKIES_H */
