// SPDX-License-Identifier: GPL-2.0
/*
 * cpu.c - CPUs that go offline under a system-wide context
 *
 * perf takes its events off a CPU that goes offline, and does not restore them
 * when the CPU returns. The context does not restore them either: it rejects
 * commands that need the PMU until it is unloaded, which is possible on any
 * CPU.
 *
 * A hotplug call-back must not wait for pfm_context.mutex: the holder may be in
 * perf, waiting for the end of the hotplug. Nor may a command stay on its CPU
 * with migrate_disable(): the hotplug would wait for the command, and the
 * command, in perf, for the hotplug.
 */
#include <linux/cpuhotplug.h>
#include "attach.h"
#include "cpu.h"

static int pfm_cpuhp_state;

/*
 * Stop the context of a CPU. Context: process, on the CPU that is going
 * offline. Its threads and perf events are still there: dynamic online states
 * are torn down before perf's.
 */
static int pfm_cpu_goes(unsigned int cpu)
{
	pfm_attach_cpu_gone(cpu);
	return 0;
}

int pfm_cpu_init(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
					      "perfmon:online", NULL,
					      pfm_cpu_goes);

	if (state < 0)
		return state;
	pfm_cpuhp_state = state;
	return 0;
}

void pfm_cpu_exit(void)
{
	cpuhp_remove_state_nocalls(pfm_cpuhp_state);
}
