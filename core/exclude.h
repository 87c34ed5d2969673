/* SPDX-License-Identifier: GPL-2.0 */
/*
 * exclude.h - tasks that a system-wide context does not measure
 */
#ifndef PFM_CORE_EXCLUDE_H
#define PFM_CORE_EXCLUDE_H

#include <linux/types.h>

struct cgroup;
struct pfm_context;

/*
 * Get the control group to which a file descriptor refers. Context: process.
 * Return: the group, with a reference; NULL if the group contains all tasks; or
 * an ERR_PTR.
 */
struct cgroup *pfm_cgroup_get(unsigned int fd);

/* Drop a reference; @cgroup may be NULL. */
void pfm_cgroup_put(struct cgroup *cgroup);

/*
 * Probe the scheduler if @ctx, which is being attached, excludes tasks.
 * Context: process, pfm_context.mutex held; for a system-wide context, on the
 * CPU that it measures. Return: 0, or the error of adding the probe.
 */
int pfm_exclusion_attach(struct pfm_context *ctx);

/* End the probe before a detach. Context: process, pfm_context.mutex held. */
void pfm_exclusion_detach(struct pfm_context *ctx);

/*
 * Freeze the active set after a switch to an excluded task (@excluded is true),
 * or resume counting after a switch to any other task. Context: interrupts off,
 * on the CPU that @ctx measures, not in NMI.
 */
void pfm_exclusion_changed(struct pfm_context *ctx, bool excluded);

#endif /* PFM_CORE_EXCLUDE_H */
