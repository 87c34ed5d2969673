// SPDX-License-Identifier: GPL-2.0
/*
 * sysfs.c - /sys/kernel/perfmon: version, configuration, formats, PMU
 *	     description (3.5.2; Eranian 2006, 4.3)
 *
 *   version
 *   the files of pfm_sysfs_add_files(): limits and groups (config.c), defects
 *   formats/<uuid>/name, arg_size, arg_layout, and what the format adds
 *   pmu_desc/name, mappings
 */
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <perfmon/perfmon_pmu.h>
#include "compat.h"
#include "fmt_arg.h"
#include "sysfs.h"

static struct kobject *pfm_root;
static struct kobject *pfm_fmts_dir;
static struct kobject *pfm_pmu_dir;
static const struct pfm_pmu *pfm_shown_pmu;
static char *pfm_mappings;
static size_t pfm_mappings_len;

/* A format's directory */
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

static const pfm_buffer_fmt_t *pfm_fmt_of(struct kobject *kobj)
{
	return container_of(kobj, struct pfm_fmt_dir, kobj)->fmt;
}

static ssize_t fmt_name_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *buf)
{
	return sysfs_emit(buf, "%s\n", pfm_fmt_of(kobj)->fmt_name);
}

static ssize_t fmt_arg_size_show(struct kobject *kobj,
				 struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%zu\n", pfm_fmt_of(kobj)->fmt_arg_size);
}

static ssize_t fmt_arg_layout_show(struct kobject *kobj,
				   struct kobj_attribute *attr, char *buf)
{
	return pfm_arg_layout_show(pfm_fmt_of(kobj), buf);
}

static struct kobj_attribute pfm_fmt_name_attr =
	__ATTR(name, 0444, fmt_name_show, NULL);
static struct kobj_attribute pfm_fmt_arg_size_attr =
	__ATTR(arg_size, 0444, fmt_arg_size_show, NULL);
static struct kobj_attribute pfm_fmt_arg_layout_attr =
	__ATTR(arg_layout, 0444, fmt_arg_layout_show, NULL);

static struct attribute *pfm_fmt_attrs[] = {
	&pfm_fmt_name_attr.attr,
	&pfm_fmt_arg_size_attr.attr,
	&pfm_fmt_arg_layout_attr.attr,
	NULL
};

/*
 * Hide arg_layout if the format does not describe its argument: an empty file
 * would mean that the argument has no fields.
 */
static umode_t pfm_fmt_visible(struct kobject *kobj, struct attribute *attr,
			       int n)
{
	bool hidden = attr == &pfm_fmt_arg_layout_attr.attr &&
		      !pfm_fmt_of(kobj)->fmt_arg_layout;

	return hidden ? 0 : attr->mode;
}

static const struct attribute_group pfm_fmt_group = {
	.attrs		= pfm_fmt_attrs,
	.is_visible	= pfm_fmt_visible,
};
__ATTRIBUTE_GROUPS(pfm_fmt);

static void pfm_fmt_dir_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct pfm_fmt_dir, kobj));
}

static const struct kobj_type pfm_fmt_ktype = {
	.sysfs_ops	= &kobj_sysfs_ops,
	.release	= pfm_fmt_dir_release,
	.default_groups	= pfm_fmt_groups,
};

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

static size_t pfm_print_regs(char *text, size_t size, const char *kind,
			     const struct pfm_reg_desc *regs, u16 n)
{
	size_t len = 0;
	u16 i;

	for (i = 0; i < n; i++)
		len += scnprintf(text + len, size - len,
				 "%s%u:%#llx:%#llx:%s\n", kind, regs[i].num,
				 regs[i].dfl, regs[i].rsvd, regs[i].name);
	return len;
}

/*
 * Make one line per register, NAME:default:reserved bits:actual name. The text
 * is too long for a plain attribute, which is limited to one page.
 */
static int pfm_make_mappings(const struct pfm_pmu *pmu)
{
	const size_t line = sizeof("PMC65535:::\n") +
			    2 * sizeof("0x0123456789abcdef") +
			    PFM_REGD_NAME_MAX;
	size_t size = line * (pmu->num_pmcs + pmu->num_pmds);
	char *text = kvmalloc(size, GFP_KERNEL);
	size_t len;

	if (!text)
		return -ENOMEM;
	len = pfm_print_regs(text, size, "PMC", pmu->pmcs, pmu->num_pmcs);
	len += pfm_print_regs(text + len, size - len, "PMD", pmu->pmds,
			      pmu->num_pmds);
	pfm_mappings = text;
	pfm_mappings_len = len;
	return 0;
}

static ssize_t pfm_mappings_read(struct file *file, struct kobject *kobj,
				 pfm_bin_attr_t *attr, char *buf,
				 loff_t pos, size_t count)
{
	return memory_read_from_buffer(buf, count, &pos, pfm_mappings,
				       pfm_mappings_len);
}

static struct kobj_attribute pfm_pmu_name_attr =
	__ATTR(name, 0444, pmu_name_show, NULL);
static struct bin_attribute pfm_mappings_attr = {
	.attr	= { .name = "mappings", .mode = 0444 },
	.read	= pfm_mappings_read,
};

int pfm_sysfs_add_pmu(const struct pfm_pmu *pmu)
{
	int ret = pfm_make_mappings(pmu);

	if (ret)
		return ret;
	pfm_shown_pmu = pmu;
	ret = sysfs_create_bin_file(pfm_pmu_dir, &pfm_mappings_attr);
	if (ret)
		goto err_free;
	ret = sysfs_create_file(pfm_pmu_dir, &pfm_pmu_name_attr.attr);
	if (ret)
		goto err_remove;
	return 0;
err_remove:
	sysfs_remove_bin_file(pfm_pmu_dir, &pfm_mappings_attr);
err_free:
	kvfree(pfm_mappings);
	return ret;
}

void pfm_sysfs_del_pmu(void)
{
	sysfs_remove_file(pfm_pmu_dir, &pfm_pmu_name_attr.attr);
	sysfs_remove_bin_file(pfm_pmu_dir, &pfm_mappings_attr);
	kvfree(pfm_mappings);
}

int pfm_sysfs_add_files(const struct attribute *const *attrs)
{
	return sysfs_create_files(pfm_root, attrs);
}

int pfm_sysfs_init(void)
{
	pfm_root = kobject_create_and_add("perfmon", kernel_kobj);
	if (!pfm_root)
		return -ENOMEM;
	pfm_fmts_dir = kobject_create_and_add("formats", pfm_root);
	pfm_pmu_dir = kobject_create_and_add("pmu_desc", pfm_root);
	if (pfm_fmts_dir && pfm_pmu_dir &&
	    !sysfs_create_file(pfm_root, &pfm_version_attr.attr))
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
