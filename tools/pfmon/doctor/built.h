/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* built.h - how the modules come to be installed for the running kernel */
#ifndef PFMON_DOCTOR_BUILT_H
#define PFMON_DOCTOR_BUILT_H

#include "doctor/machine.h"

/* What says that this machine has perfmon from packages. */
#define TOOLS_PACKAGE	"/usr/share/doc/perfmon-tools"

/*
 * The commands that build and install them, by DKMS where it knows perfmon, as
 * a package where this machine has those, otherwise without; to be freed.
 */
char *build_remedy(const struct machine *machine);

/*
 * The same from the sources, with commands that sign them before they are
 * installed, or NULL; and packages that are built from the sources.
 */
char *source_remedy(const struct machine *machine, const char *signing);
char *package_remedy(const struct machine *machine, const char *packages);

/* The version of perfmon that DKMS builds; NULL if none; to be freed. */
char *dkms_version(const struct machine *machine);

/* Is perfmon's core loaded? */
bool core_is_loaded(const struct machine *machine);

#endif /* PFMON_DOCTOR_BUILT_H */
