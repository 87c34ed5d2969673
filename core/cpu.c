// SPDX-License-Identifier: GPL-2.0
/*
 * cpu.c - CPUs that go offline under a system-wide context
 *
 * perf takes its events off a CPU that goes, and does not put them back when
 * the CPU returns. So does the context: from here on it takes no command that
 * needs the PMU, until it is unloaded, which may be done from any CPU.
 *
 * A hotplug call-back must not wait for pfm_context.mutex: whoever holds it may
 * be in perf, which waits there for the hotplug to be over. For the same reason
 * a command must not keep its CPU by migrate_disable(): the hotplug would wait
 * for the command.
 */
#include <linux/cpuhotplug.h>
#include "attach.h"
#include "cpu.h"

static int pfm_cpuhp_state;

/*
 * Context: process, on the CPU that goes. Its threads are still there, perf's
 * events too: states of this kind are left before perf's.
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
