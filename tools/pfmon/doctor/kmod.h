/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* kmod.h - look up installed and loaded kernel modules */
#ifndef PFMON_DOCTOR_KMOD_H
#define PFMON_DOCTOR_KMOD_H

#include <stdbool.h>

#include "doctor/machine.h"

#define CORE_MODULE	"perfmon"
#define PMU_MODULE	"pfm_pmu_perf"
#define UNWIND_MODULE	"pfm_unwind"

/* Returns whether modinfo(8), which kmod_field() needs, is installed. */
bool kmod_can_ask(void);

/*
 * Returns a field, such as filename, version, signer or vermagic, of a module
 * or an alias installed for the running kernel, as modinfo(8) prints it.
 * Returns NULL if the module does not exist, "" if it lacks the field. The
 * caller frees the text.
 */
char *kmod_field(const struct machine *machine, const char *module,
		 const char *field);

/* Returns the names of perfmon's loaded modules; the caller frees the text. */
char *kmod_loaded(const struct machine *machine);

/*
 * Searches the running kernel's directories of external modules for a module's
 * file, which need not be in depmod's index. Returns its path, which the caller
 * frees, or NULL.
 */
char *kmod_search(const struct machine *machine, const char *module);

#endif /* PFMON_DOCTOR_KMOD_H */
