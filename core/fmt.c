// SPDX-License-Identifier: GPL-2.0
/*
 * fmt.c - the registry of sampling formats (3.5.7-3.5.9)
 */
#include <linux/kmod.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <perfmon/perfmon_ds.h>
#include <perfmon/perfmon_fmt_sdk.h>
#include "fmt.h"
#include "fmt_arg.h"
#include "sysfs.h"

/**
 * struct pfm_fmt_entry - a registered format
 * @list:  entry in pfm_fmts
 * @fmt:   the format
 * @owner: its module, referenced by each user
 * @users: number of contexts that use it
 * @kobj:  its directory in sysfs
 */
struct pfm_fmt_entry {
	struct list_head	list;
	const pfm_buffer_fmt_t	*fmt;
	struct module		*owner;
	unsigned int		users;
	struct kobject		*kobj;
};

/*
 * Sizes and offsets that are compiled into formats, as the SDK's inline
 * functions are. Raise PFM_FMT_INTERFACE if one of them or such a function
 * changes, so that older formats are rejected.
 */
static_assert(PFM_FMT_INTERFACE == 4);
static_assert(sizeof(pfm_buffer_fmt_t) == 128);
static_assert(sizeof(struct pfm_arg_field) == 40);
static_assert(offsetof(pfm_ovfl_arg_t, ovfl_ctrl) == 24);
static_assert(offsetof(pfm_ovfl_arg_t, smpl_pmds) == 40);
static_assert(offsetof(pfm_ovfl_arg_t, smpl_pmds_values) == 88);
static_assert(sizeof(struct pfm_ovfl_data) == 32);
static_assert(sizeof(struct pfm_ovfl_state) == 32);
static_assert(sizeof(struct pfm_ds) == 112);
static_assert(offsetof(struct pfm_fmt_front, area) == PFM_FMT_PRIV_SIZE);
static_assert(sizeof(struct pfm_fmt_front) == 4096);

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

/* Check a format's description. Return: what is wrong, as text, or NULL. */
static const char *pfm_fmt_fault(const pfm_buffer_fmt_t *fmt)
{
	if (!fmt->fmt_name || !*fmt->fmt_name)
		return "fmt_name is missing";
	if (pfm_uuid_is_null(fmt->fmt_uuid))
		return "fmt_uuid is missing";
	if (!fmt->fmt_handler)
		return "fmt_handler is missing";
	if (fmt->fmt_arg_size > PFM_FMT_MAX_ARG_SIZE)
		return "fmt_arg_size exceeds PFM_FMT_MAX_ARG_SIZE";
	if (fmt->fmt_msgq_depth > PFM_FMT_MAX_MSGQ_DEPTH)
		return "fmt_msgq_depth exceeds PFM_FMT_MAX_MSGQ_DEPTH";
	if (fmt->fmt_flags & ~PFM_FMTFL_ALL)
		return "fmt_flags has unknown bits";
	return NULL;
}

/* Check the interface first: it determines the layout of the description. */
static int pfm_fmt_check(const pfm_buffer_fmt_t *fmt, const char *module,
			 unsigned int interface)
{
	const char *fault;

	if (interface != PFM_FMT_INTERFACE) {
		pr_err("perfmon: format in module %s: built for interface %u of perfmon_fmt.h, but perfmon has interface %u: rebuild it, see \"Formats for older interfaces\" in docs/writing_a_format.md\n",
		       module, interface, PFM_FMT_INTERFACE);
		return -EINVAL;
	}
	fault = fmt ? pfm_fmt_fault(fmt) : "no description";
	if (fault) {
		pr_err("perfmon: format %s in module %s: %s\n",
		       fmt && fmt->fmt_name ? fmt->fmt_name : "(none)", module,
		       fault);
		return -EINVAL;
	}
	return pfm_arg_layout_check(fmt, module);
}

/* Register @e. Return: 0; -EBUSY if its UUID is taken; an error of sysfs. */
static int pfm_fmt_add(struct pfm_fmt_entry *e)
{
	const struct pfm_fmt_entry *other;

	lockdep_assert_held(&pfm_fmts_lock);
	other = pfm_fmt_find(e->fmt->fmt_uuid);
	if (other) {
		pr_err("perfmon: format %s in module %s: fmt_uuid is that of format %s in module %s\n",
		       e->fmt->fmt_name, module_name(e->owner),
		       other->fmt->fmt_name, module_name(other->owner));
		return -EBUSY;
	}
	e->kobj = pfm_sysfs_add_fmt(e->fmt);
	if (IS_ERR(e->kobj))
		return PTR_ERR(e->kobj);
	list_add_tail(&e->list, &pfm_fmts);
	return 0;
}

int __pfm_register_buffer_fmt(const pfm_buffer_fmt_t *fmt,
			      struct module *owner, unsigned int interface)
{
	struct pfm_fmt_entry *e;
	int ret = pfm_fmt_check(fmt, module_name(owner), interface);

	if (ret)
		return ret;
	e = kzalloc(sizeof(*e), GFP_KERNEL);
	if (!e)
		return -ENOMEM;
	e->fmt = fmt;
	e->owner = owner;
	mutex_lock(&pfm_fmts_lock);
	ret = pfm_fmt_add(e);
	mutex_unlock(&pfm_fmts_lock);
	if (ret)
		kfree(e);
	return ret;
}
EXPORT_SYMBOL_GPL(__pfm_register_buffer_fmt);

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
	if (e && try_module_get(e->owner)) {
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
EXPORT_SYMBOL_GPL(pfm_fmt_get);

int pfm_fmt_result(const pfm_buffer_fmt_t *fmt, const char *callback, int ret)
{
	/* ERR_PTR() of a value below -MAX_ERRNO would look like a pointer. */
	if (ret <= 0 && ret >= -MAX_ERRNO)
		return ret;
	pr_err_ratelimited("perfmon: format %s: %s returns %d, which is neither 0 nor a negative errno\n",
			   fmt->fmt_name, callback, ret);
	return -EINVAL;
}

void pfm_fmt_put(const pfm_buffer_fmt_t *fmt)
{
	struct pfm_fmt_entry *e;
	struct module *owner;

	mutex_lock(&pfm_fmts_lock);
	e = pfm_fmt_find(fmt->fmt_uuid);
	e->users--;
	owner = e->owner;
	mutex_unlock(&pfm_fmts_lock);
	module_put(owner);
}
EXPORT_SYMBOL_GPL(pfm_fmt_put);
