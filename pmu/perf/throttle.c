// SPDX-License-Identifier: GPL-2.0
/*
 * throttle.c - count how often perf throttles events
 *
 * If an event is reported more often in a tick than
 * kernel.perf_event_max_sample_rate allows, perf stops it until the next tick.
 * Handlers could see that in hw.interrupts, but would have to look there at
 * each overflow. Instead, there is a kprobe on the function in which perf
 * records that the throttling begins or ends. perf calls it in the overflow,
 * maybe in an NMI, before the handler.
 *
 * The kernel does not call a kprobe in an NMI that arrives while it handles
 * another kprobe. An event that is throttled just then is not counted.
 */
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <perfmon/perfmon_kprobe.h>
#include <perfmon/perfmon_pmu.h>
#include "throttle.h"

/* Is it an event of this module, and not of another user of perf? */
static bool perf_is_ours(const struct perf_event *event)
{
	return within_module((unsigned long)READ_ONCE(event->overflow_handler),
			     THIS_MODULE);
}

/* perf_log_throttle(event, enable); enable is 0 when the throttling begins. */
static int perf_throttle_logged(struct kprobe *p, struct pt_regs *regs)
{
	struct perf_event *event = (void *)regs_get_kernel_argument(regs, 0);
	int enable = regs_get_kernel_argument(regs, 1);

	if (!enable && perf_is_ours(event))
		pfm_counter_throttled(event->overflow_handler_context);
	return 0;
}

static PFM_KPROBE(perf_throttle_probe, "perf_log_throttle",
		  perf_throttle_logged);

void perf_throttle_init(void)
{
	if (!pfm_kprobe_get(&perf_throttle_probe))
		pr_warn("pfm_pmu_perf: the kernel does not let us see when perf throttles events: pfm_pmu_throttled stays 0\n");
}

void perf_throttle_exit(void)
{
	pfm_kprobe_put(&perf_throttle_probe);
	pfm_kprobe_end(&perf_throttle_probe);
}
