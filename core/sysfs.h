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

/* Context: process. Return: 0 or an errno. */
int pfm_sysfs_init(void);
void pfm_sysfs_exit(void);

/*
 * Show files in the root directory, until it goes.
 * Context: process. Return: 0 or an errno.
 */
int pfm_sysfs_add_files(const struct attribute *const *attrs);

/*
 * Show a format. Context: process, pfm_register_buffer_fmt() serialises.
 * Return: its directory, or an ERR_PTR.
 */
struct kobject *pfm_sysfs_add_fmt(const pfm_buffer_fmt_t *fmt);

/* The format may go on return: nobody reads its files any more. */
void pfm_sysfs_del_fmt(struct kobject *kobj);

/*
 * Show a PMU description. Context: process, pfm_register_pmu() serialises.
 * Return: 0 or an errno.
 */
int pfm_sysfs_add_pmu(const struct pfm_pmu *pmu);

/* The description may go on return: nobody reads the files any more. */
void pfm_sysfs_del_pmu(void);

#endif /* PFM_CORE_SYSFS_H */
