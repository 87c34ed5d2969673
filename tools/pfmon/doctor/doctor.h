/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* doctor.h - find what prevents measuring on this machine */
#ifndef PFMON_DOCTOR_DOCTOR_H
#define PFMON_DOCTOR_DOCTOR_H

#include <stdbool.h>

#include "doctor/machine.h"

/* Examines this machine and prints the findings; returns the exit status. */
int doctor(bool json);

/* Like doctor(), for @machine, which may be one that a test has set up. */
int doctor_examine(const struct machine *machine, bool json);

#endif /* PFMON_DOCTOR_DOCTOR_H */
