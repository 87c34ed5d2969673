// SPDX-License-Identifier: MIT OR GPL-2.0
/* machine.c - the machine that `pfmon doctor` examines, and its user */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/util.h"
#include "doctor/machine.h"

static char *path_of(const struct machine *machine, const char *format,
		     va_list args)
{
	char *inside, *path;

	if (vasprintf(&inside, format, args) < 0)
		return checked_strdup("");
	path = checked_printf("%s%s", machine->root, inside);
	free(inside);
	return path;
}

char *machine_path(const struct machine *machine, const char *format, ...)
{
	va_list args;
	char *path;

	va_start(args, format);
	path = path_of(machine, format, args);
	va_end(args);
	return path;
}

bool machine_has(const struct machine *machine, const char *format, ...)
{
	va_list args;
	char *path;
	bool found;

	va_start(args, format);
	path = path_of(machine, format, args);
	va_end(args);
	found = !access(path, F_OK);
	free(path);
	return found;
}

char *machine_line(const struct machine *machine, const char *format, ...)
{
	va_list args;
	char *path, *line;

	va_start(args, format);
	path = path_of(machine, format, args);
	va_end(args);
	line = read_line_of(path);
	free(path);
	return line;
}

bool machine_number(const struct machine *machine, const char *path,
		    long *number)
{
	char *line = machine_line(machine, "%s", path);
	char *end = line;
	long value = 0;

	if (line) {
		errno = 0;
		value = strtol(line, &end, 10);
	}
	if (!line || end == line || *end || errno) {
		free(line);
		return false;
	}
	free(line);
	*number = value;
	return true;
}

bool machine_says(const struct machine *machine, const char *path,
		  const char *line)
{
	char *found = machine_line(machine, "%s", path);
	bool same = found && !strcmp(found, line);

	free(found);
	return same;
}

static char *line_or(const struct machine *machine, const char *path,
		     const char *otherwise)
{
	char *line = machine_line(machine, "%s", path);

	return line ? line : checked_strdup(otherwise);
}

static void find_limit(struct machine *machine)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_MEMLOCK, &limit);
	machine->memlock = limit.rlim_cur;
	machine->memlock_max = limit.rlim_max;
}

void machine_init(struct machine *machine, const char *root)
{
	struct utsname own = { .release = "" };

	memset(machine, 0, sizeof(*machine));
	machine->root = root;
	uname(&own);
	machine->release = line_or(machine, "/proc/sys/kernel/osrelease",
				   own.release);
	machine->arch = line_or(machine, "/proc/sys/kernel/arch", own.machine);
	machine->is_debian = machine_has(machine, "/etc/debian_version");
	machine->is_container =
		machine_has(machine, "/run/systemd/container") ||
		machine_has(machine, "/run/.containerenv") ||
		machine_has(machine, "/.dockerenv") ||
		!machine_has(machine, "/lib/modules");
	access_gather(&machine->access, 0);
	find_limit(machine);
}

void machine_free(struct machine *machine)
{
	free(machine->release);
	free(machine->arch);
	memset(machine, 0, sizeof(*machine));
}

bool machine_can(const struct machine *machine, unsigned int capability)
{
	return machine->access.caps >> capability & 1;
}

/*
 * On x86, the PMU of the CPU is named "cpu". The PMUs of hybrid CPUs and of Arm
 * CPUs have other names, but their directories contain a file "cpus".
 */
bool machine_has_counters(const struct machine *machine)
{
	const char *pmus = "/sys/bus/event_source/devices";
	char *pattern = machine_path(machine, "%s/*/cpus", pmus);
	glob_t found;
	bool any = machine_has(machine, "%s/cpu", pmus);

	if (!any && !glob(pattern, 0, NULL, &found)) {
		any = true;
		globfree(&found);
	}
	free(pattern);
	return any;
}
