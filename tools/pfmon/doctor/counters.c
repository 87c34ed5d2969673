// SPDX-License-Identifier: MIT OR GPL-2.0
/* counters.c - check for hardware counters and for what restricts their use */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "doctor/checks.h"

#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define USER_READS	"/proc/sys/kernel/perf_user_access"
#define LOCKDOWN	"/sys/kernel/security/lockdown"

void check_counters(const struct machine *machine, struct finding *finding)
{
	if (machine_has_counters(machine))
		finding_ok(finding, "the CPU has counters");
	else
		finding_note(finding, NULL,
			     "this machine has no hardware counters, which is common in virtual machines: software events such as clocks and page faults can be measured, cycles and instructions cannot");
}

/*
 * If the CPU has counters, fills in a note about a setting that restricts their
 * use.
 */
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
			    "the NMI watchdog uses one hardware counter on each CPU");
}

/* Only arm64 kernels have this sysctl. */
void check_user_reads(const struct machine *machine, struct finding *finding)
{
	if (machine_says(machine, USER_READS, "0"))
		note_switch(machine, finding,
			    "sysctl kernel.perf_user_access=1",
			    "programs cannot read their running counters without a system call");
}

void check_registers(const struct machine *machine, struct finding *finding)
{
	char *lockdown = machine_line(machine, LOCKDOWN);

	if (lockdown && strstr(lockdown, "[confidentiality]"))
		finding_note(finding, NULL,
			     "kernel lockdown is in confidentiality mode: samples cannot contain registers, so the formats pebs32 and pebs64 do not work; to change the mode, boot with another lockdown= on the kernel command line");
	free(lockdown);
}
