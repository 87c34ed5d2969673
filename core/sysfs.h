/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sysfs.h - /sys/kernel/perfmon
 */
#ifndef PFM_CORE_SYSFS_H
#define PFM_CORE_SYSFS_H

#include <perfmon/perfmon_fmt.h>

struct attribute;
struct kobject;
struct pfm_pmu;

/* Create the directories. Context: process. Return: 0 or an errno. */
int pfm_sysfs_init(void);
void pfm_sysfs_exit(void);

/*
 * Add files to /sys/kernel/perfmon. They are removed together with the
 * directory. Context: process. Return: 0 or an errno.
 */
int pfm_sysfs_add_files(const struct attribute *const *attrs);

/*
 * Add a format's directory. Context: process, serialized by
 * pfm_register_buffer_fmt(). Return: its directory, or an ERR_PTR.
 */
struct kobject *pfm_sysfs_add_fmt(const pfm_buffer_fmt_t *fmt);

/* Remove a format's directory and wait for users of its files. */
void pfm_sysfs_del_fmt(struct kobject *kobj);

/*
 * Add the files of a PMU description. Context: process, serialized by
 * pfm_register_pmu(). Return: 0 or an errno.
 */
int pfm_sysfs_add_pmu(const struct pfm_pmu *pmu);

/* Remove the files of the PMU description and wait for their users. */
void pfm_sysfs_del_pmu(void);

#endif /* PFM_CORE_SYSFS_H */
