/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * bridge.h - contexts of the OProfile bridge, its device and its settings
 *
 * A failure in here fails the test.
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

/* A context; the first one loads the module. */
int ctx_bridged(__u32 flags);
/* Reads of the device do not block. */
int open_device(void);

/* One of its statistics; all that count losses. */
unsigned long bridge_stat(const char *name);
unsigned long bridge_lost(void);
/* Write a parameter of the module's; expect an error, or 0. */
void bridge_set(const char *name, const char *value, int error);

/* The file that this program is of, and where some of its text is in that. */
const char *own_path(void);
bool is_between(__u64 offset, const void *start, const void *stop);

#endif /* GUEST_BRIDGE_H */
