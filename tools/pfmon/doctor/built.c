// SPDX-License-Identifier: MIT OR GPL-2.0
/* built.c - check that the modules are built for the running kernel */
#define _GNU_SOURCE
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "doctor/built.h"
#include "doctor/checks.h"
#include "doctor/kmod.h"

#define DKMS_TREE	"/var/lib/dkms/perfmon"
#define IN_SOURCES	"in perfmon's source directory"

char *dkms_version(const struct machine *machine)
{
	char *pattern = machine_path(machine, DKMS_TREE "/*/source");
	char *version = NULL;
	glob_t found;

	if (!glob(pattern, 0, NULL, &found)) {
		*strrchr(found.gl_pathv[0], '/') = '\0';
		version = checked_strdup(strrchr(found.gl_pathv[0], '/') + 1);
		globfree(&found);
	}
	free(pattern);
	return version;
}

bool core_is_loaded(const struct machine *machine)
{
	return machine_has(machine, "/sys/module/" CORE_MODULE);
}

char *source_remedy(const struct machine *machine, const char *signing)
{
	const char *release = machine->release;
	char *install = as_root(machine,
				"make modules_install KDIR=/lib/modules/%s/build",
				release);
	char *remedy = checked_printf("make modules KDIR=/lib/modules/%s/build   # %s\n%s%s%s",
				      release, IN_SOURCES,
				      signing ? signing : "",
				      signing ? "\n" : "", install);

	free(install);
	return remedy;
}

char *package_remedy(const struct machine *machine, const char *packages)
{
	char *install = as_root(machine, "apt install %s", packages);
	char *remedy = checked_printf("make debs   # " IN_SOURCES "\n%s",
				      install);

	free(install);
	return remedy;
}

char *build_remedy(const struct machine *machine)
{
	const char *release = machine->release;

	if (machine_has(machine, DKMS_TREE))
		return as_root(machine, "dkms autoinstall -k %s", release);
	if (machine_has(machine, TOOLS_PACKAGE))
		return package_remedy(machine,
				      "./build/debs/*/perfmon-dkms_*.deb");
	return source_remedy(machine, NULL);
}

/*
 * Returns the path of perfmon.ko, to be freed. Looks in depmod's index, then
 * searches the module directories. Returns NULL if it does not exist.
 */
static char *core_file(const struct machine *machine)
{
	char *file = kmod_field(machine, CORE_MODULE, "filename");

	return file ? file : kmod_search(machine, CORE_MODULE);
}

/*
 * Returns whether the modules need not be built here: either they are installed
 * or loaded, or this is a container, and only its host can build them.
 */
static bool needs_no_build(const struct machine *machine)
{
	char *file = core_file(machine);

	free(file);
	return file || machine->is_container || core_is_loaded(machine);
}

/*
 * Returns commands that install the headers of the running kernel and, in case
 * the package archive no longer has these headers, the command that installs a
 * newer kernel.
 */
static char *headers_remedy(const struct machine *machine)
{
	char *headers, *newer, *remedy;

	if (!machine->is_debian)
		return NULL;
	headers = as_root(machine, "apt install linux-headers-%s",
			  machine->release);
	newer = newest_kernel(machine);
	remedy = checked_printf("%s\n# or, if that package is gone: %s, and reboot",
				headers, newer);
	free(newer);
	free(headers);
	return remedy;
}

void check_headers(const struct machine *machine, struct finding *finding)
{
	const char *release = machine->release;

	if (needs_no_build(machine))
		return;
	if (!machine_has(machine, "/lib/modules/%s", release))
		finding_problem(finding, as_root(machine, "reboot"),
				"the modules of the running kernel, %s, have been removed: boot an installed kernel",
				release);
	else if (!machine_has(machine, "/lib/modules/%s/build/Makefile",
			      release))
		finding_problem(finding, headers_remedy(machine),
				"the headers of the kernel %s are missing: perfmon's modules cannot be built without them",
				release);
	else
		finding_ok(finding, "the headers of the kernel %s are installed",
			   release);
}

/* DKMS begins each make.log with "DKMS ... for kernel RELEASE (ARCH)". */
static bool is_log_for(const char *log, const char *release)
{
	char *head = read_line_of(log);
	char *kernel = checked_printf(" for kernel %s (", release);
	bool found = head && strstr(head, kernel);

	free(kernel);
	free(head);
	return found;
}

/*
 * Returns the path of the log of a failed build for the running kernel, to be
 * freed, or NULL. DKMS keeps a build directory only if the build has failed.
 */
static char *failed_build(const struct machine *machine)
{
	char *pattern = machine_path(machine, DKMS_TREE "/*/build/make.log");
	glob_t found = { .gl_pathc = 0 };
	char *log = NULL;

	if (glob(pattern, 0, NULL, &found))
		found.gl_pathc = 0;
	for (size_t i = 0; !log && i < found.gl_pathc; i++) {
		if (is_log_for(found.gl_pathv[i], machine->release))
			log = checked_strdup(found.gl_pathv[i] +
					     strlen(machine->root));
	}
	globfree(&found);
	free(pattern);
	return log;
}

static void explain_missing(const struct machine *machine,
			    struct finding *finding)
{
	char *log = failed_build(machine);

	if (log)
		finding_problem(finding,
				as_root(machine, "dkms autoinstall -k %s",
					machine->release),
				"DKMS could not build the modules: see %s",
				log);
	else
		finding_problem(finding, build_remedy(machine),
				"perfmon's modules are not installed for the running kernel, %s",
				machine->release);
	free(log);
}

static bool is_for_this_kernel(const struct machine *machine)
{
	char *magic = kmod_field(machine, CORE_MODULE, "vermagic");
	size_t length = strlen(machine->release);
	bool good = !magic || !*magic ||
		    (!strncmp(magic, machine->release, length) &&
		     (magic[length] == ' ' || !magic[length]));

	free(magic);
	return good;
}

/* Returns commands that make modprobe find the module. */
static char *listing_remedy(const struct machine *machine, const char *file)
{
	return file ? as_root(machine, "depmod %s", machine->release) :
		      build_remedy(machine);
}

static void check_missing(const struct machine *machine,
			  struct finding *finding)
{
	char *file = kmod_search(machine, CORE_MODULE);

	if (core_is_loaded(machine))
		finding_note(finding, listing_remedy(machine, file),
			     "perfmon is loaded, but modprobe cannot find it for the kernel %s: it will be missing after a reboot",
			     machine->release);
	else if (file)
		finding_problem(finding, listing_remedy(machine, file),
				"%s is not in depmod's index: modprobe cannot find it",
				file + strlen(machine->root));
	else
		explain_missing(machine, finding);
	free(file);
}

void check_module(const struct machine *machine, struct finding *finding)
{
	char *file;

	if (machine->is_container || !kmod_can_ask())
		return;
	file = kmod_field(machine, CORE_MODULE, "filename");
	if (!file)
		check_missing(machine, finding);
	else if (!is_for_this_kernel(machine))
		finding_problem(finding, build_remedy(machine),
				"%s was not built for the running kernel, %s",
				file + strlen(machine->root), machine->release);
	else
		finding_ok(finding, "%s", file + strlen(machine->root));
	free(file);
}
