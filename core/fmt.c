// SPDX-License-Identifier: GPL-2.0
/*
 * fmt.c - the registry of sampling formats (3.5.7-3.5.9)
 */
#include <linux/kmod.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <perfmon/perfmon_fmt_sdk.h>
#include "fmt.h"
#include "sysfs.h"

/**
 * struct pfm_fmt_entry - a registered format
 * @list:  in pfm_fmts
 * @fmt:   the format
 * @users: contexts that use it
 * @kobj:  its directory in sysfs
 */
struct pfm_fmt_entry {
	struct list_head	list;
	const pfm_buffer_fmt_t	*fmt;
	unsigned int		users;
	struct kobject		*kobj;
};

static LIST_HEAD(pfm_fmts);
static DEFINE_MUTEX(pfm_fmts_lock);

static struct pfm_fmt_entry *pfm_fmt_find(const pfm_uuid_t uuid)
{
	struct pfm_fmt_entry *e;

	lockdep_assert_held(&pfm_fmts_lock);
	list_for_each_entry(e, &pfm_fmts, list)
		if (pfm_uuid_equal(e->fmt->fmt_uuid, uuid))
			return e;
	return NULL;
}

static bool pfm_fmt_is_valid(const pfm_buffer_fmt_t *fmt)
{
	return fmt && fmt->fmt_name && *fmt->fmt_name &&
	       !pfm_uuid_is_null(fmt->fmt_uuid) && fmt->fmt_handler &&
	       fmt->fmt_arg_size <= PFM_FMT_MAX_ARG_SIZE &&
	       fmt->fmt_msgq_depth <= PFM_FMT_MAX_MSGQ_DEPTH &&
	       !(fmt->fmt_flags & ~PFM_FMTFL_ALL);
}

int pfm_register_buffer_fmt(const pfm_buffer_fmt_t *fmt)
{
	struct pfm_fmt_entry *e;
	int ret = 0;

	if (!pfm_fmt_is_valid(fmt))
		return -EINVAL;
	e = kzalloc(sizeof(*e), GFP_KERNEL);
	if (!e)
		return -ENOMEM;
	e->fmt = fmt;

	mutex_lock(&pfm_fmts_lock);
	if (pfm_fmt_find(fmt->fmt_uuid)) {
		ret = -EBUSY;
		goto unlock;
	}
	e->kobj = pfm_sysfs_add_fmt(fmt);
	if (IS_ERR(e->kobj)) {
		ret = PTR_ERR(e->kobj);
		goto unlock;
	}
	list_add_tail(&e->list, &pfm_fmts);
unlock:
	mutex_unlock(&pfm_fmts_lock);
	if (ret)
		kfree(e);
	return ret;
}
EXPORT_SYMBOL_GPL(pfm_register_buffer_fmt);

int pfm_unregister_buffer_fmt(const pfm_uuid_t uuid)
{
	struct pfm_fmt_entry *e;
	int ret = 0;

	mutex_lock(&pfm_fmts_lock);
	e = pfm_fmt_find(uuid);
	if (!e)
		ret = -EINVAL;
	else if (e->users)
		ret = -EBUSY;
	else
		list_del(&e->list);
	mutex_unlock(&pfm_fmts_lock);
	if (ret)
		return ret;
	pfm_sysfs_del_fmt(e->kobj);
	kfree(e);
	return 0;
}
EXPORT_SYMBOL_GPL(pfm_unregister_buffer_fmt);

static const pfm_buffer_fmt_t *pfm_fmt_try_get(const pfm_uuid_t uuid)
{
	const pfm_buffer_fmt_t *fmt = NULL;
	struct pfm_fmt_entry *e;

	mutex_lock(&pfm_fmts_lock);
	e = pfm_fmt_find(uuid);
	if (e && try_module_get(e->fmt->fmt_owner)) {
		e->users++;
		fmt = e->fmt;
	}
	mutex_unlock(&pfm_fmts_lock);
	return fmt;
}

const pfm_buffer_fmt_t *pfm_fmt_get(const pfm_uuid_t uuid)
{
	const pfm_buffer_fmt_t *fmt = pfm_fmt_try_get(uuid);

	if (!fmt && !request_module("perfmon-fmt-%pUb", uuid))
		fmt = pfm_fmt_try_get(uuid);
	return fmt;
}

void pfm_fmt_put(const pfm_buffer_fmt_t *fmt)
{
	mutex_lock(&pfm_fmts_lock);
	pfm_fmt_find(fmt->fmt_uuid)->users--;
	mutex_unlock(&pfm_fmts_lock);
	module_put(fmt->fmt_owner);
}
