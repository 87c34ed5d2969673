// SPDX-License-Identifier: GPL-2.0
/*
 * sysfs.c - /sys/kernel/perfmon: version, configuration, formats, PMU description
 *	     (3.5.2; 2006 paper, 4.3)
 *
 *   version
 *   arg_size_max, smpl_buf_size_max, sys_group, task_group: see config.c
 *   formats/<uuid>/name, arg_size, and what the format adds
 *   pmu_desc/name, mappings
 */
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include "core.h"

static struct kobject *pfm_root;
static struct kobject *pfm_fmts_dir;
static struct kobject *pfm_pmu_dir;
static const struct pfm_pmu *pfm_shown_pmu;

/* A format's directory. */
struct pfm_fmt_dir {
	struct kobject		kobj;
	const pfm_buffer_fmt_t	*fmt;
};

static ssize_t version_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%u.%u\n", PFM_VERSION_MAJOR(PFM_VERSION),
			  PFM_VERSION_MINOR(PFM_VERSION));
}

static struct kobj_attribute pfm_version_attr = __ATTR_RO(version);

static ssize_t fmt_name_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *buf)
{
	return sysfs_emit(buf, "%s\n",
			  container_of(kobj, struct pfm_fmt_dir, kobj)
				  ->fmt->fmt_name);
}

static ssize_t fmt_arg_size_show(struct kobject *kobj,
				 struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%zu\n",
			  container_of(kobj, struct pfm_fmt_dir, kobj)
				  ->fmt->fmt_arg_size);
}

static struct kobj_attribute pfm_fmt_name_attr =
	__ATTR(name, 0444, fmt_name_show, NULL);
static struct kobj_attribute pfm_fmt_arg_size_attr =
	__ATTR(arg_size, 0444, fmt_arg_size_show, NULL);

static struct attribute *pfm_fmt_attrs[] = {
	&pfm_fmt_name_attr.attr,
	&pfm_fmt_arg_size_attr.attr,
	NULL
};
ATTRIBUTE_GROUPS(pfm_fmt);

static void pfm_fmt_dir_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct pfm_fmt_dir, kobj));
}

static const struct kobj_type pfm_fmt_ktype = {
	.sysfs_ops	= &kobj_sysfs_ops,
	.release	= pfm_fmt_dir_release,
	.default_groups	= pfm_fmt_groups,
};

/* Show a format. Return: its directory, or an ERR_PTR. */
struct kobject *pfm_sysfs_add_fmt(const pfm_buffer_fmt_t *fmt)
{
	struct pfm_fmt_dir *dir = kzalloc(sizeof(*dir), GFP_KERNEL);
	int ret;

	if (!dir)
		return ERR_PTR(-ENOMEM);
	dir->fmt = fmt;
	ret = kobject_init_and_add(&dir->kobj, &pfm_fmt_ktype, pfm_fmts_dir,
				   "%pUb", fmt->fmt_uuid);
	if (!ret && fmt->fmt_groups)
		ret = sysfs_create_groups(&dir->kobj, fmt->fmt_groups);
	if (ret) {
		kobject_put(&dir->kobj);
		return ERR_PTR(ret);
	}
	return &dir->kobj;
}

/* The format may go on return: nobody reads its files any more. */
void pfm_sysfs_del_fmt(struct kobject *kobj)
{
	kobject_del(kobj);
	kobject_put(kobj);
}

static ssize_t pmu_name_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *buf)
{
	return sysfs_emit(buf, "%s\n", pfm_shown_pmu->pmu_name);
}

static int pfm_emit_regs(char *buf, int len, const char *kind,
			 const struct pfm_reg_desc *regs, u16 n)
{
	u16 i;

	for (i = 0; i < n; i++)
		len += sysfs_emit_at(buf, len, "%s%u:%#llx:%#llx:%s\n", kind,
				     regs[i].num, regs[i].dfl, regs[i].rsvd,
				     regs[i].name);
	return len;
}

/* NAME:default:reserved bits:actual name, a line per register. */
static ssize_t mappings_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *buf)
{
	const struct pfm_pmu *pmu = pfm_shown_pmu;
	int len;

	len = pfm_emit_regs(buf, 0, "PMC", pmu->pmcs, pmu->num_pmcs);
	return pfm_emit_regs(buf, len, "PMD", pmu->pmds, pmu->num_pmds);
}

static struct kobj_attribute pfm_pmu_name_attr =
	__ATTR(name, 0444, pmu_name_show, NULL);
static struct kobj_attribute pfm_mappings_attr = __ATTR_RO(mappings);

static const struct attribute *pfm_pmu_attrs[] = {
	&pfm_pmu_name_attr.attr,
	&pfm_mappings_attr.attr,
	NULL
};

/* Context: process; pfm_register_pmu() serialises. Return: 0 or an errno. */
int pfm_sysfs_add_pmu(const struct pfm_pmu *pmu)
{
	pfm_shown_pmu = pmu;
	return sysfs_create_files(pfm_pmu_dir, pfm_pmu_attrs);
}

void pfm_sysfs_del_pmu(void)
{
	sysfs_remove_files(pfm_pmu_dir, pfm_pmu_attrs);
}

int pfm_sysfs_init(void)
{
	pfm_root = kobject_create_and_add("perfmon", kernel_kobj);
	if (!pfm_root)
		return -ENOMEM;
	pfm_fmts_dir = kobject_create_and_add("formats", pfm_root);
	pfm_pmu_dir = kobject_create_and_add("pmu_desc", pfm_root);
	if (pfm_fmts_dir && pfm_pmu_dir &&
	    !sysfs_create_file(pfm_root, &pfm_version_attr.attr) &&
	    !sysfs_create_files(pfm_root, pfm_config_attrs))
		return 0;
	pfm_sysfs_exit();
	return -ENOMEM;
}

void pfm_sysfs_exit(void)
{
	kobject_put(pfm_pmu_dir);
	kobject_put(pfm_fmts_dir);
	kobject_put(pfm_root);
}
