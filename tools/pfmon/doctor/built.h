/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* built.h - commands that build and install the modules */
#ifndef PFMON_DOCTOR_BUILT_H
#define PFMON_DOCTOR_BUILT_H

#include "doctor/machine.h"

/* Exists if perfmon was installed from packages. */
#define TOOLS_PACKAGE	"/usr/share/doc/perfmon-tools"

/*
 * Returns the commands that build and install the modules for the running
 * kernel. They use DKMS if it knows perfmon, packages if perfmon was installed
 * from packages, otherwise the sources. The caller frees the text.
 */
char *build_remedy(const struct machine *machine);

/*
 * source_remedy() returns the commands that build the modules from the sources
 * and install them. If @signing is not NULL, it contains commands that sign the
 * modules; they are put between these two steps. package_remedy() returns the
 * commands that build all packages and install those that match the shell
 * pattern @packages. The caller frees the text.
 */
char *source_remedy(const struct machine *machine, const char *signing);
char *package_remedy(const struct machine *machine, const char *packages);

/* Returns the perfmon version that DKMS builds, to be freed, or NULL. */
char *dkms_version(const struct machine *machine);

bool core_is_loaded(const struct machine *machine);

#endif /* PFMON_DOCTOR_BUILT_H */
