// SPDX-License-Identifier: MIT OR GPL-2.0
/* loading.c - check that perfmon is loaded, and its version */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon.h>

#include "base/util.h"
#include "doctor/built.h"
#include "doctor/checks.h"
#include "doctor/kmod.h"

static char *load_remedy(const struct machine *machine)
{
	if (machine->is_container)
		return checked_printf("modprobe %s   # on the container's host",
				      PMU_MODULE);
	return as_root(machine, "modprobe " PMU_MODULE);
}

void check_loaded(const struct machine *machine, struct finding *finding)
{
	if (!core_is_loaded(machine))
		finding_problem(finding, load_remedy(machine),
				"perfmon is not loaded");
	else
		finding_ok(finding, "perfmon is loaded");
}

/*
 * The commands do not load the formats again, because the kernel loads formats
 * on demand.
 */
char *reload_remedy(const struct machine *machine)
{
	char *loaded = kmod_loaded(machine);
	const char *more = strstr(loaded, UNWIND_MODULE) ?
			   "-a " UNWIND_MODULE " " : "";
	char *remedy = as_root(machine, "modprobe -r %s\nmodprobe %s"
			       PMU_MODULE, loaded, more);

	free(loaded);
	return remedy;
}

static char *upgrade_remedy(const struct machine *machine)
{
	if (!machine_has(machine, TOOLS_PACKAGE))
		return NULL;
	return package_remedy(machine, "./build/debs/*/*.deb");
}

/* Returns the installed version if it differs from the loaded one, or NULL. */
static char *other_installed(const struct machine *machine, const char *loaded)
{
	char *installed = machine->is_container ? NULL :
			  kmod_field(machine, CORE_MODULE, "version");

	if (installed && *installed && strcmp(installed, loaded))
		return installed;
	free(installed);
	return NULL;
}

static void compare(const struct machine *machine, const char *interface,
		    const char *loaded, struct finding *finding)
{
	char *own = checked_printf("%u.%u", PFM_VERSION_MAJOR(PFM_VERSION),
				   PFM_VERSION_MINOR(PFM_VERSION));
	char *installed = other_installed(machine, loaded);

	if (strcmp(interface, own))
		finding_problem(finding,
				installed ? reload_remedy(machine) :
				upgrade_remedy(machine),
				"the loaded perfmon %s has interface %s, but this pfmon %s needs interface %s",
				loaded, interface, PFM_PROJECT_VERSION, own);
	else if (installed)
		finding_note(finding, reload_remedy(machine),
			     "perfmon %s is loaded, but %s is installed",
			     loaded, installed);
	else if (strcmp(loaded, PFM_PROJECT_VERSION))
		finding_note(finding, upgrade_remedy(machine),
			     "perfmon %s is loaded, but this is pfmon %s; they have the same interface",
			     loaded, PFM_PROJECT_VERSION);
	else
		finding_ok(finding, "%s, interface %s", loaded, interface);
	free(installed);
	free(own);
}

void check_version(const struct machine *machine, struct finding *finding)
{
	char *interface = machine_line(machine, "/sys/kernel/perfmon/version");
	char *loaded = machine_line(machine,
				    "/sys/module/" CORE_MODULE "/version");

	if (interface && loaded)
		compare(machine, interface, loaded, finding);
	free(interface);
	free(loaded);
}
