/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* kmod.h - the kernel's modules: installed, and loaded */
#ifndef PFMON_DOCTOR_KMOD_H
#define PFMON_DOCTOR_KMOD_H

#include <stdbool.h>

#include "doctor/machine.h"

#define CORE_MODULE	"perfmon"
#define PMU_MODULE	"pfm_pmu_perf"

/* Whether there is a modinfo(8), which the next one asks. */
bool kmod_can_ask(void);

/*
 * A field of a module's, or an alias's, that is installed for the running
 * kernel, as modinfo(8) finds it: filename, version, signer, vermagic. NULL if
 * there is no such module, "" if it has no such field; to be freed.
 */
char *kmod_field(const struct machine *machine, const char *module,
		 const char *field);

/* The names of the loaded modules that are perfmon's, to be freed. */
char *kmod_loaded(const struct machine *machine);

/*
 * A module's file below what is built for the running kernel, whether depmod
 * has seen it or not; NULL if there is none; to be freed.
 */
char *kmod_search(const struct machine *machine, const char *module);

#endif /* PFMON_DOCTOR_KMOD_H */
