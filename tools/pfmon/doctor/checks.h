/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * checks.h - what `pfmon doctor` looks at, a function each
 *
 * Each fills in a finding, or leaves it skipped where it has nothing to say.
 */
#ifndef PFMON_DOCTOR_CHECKS_H
#define PFMON_DOCTOR_CHECKS_H

#include "doctor/finding.h"
#include "doctor/machine.h"

typedef void check_t(const struct machine *machine, struct finding *finding);

/* kernel.c: can this kernel have the modules? */
check_t check_container, check_kernel;
/* built.c: are they there for it? */
check_t check_headers, check_module;
/* signing.c: does the kernel take them? */
check_t check_signature;
/* loading.c: has it? */
check_t check_loaded, check_version;
/* registered.c: what belongs to perfmon beside its core */
check_t check_pmu, check_formats;
/* permission.c: may this user measure? */
check_t check_access;
/* memory.c: how much may be locked */
check_t check_memory;
/* counters.c: what there is to be counted */
check_t check_counters, check_watchdog, check_user_reads, check_registers;
/* sample.c: does it work? */
check_t check_sample, check_cycles;

#endif /* PFMON_DOCTOR_CHECKS_H */
