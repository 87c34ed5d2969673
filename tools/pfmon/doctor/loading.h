/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* loading.h - commands that load the modules */
#ifndef PFMON_DOCTOR_LOADING_H
#define PFMON_DOCTOR_LOADING_H

#include "doctor/machine.h"

/*
 * Returns the commands that unload all of perfmon and load it again; the caller
 * frees the text.
 */
char *reload_remedy(const struct machine *machine);

#endif /* PFMON_DOCTOR_LOADING_H */
