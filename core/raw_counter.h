/* SPDX-License-Identifier: GPL-2.0 */
/*
 * raw_counter.h - the CPU's counter from which the kernel derives the time of
 *		   perf's samples
 */
#ifndef PFM_CORE_RAW_COUNTER_H
#define PFM_CORE_RAW_COUNTER_H

#include <linux/clocksource.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/time64.h>
#include <perfmon/perfmon_time.h>

/*
 * pfm_raw_counter(): the counter's value. The CPU may execute the read a few
 * instructions early.
 * pfm_raw_counter_scale(): set time_mult and time_shift as the kernel's clock
 * does, or time_mult to 0 if the counter is not suitable.
 * PFM_COUNTER_IS_STEADY: true if the kernel, once it uses a suitable counter
 * for its clock, never takes another one. Then only a suspend can change how
 * clock and counter relate.
 */
#if defined(PFM_FAKE_CLOCK)

/* For the tests in tests/kunit */
#include "fake_clock.h"

#elif defined(CONFIG_ARM64)

#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/arch_timer.h>
#include <asm/sysreg.h>
#include <asm/virt.h>

#define PFM_COUNTER_IS_STEADY	true

static __always_inline u64 pfm_raw_counter(void)
{
	return read_sysreg(cntvct_el0);
}

/* Does an erratum require a special way to read the counter? */
static inline bool pfm_raw_counter_is_broken(void)
{
#ifdef CONFIG_ARM_ARCH_TIMER_OOL_WORKAROUND
	int cpu;

	for_each_possible_cpu(cpu)
		if (per_cpu(timer_unstable_counter_workaround, cpu))
			return true;
#endif
	return false;
}

/*
 * Is the virtual counter the kernel's clock? On a KVM host without VHE the
 * kernel uses the physical counter, because the virtual counter belongs to a
 * guest while its vCPU is loaded. At EL2 both counters are the same. Only the
 * name of the kernel's function tells a module which counter the kernel uses.
 */
static inline bool pfm_raw_counter_is_kernels(void)
{
	static const char virtual[] = "arch_counter_get_cntvct";
	char name[sizeof(virtual) + 1];

	snprintf(name, sizeof(name), "%ps", arch_timer_read_counter);
	return is_kernel_in_hyp_mode() || !strcmp(name, virtual);
}

static inline void pfm_raw_counter_scale(pfm_time_conv_t *scale)
{
	/* As sched_clock_register() does */
	clocks_calc_mult_shift(&scale->time_mult, &scale->time_shift,
			       arch_timer_get_cntfrq(), NSEC_PER_SEC, 3600);
	if (pfm_raw_counter_is_broken() || !pfm_raw_counter_is_kernels())
		scale->time_mult = 0;
}

#elif defined(CONFIG_X86)

#include <asm/cpufeature.h>
#include <asm/hypervisor.h>
#include <asm/tsc.h>

/* The kernel may give up the TSC at any time. */
#define PFM_COUNTER_IS_STEADY	false

static __always_inline u64 pfm_raw_counter(void)
{
	return rdtsc();
}

/*
 * Under a hypervisor the kernel may use the hypervisor's clock. A TSC that
 * stops, or whose rate changes, is not the kernel's clock.
 */
static inline void pfm_raw_counter_scale(pfm_time_conv_t *scale)
{
	/* As __set_cyc2ns_scale() does */
	clocks_calc_mult_shift(&scale->time_mult, &scale->time_shift, tsc_khz,
			       NSEC_PER_MSEC, 0);
	if (scale->time_shift == 32) {
		scale->time_shift = 31;
		scale->time_mult >>= 1;
	}
	if (!boot_cpu_has(X86_FEATURE_CONSTANT_TSC) ||
	    !boot_cpu_has(X86_FEATURE_NONSTOP_TSC) || check_tsc_unstable() ||
	    !hypervisor_is_type(X86_HYPER_NATIVE))
		scale->time_mult = 0;
}

#else

/* On other architectures the raw time stamps are in ns. */
#define PFM_COUNTER_IS_STEADY	true

static __always_inline u64 pfm_raw_counter(void)
{
	return local_clock();
}

static inline void pfm_raw_counter_scale(pfm_time_conv_t *scale)
{
	scale->time_mult = 1;
	scale->time_shift = 0;
}

#endif

#endif /* PFM_CORE_RAW_COUNTER_H */
