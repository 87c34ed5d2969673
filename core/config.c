// SPDX-License-Identifier: GPL-2.0
/*
 * config.c - global properties: PFM_SET_CONFIG and PFM_GET_CONFIG, the files in
 *	      /sys/kernel/perfmon and the module parameters for the same
 *	      variables (3.1.16, 3.1.17; Eranian 2006, 7)
 *
 * Code that uses a property reads it once. A change does not affect existing
 * contexts.
 */
#include <linux/kobject.h>
#include <linux/kstrtox.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/uaccess.h>
#include "config.h"
#include "pmu.h"
#include "sysfs.h"

struct pfm_config pfm_config = {
	.arg_size_max		= PAGE_SIZE,
	.smpl_buf_size_max	= 256UL << 20,
	.sys_gid		= PFM_GROUP_ANY,
	.thread_gid		= PFM_GROUP_ANY,
};

/* Makes PFM_SET_CONFIG and PFM_GET_CONFIG atomic with respect to each other. */
static DEFINE_MUTEX(pfm_config_lock);

static bool pfm_size_is_legal(u64 size)
{
	return size >= PAGE_SIZE && size <= ULONG_MAX;
}

int pfm_size_from_text(const char *text, unsigned long *size)
{
	unsigned long value;

	if (kstrtoul(text, 0, &value) || !pfm_size_is_legal(value))
		return -EINVAL;
	WRITE_ONCE(*size, value);
	return 0;
}

int pfm_group_from_text(const char *text, gid_t *gid)
{
	gid_t value = PFM_GROUP_ANY;

	if (!sysfs_streq(text, "any") && kstrtouint(text, 0, &value))
		return -EINVAL;
	WRITE_ONCE(*gid, value);
	return 0;
}

int pfm_config_set(const pfarg_config_t *req)
{
	if (req->cf_flags || req->reserved1 || req->reserved2 ||
	    req->reserved3 || !pfm_size_is_legal(req->cf_arg_size_max) ||
	    !pfm_size_is_legal(req->cf_smpl_buf_size_max))
		return -EINVAL;
	mutex_lock(&pfm_config_lock);
	WRITE_ONCE(pfm_config.sys_gid, req->cf_sys_gid);
	WRITE_ONCE(pfm_config.thread_gid, req->cf_thread_gid);
	WRITE_ONCE(pfm_config.arg_size_max, req->cf_arg_size_max);
	WRITE_ONCE(pfm_config.smpl_buf_size_max, req->cf_smpl_buf_size_max);
	mutex_unlock(&pfm_config_lock);
	return 0;
}

static void pfm_bv_from_regs(const struct pfm_reg_desc *regs, u16 n, u64 *bv)
{
	u16 i;

	for (i = 0; i < n; i++)
		pfm_bv_set(bv, regs[i].num);
}

/* Without a PMU description there are no registers, and the width stays 0. */
static void pfm_config_get_pmu(pfarg_config_t *req)
{
	const struct pfm_pmu *pmu = pfm_pmu_get();

	if (!pmu)
		return;
	pfm_bv_from_regs(pmu->pmcs, pmu->num_pmcs, req->cf_impl_pmcs);
	pfm_bv_from_regs(pmu->pmds, pmu->num_pmds, req->cf_impl_pmds);
	req->cf_counter_width = pmu->actual_width ?: pmu->counter_width;
	pfm_pmu_put(pmu);
}

void pfm_config_get(pfarg_config_t *req)
{
	memset(req, 0, sizeof(*req));
	req->cf_version = PFM_VERSION;
	pfm_config_get_pmu(req);
	mutex_lock(&pfm_config_lock);
	req->cf_sys_gid = READ_ONCE(pfm_config.sys_gid);
	req->cf_thread_gid = READ_ONCE(pfm_config.thread_gid);
	req->cf_arg_size_max = READ_ONCE(pfm_config.arg_size_max);
	req->cf_smpl_buf_size_max = READ_ONCE(pfm_config.smpl_buf_size_max);
	mutex_unlock(&pfm_config_lock);
}

