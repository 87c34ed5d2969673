/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat.h - differences between the supported kernels (6.1 to 7.3)
 *
 * The only file of this module that tests the kernel version.
 */
#ifndef PFM_PERF_COMPAT_H
#define PFM_PERF_COMPAT_H

#include <linux/version.h>

/* cpuid_eax() was in <asm/processor.h> before 6.16. */
#ifdef CONFIG_X86_64
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#include <asm/processor.h>
#else
#include <asm/cpuid/api.h>
#endif
#endif

/* When the time of a perf_event_context was last updated; an lvalue */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define perf_ctx_stamp(ctx)	((ctx)->timestamp)
#else
#define perf_ctx_stamp(ctx)	((ctx)->time.stamp)
#endif

/* The time of a perf_event_context, as last updated; an lvalue */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define perf_ctx_time(ctx)	((ctx)->time)
#else
#define perf_ctx_time(ctx)	((ctx)->time.time)
#endif

#endif /* PFM_PERF_COMPAT_H */
