/* SPDX-License-Identifier: GPL-2.0 */
/*
 * config.h - global properties
 */
#ifndef PFM_CORE_CONFIG_H
#define PFM_CORE_CONFIG_H

#include <linux/types.h>
#include <perfmon/perfmon.h>

/**
 * struct pfm_config - global properties, each read with READ_ONCE()
 * @arg_size_max:      maximum size in bytes of a format's argument, and of the
 *                     array that a command takes
 * @smpl_buf_size_max: maximum size of all sampling buffers together, in bytes
 * @sys_gid:           group that may create system-wide contexts, or
 *                     PFM_GROUP_ANY
 * @thread_gid:        group that may create per-thread contexts, or
 *                     PFM_GROUP_ANY
 */
struct pfm_config {
	unsigned long	arg_size_max;
	unsigned long	smpl_buf_size_max;
	gid_t		sys_gid;
	gid_t		thread_gid;
};

extern struct pfm_config pfm_config;

/* Show the properties in sysfs. Context: process. Return: 0 or an errno. */
int pfm_config_init(void);

/**
 * pfm_config_set() - Change all properties
 * @req: new values; fields that describe the implementation are ignored
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL, and nothing is changed, for a limit that is too small, or
 * a flag or reserved field that is not 0.
 */
int pfm_config_set(const pfarg_config_t *req);

/**
 * pfm_config_get() - Get all properties
 * @req: out: the properties; all of it is overwritten
 *
 * Context: process, may sleep.
 */
void pfm_config_get(pfarg_config_t *req);

/* Process PFM_SET_CONFIG. Return: 0, -EFAULT (see 3.1.16) or -EINVAL. */
long pfm_set_config_cmd(const struct pfm_ioc *ioc);

/* Process PFM_GET_CONFIG. Return: 0 or -EFAULT (see 3.1.17). */
long pfm_get_config_cmd(const struct pfm_ioc *ioc);

/**
 * pfm_size_from_text() - Set a limit from text
 * @text: a number; a line feed may follow
 * @size: the limit
 *
 * Return: 0; -EINVAL, and nothing is changed, if the text is not a number or
 * the number is less than PAGE_SIZE.
 */
int pfm_size_from_text(const char *text, unsigned long *size);

/**
 * pfm_group_from_text() - Set a group from text
 * @text: "any" or the group's number; a line feed may follow
 * @gid:  the group
 *
 * Return: 0; -EINVAL, and nothing is changed, if @text is neither.
 */
int pfm_group_from_text(const char *text, gid_t *gid);

#endif /* PFM_CORE_CONFIG_H */
