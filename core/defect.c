// SPDX-License-Identifier: GPL-2.0
/*
 * defect.c - properties of this kernel that self-tests have found missing
 *
 * The modules rely on private properties of the kernel that could change
 * without a compiler error. The modules test for these properties, and do not
 * use one that is missing.
 */
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <perfmon/perfmon_defect.h>
#include "defect.h"
#include "sysfs.h"

static DEFINE_MUTEX(pfm_defects_lock);
static char pfm_defects[PFM_NUM_DEFECTS][PFM_DEFECT_SIZE];

void pfm_set_defect(enum pfm_defect part, const char *sentence)
{
	char *text = pfm_defects[part];

	mutex_lock(&pfm_defects_lock);
	if (sentence && strcmp(text, sentence))
		pr_warn("perfmon: %s\n", sentence);
	strscpy(text, sentence ?: "", PFM_DEFECT_SIZE);
	mutex_unlock(&pfm_defects_lock);
}
EXPORT_SYMBOL_GPL(pfm_set_defect);

static ssize_t defects_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	int i, len = 0;

	mutex_lock(&pfm_defects_lock);
	for (i = 0; i < PFM_NUM_DEFECTS; i++)
		if (*pfm_defects[i])
			len += sysfs_emit_at(buf, len, "%s\n", pfm_defects[i]);
	mutex_unlock(&pfm_defects_lock);
	return len;
}

static struct kobj_attribute pfm_defects_attr = __ATTR_RO(defects);

int pfm_defect_init(void)
{
	static const struct attribute *const files[] = {
		&pfm_defects_attr.attr, NULL
	};

	return pfm_sysfs_add_files(files);
}
