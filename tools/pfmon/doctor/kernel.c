// SPDX-License-Identifier: MIT OR GPL-2.0
/* kernel.c - check that perfmon supports this kernel */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "doctor/checks.h"

/* The oldest supported kernels, without and with PREEMPT_RT. */
#define OLDEST_MAJOR	6
#define OLDEST_MINOR	1
#define REALTIME_MINOR	12

void check_container(const struct machine *machine, struct finding *finding)
{
	if (machine->is_container)
		finding_note(finding, NULL,
			     "this is a container, or a system without its own kernel: the host provides kernel modules and settings; run pfmon doctor there, too");
}

char *newest_kernel(const struct machine *machine)
{
	const char *flavour = strstr(machine->release, "-cloud-") ? "cloud-" :
								    "";
	const char *name = !strcmp(machine->arch, "aarch64") ? "arm64" :
							       "amd64";

	return as_root(machine, "apt install linux-image-%s%s linux-headers-%s%s",
		       flavour, name, flavour, name);
}

/*
 * Returns commands that install and boot another kernel, or NULL. The running
 * kernel may remain the default, so the user must choose the other one at boot.
 */
static char *another_kernel(const struct machine *machine)
{
	char *install, *boot, *remedy;

	if (!machine->is_debian)
		return NULL;
	install = newest_kernel(machine);
	boot = as_root(machine, "reboot   # and choose that kernel");
	remedy = checked_printf("%s\n%s", install, boot);
	free(boot);
	free(install);
	return remedy;
}

/* Only PREEMPT_RT kernels have "PREEMPT_RT" in uname -v. */
static bool is_realtime(const struct machine *machine)
{
	char *version = machine_line(machine, "/proc/sys/kernel/version");
	bool found = version && strstr(version, "PREEMPT_RT");

	free(version);
	return found || machine_says(machine, "/sys/kernel/realtime", "1");
}

static bool is_before(const struct machine *machine, int oldest_minor)
{
	int major, minor;

	return sscanf(machine->release, "%d.%d", &major, &minor) == 2 &&
	       (major < OLDEST_MAJOR ||
		(major == OLDEST_MAJOR && minor < oldest_minor));
}

void check_kernel(const struct machine *machine, struct finding *finding)
{
	const char *release = machine->release;

	if (is_realtime(machine) && is_before(machine, REALTIME_MINOR))
		finding_problem(finding, another_kernel(machine),
				"the modules cannot be built for the kernel %s, because it is a PREEMPT_RT kernel before %d.%d: boot another one",
				release, OLDEST_MAJOR, REALTIME_MINOR);
	else if (is_before(machine, OLDEST_MINOR))
		finding_problem(finding, another_kernel(machine),
				"the kernel %s is too old: boot %d.%d or later",
				release, OLDEST_MAJOR, OLDEST_MINOR);
	else if (!machine_has(machine, "/proc/sys/kernel/perf_event_paranoid"))
		finding_problem(finding, another_kernel(machine),
				"the kernel %s has no perf events (CONFIG_PERF_EVENTS), which perfmon needs: boot another one",
				release);
	else
		finding_ok(finding, "%s", release);
}
