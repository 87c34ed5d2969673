// SPDX-License-Identifier: GPL-2.0
/*
 * cookies.c - numbers (cookies) for the files whose code was sampled
 */
#include <linux/path.h>
#include <linux/slab.h>
#include <perfmon/perfmon_oprofile_smpl.h>
#include "cookies.h"

/* A file, and the cookie that stands for it */
struct pfm_op_file {
	struct hlist_node	node;
	struct path		path;
	u32			cookie;
};

void pfm_op_cookies_init(struct pfm_op_cookies *c)
{
	mutex_init(&c->lock);
	hash_init(c->files);
	/* Cookie 0 means "no file". */
	xa_init_flags(&c->by_num, XA_FLAGS_ALLOC1);
}

void pfm_op_cookies_drop(struct pfm_op_cookies *c)
{
	struct pfm_op_file *file;
	unsigned long cookie;

	mutex_lock(&c->lock);
	xa_for_each(&c->by_num, cookie, file) {
		path_put(&file->path);
		kfree(file);
	}
	xa_destroy(&c->by_num);
	hash_init(c->files);
	mutex_unlock(&c->lock);
}

static struct pfm_op_file *cookies_find(struct pfm_op_cookies *c,
					const struct path *path)
{
	struct pfm_op_file *file;

	hash_for_each_possible(c->files, file, node,
			       (unsigned long)path->dentry)
		if (path_equal(&file->path, path))
			return file;
	return NULL;
}

static struct pfm_op_file *cookies_add(struct pfm_op_cookies *c,
				       const struct path *path)
{
	struct pfm_op_file *file = kmalloc(sizeof(*file), GFP_KERNEL);

	if (!file)
		return NULL;
	if (xa_alloc(&c->by_num, &file->cookie, file,
		     XA_LIMIT(1, PFM_OP_MAX_COOKIES), GFP_KERNEL)) {
		kfree(file);
		return NULL;
	}
	file->path = *path;
	path_get(&file->path);
	hash_add(c->files, &file->node, (unsigned long)path->dentry);
	return file;
}

unsigned long pfm_op_cookie(struct pfm_op_cookies *c, const struct path *path)
{
	unsigned long cookie = PFM_OPROFILE_INVALID_COOKIE;
	struct pfm_op_file *file;

	mutex_lock(&c->lock);
	file = cookies_find(c, path);
	if (!file)
		file = cookies_add(c, path);
	if (file)
		cookie = file->cookie;
	mutex_unlock(&c->lock);
	return cookie;
}

int pfm_op_cookie_path(struct pfm_op_cookies *c, u64 cookie, struct path *path)
{
	struct pfm_op_file *file = NULL;

	mutex_lock(&c->lock);
	if (cookie <= PFM_OP_MAX_COOKIES)
		file = xa_load(&c->by_num, cookie);
	if (file) {
		*path = file->path;
		path_get(path);
	}
	mutex_unlock(&c->lock);
	return file ? 0 : -ENOENT;
}
