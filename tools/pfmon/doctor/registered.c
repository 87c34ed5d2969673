// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * registered.c - check for a PMU description, for the formats and for
 * pfm_unwind
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon_unwind.h>

#include "base/util.h"
#include "doctor/built.h"
#include "doctor/checks.h"
#include "doctor/kmod.h"
#include "formats/rows.h"
#include "formats/table.h"

#define PMU_NAME	PFM_SYSFS "/pmu_desc/name"
#define SIMULATED	"simulated"
#define REPLACE_SIMULATED \
	"modprobe -r pfm_pmu_sim\nmodprobe " PMU_MODULE

void check_pmu(const struct machine *machine, struct finding *finding)
{
	char *name = machine_line(machine, PMU_NAME);
	char *defect = name ? NULL : defect_of_pmu(machine);

	if (defect)
		finding_problem(finding, NULL, "%s", defect);
	else if (!name)
		finding_problem(finding,
				as_root(machine, "modprobe " PMU_MODULE),
				"no PMU description is loaded: perfmon has no counters");
	else if (!strcmp(name, SIMULATED))
		finding_problem(finding,
				as_root(machine, REPLACE_SIMULATED),
				"the simulated PMU is loaded: it counts only what tests simulate");
	else
		finding_ok(finding, "%s", name);
	free(defect);
	free(name);
}

/*
 * Returns false if the format is neither registered nor installed. Returns true
 * if pfmon cannot find out whether it is installed.
 */
static bool can_be_had(const struct machine *machine,
		       const struct smpl_module *format)
{
	char *alias, *file;
	bool found;

	if (machine_has(machine, PFM_SYSFS "/formats/%s", format->uuid) ||
	    machine->is_container || !kmod_can_ask())
		return true;
	alias = checked_printf("perfmon-fmt-%s", format->uuid);
	file = kmod_field(machine, alias, "filename");
	found = file;
	free(file);
	free(alias);
	return found;
}

/* Returns the names of the unavailable formats, separated by commas. */
static char *missing_formats(const struct machine *machine)
{
	char *names = checked_strdup("");

	for (size_t i = 0; i < smpl_module_count; i++) {
		if (!can_be_had(machine, smpl_modules[i]))
			names = checked_append(names, ", ",
					       smpl_modules[i]->name);
	}
	return names;
}

static char *formats_remedy(const struct machine *machine)
{
	char *file = kmod_search(machine, "pfm_fmt_default");
	char *remedy = file ? as_root(machine, "depmod %s", machine->release) :
			      build_remedy(machine);

	free(file);
	return remedy;
}

void check_formats(const struct machine *machine, struct finding *finding)
{
	char *missing = missing_formats(machine);
	char *text = checked_printf("neither registered nor installed: %s",
				    missing);

	if (!*missing)
		finding_ok(finding,
			   "registered, or loaded on demand");
	else if (can_be_had(machine, &smpl_default))
		finding_note(finding, formats_remedy(machine), "%s", text);
	else
		finding_problem(finding, formats_remedy(machine), "%s", text);
	free(text);
	free(missing);
}

/*
 * Returns whether pfm_unwind is loaded or installed; true if pfmon cannot find
 * out. Being installed is enough, because modprobe loads pfm_unwind together
 * with the callstack format, which depends on it.
 */
static bool has_unwind(const struct machine *machine)
{
	char *file;
	bool found;

	if (machine_has(machine, PFM_UNWIND_DEVICE) || machine->is_container ||
	    !kmod_can_ask())
		return true;
	file = kmod_field(machine, UNWIND_MODULE, "filename");
	found = file;
	free(file);
	return found;
}

void check_unwind(const struct machine *machine, struct finding *finding)
{
	if (has_unwind(machine))
		finding_ok(finding, "loaded, or loaded on demand");
	else
		finding_note(finding, build_remedy(machine),
			     "the module %s is not installed: the call chains of pfmon -g follow frame pointers, which most programs lack",
			     UNWIND_MODULE);
}