long pfm_set_config_cmd(const struct pfm_ioc *ioc)
{
	pfarg_config_t req;

	if (ioc->narg != 1 ||
	    copy_from_user(&req, u64_to_user_ptr(ioc->arg), sizeof(req)))
		return -EFAULT;
	return pfm_config_set(&req);
}

long pfm_get_config_cmd(const struct pfm_ioc *ioc)
{
	pfarg_config_t req;

	if (ioc->narg != 1)
		return -EFAULT;
	pfm_config_get(&req);
	return copy_to_user(u64_to_user_ptr(ioc->arg), &req, sizeof(req)) ?
		       -EFAULT : 0;
}

static int pfm_size_param_set(const char *text, const struct kernel_param *kp)
{
	return pfm_size_from_text(text, kp->arg);
}

static const struct kernel_param_ops pfm_size_param = {
	.set	= pfm_size_param_set,
	.get	= param_get_ulong,
};

module_param_cb(arg_size_max, &pfm_size_param, &pfm_config.arg_size_max, 0644);
__MODULE_PARM_TYPE(arg_size_max, "ulong");
MODULE_PARM_DESC(arg_size_max,
		 "maximum size of a vector or a format's argument, in bytes (4.4.2)");

module_param_cb(smpl_buf_size_max, &pfm_size_param,
		&pfm_config.smpl_buf_size_max, 0644);
__MODULE_PARM_TYPE(smpl_buf_size_max, "ulong");
MODULE_PARM_DESC(smpl_buf_size_max,
		 "maximum size of all sampling buffers together, in bytes (4.4.3)");

struct pfm_size_file {
	struct kobj_attribute	attr;
	unsigned long		*size;
};

struct pfm_group_file {
	struct kobj_attribute	attr;
	gid_t			*gid;
};

static ssize_t pfm_size_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *buf)
{
	const struct pfm_size_file *file =
		container_of(attr, struct pfm_size_file, attr);

	return sysfs_emit(buf, "%lu\n", READ_ONCE(*file->size));
}

static ssize_t pfm_size_store(struct kobject *kobj, struct kobj_attribute *attr,
			      const char *buf, size_t count)
{
	const struct pfm_size_file *file =
		container_of(attr, struct pfm_size_file, attr);

	return pfm_size_from_text(buf, file->size) ?: count;
}

static ssize_t pfm_group_show(struct kobject *kobj, struct kobj_attribute *attr,
			      char *buf)
{
	const struct pfm_group_file *file =
		container_of(attr, struct pfm_group_file, attr);
	gid_t gid = READ_ONCE(*file->gid);

	if (gid == PFM_GROUP_ANY)
		return sysfs_emit(buf, "any\n");
	return sysfs_emit(buf, "%u\n", gid);
}

static ssize_t pfm_group_store(struct kobject *kobj,
			       struct kobj_attribute *attr, const char *buf,
			       size_t count)
{
	const struct pfm_group_file *file =
		container_of(attr, struct pfm_group_file, attr);

	return pfm_group_from_text(buf, file->gid) ?: count;
}

static struct pfm_size_file pfm_arg_size_max_file = {
	.attr	= __ATTR(arg_size_max, 0644, pfm_size_show, pfm_size_store),
	.size	= &pfm_config.arg_size_max,
};

static struct pfm_size_file pfm_smpl_buf_size_max_file = {
	.attr	= __ATTR(smpl_buf_size_max, 0644, pfm_size_show,
			 pfm_size_store),
	.size	= &pfm_config.smpl_buf_size_max,
};

static struct pfm_group_file pfm_sys_group_file = {
	.attr	= __ATTR(sys_group, 0644, pfm_group_show, pfm_group_store),
	.gid	= &pfm_config.sys_gid,
};

static struct pfm_group_file pfm_task_group_file = {
	.attr	= __ATTR(task_group, 0644, pfm_group_show, pfm_group_store),
	.gid	= &pfm_config.thread_gid,
};

static const struct attribute *const pfm_config_attrs[] = {
	&pfm_arg_size_max_file.attr.attr,
	&pfm_smpl_buf_size_max_file.attr.attr,
	&pfm_sys_group_file.attr.attr,
	&pfm_task_group_file.attr.attr,
	NULL
};

int pfm_config_init(void)
{
	return pfm_sysfs_add_files(pfm_config_attrs);
}
