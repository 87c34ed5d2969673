// SPDX-License-Identifier: MIT OR GPL-2.0
/* counters.c - what there is to be counted beside the kernel's own events */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "doctor/checks.h"
#include "util.h"

#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define USER_READS	"/proc/sys/kernel/perf_user_access"
#define LOCKDOWN	"/sys/kernel/security/lockdown"

void check_counters(const struct machine *machine, struct finding *finding)
{
	if (machine_has_counters(machine))
		finding_ok(finding, "the CPU has counters");
	else
		finding_note(finding, NULL,
			     "this machine has no hardware counters, as virtual machines often: clocks, page faults and other events of the kernel's can be measured, cycles and instructions cannot");
}

/* Notes what takes something away, where there is something to be taken. */
static void note_switch(const struct machine *machine, struct finding *finding,
			const char *remedy, const char *text)
{
	if (machine_has_counters(machine))
		finding_note(finding, as_root(machine, "%s", remedy), "%s",
			     text);
}

void check_watchdog(const struct machine *machine, struct finding *finding)
{
	if (machine_says(machine, WATCHDOG, "1"))
		note_switch(machine, finding, "sysctl kernel.nmi_watchdog=0",
			    "the NMI watchdog has one hardware counter of each CPU");
}

/* Only where the kernel has that switch, which is arm64's. */
void check_user_reads(const struct machine *machine, struct finding *finding)
{
	if (machine_says(machine, USER_READS, "0"))
		note_switch(machine, finding,
			    "sysctl kernel.perf_user_access=1",
			    "programs cannot read their running counters without the kernel");
}

void check_registers(const struct machine *machine, struct finding *finding)
{
	char *lockdown = machine_line(machine, LOCKDOWN);

	if (lockdown && strstr(lockdown, "[confidentiality]"))
		finding_note(finding, NULL,
			     "the kernel is locked down for confidentiality: it gives out no registers, and the formats pebs32 and pebs64 do not work (lockdown= in its command line)");
	free(lockdown);
}
