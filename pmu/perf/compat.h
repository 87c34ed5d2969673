/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat.h - what differs between the kernels we run on (6.1 to 7.3)
 *
 * The only file of this module that tests a kernel version.
 */
#ifndef PFM_PERF_COMPAT_H
#define PFM_PERF_COMPAT_H

#include <linux/version.h>

/* cpuid_eax(): <asm/cpuid/> since 6.16, and no more in <asm/processor.h> */
#ifdef CONFIG_X86_64
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#include <asm/processor.h>
#else
#include <asm/cpuid/api.h>
#endif
#endif

#endif /* PFM_PERF_COMPAT_H */
