/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* doctor.h - what stands in the way of measuring on this machine */
#ifndef PFMON_DOCTOR_DOCTOR_H
#define PFMON_DOCTOR_DOCTOR_H

#include <stdbool.h>

#include "doctor/machine.h"

/* Examines this machine and says what it finds; returns the exit status. */
int doctor(bool json);

/* The same for another machine. */
int doctor_examine(const struct machine *machine, bool json);

#endif /* PFMON_DOCTOR_DOCTOR_H */
