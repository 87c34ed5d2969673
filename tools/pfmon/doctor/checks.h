/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * checks.h - the checks of `pfmon doctor`
 *
 * Each function fills in a finding, or leaves it skipped if the check does not
 * apply.
 */
#ifndef PFMON_DOCTOR_CHECKS_H
#define PFMON_DOCTOR_CHECKS_H

#include "doctor/finding.h"
#include "doctor/machine.h"

typedef void check_t(const struct machine *machine, struct finding *finding);

/* kernel.c: is this kernel supported? */
check_t check_container, check_kernel;
/* built.c: are the modules built for this kernel? */
check_t check_headers, check_module;
/* signing.c: does the kernel accept the modules' signatures? */
check_t check_signature;
/* loading.c: are the modules loaded, and up to date? */
check_t check_loaded, check_version;
/* registered.c: are a PMU description, the formats and pfm_unwind available? */
check_t check_pmu, check_formats, check_unwind;
/* defects.c: what does not work on this kernel? */
check_t check_defects;
/* permission.c: may this user measure? */
check_t check_access;
/* memory.c: is the locked-memory limit large enough? */
check_t check_memory;
/* counters.c: which hardware features are available? */
check_t check_counters, check_watchdog, check_user_reads, check_registers;
/* sample.c: can a sample be recorded, and cycles counted? */
check_t check_sample, check_cycles;

/*
 * Returns the command that installs Debian's newest kernel and its headers; the
 * caller frees the text.
 */
char *newest_kernel(const struct machine *machine);

/*
 * If pfm_pmu_perf refuses to load because this kernel has a defect, returns a
 * text about the defect, which the caller frees; otherwise NULL.
 */
char *defect_of_pmu(const struct machine *machine);

/*
 * Returns the commands that unload all modules of perfmon and load them again;
 * the caller frees the text.
 */
char *reload_remedy(const struct machine *machine);

#endif /* PFMON_DOCTOR_CHECKS_H */
