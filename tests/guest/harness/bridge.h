/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * bridge.h - contexts, device and parameters of the OProfile bridge
 *
 * These functions fail the test on any error.
 */
#ifndef GUEST_BRIDGE_H
#define GUEST_BRIDGE_H

#include <linux/types.h>
#include <stdbool.h>

#include <perfmon/perfmon.h>
#include <perfmon/perfmon_oprofile_smpl.h>

#define BRIDGE_MODULE	"pfm_fmt_oprofile"
#define BRIDGE_DEVICE	"/dev/" PFM_OPROFILE_DEVICE
#define BRIDGE_STATS \
	PFM_SYSFS "/formats/" PFM_OPROFILE_SMPL_UUID_STR "/stats/"
#define BRIDGE_PARAMETERS "/sys/module/" BRIDGE_MODULE "/parameters/"

/* Create a context of the OProfile bridge. The first call loads the module. */
int ctx_bridged(__u32 flags);
/* Open the bridge's device in non-blocking mode. */
int open_device(void);

/* Return one of the module's statistics. */
unsigned long bridge_stat(const char *name);
/* Return the sum of all statistics that count lost samples. */
unsigned long bridge_lost(void);
/*
 * Write a module parameter. The write must fail with errno @error, or succeed
 * if @error is 0.
 */
void bridge_set(const char *name, const char *value, int error);

/* Return this program's path. */
const char *own_path(void);
/* Return whether the file offset belongs to code between two addresses. */
bool is_between(__u64 offset, const void *start, const void *stop);

#endif /* GUEST_BRIDGE_H */
