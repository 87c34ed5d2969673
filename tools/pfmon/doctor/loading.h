/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* loading.h - how modules come to be loaded */
#ifndef PFMON_DOCTOR_LOADING_H
#define PFMON_DOCTOR_LOADING_H

#include "doctor/machine.h"

/* The commands that unload all of perfmon and load it again; to be freed. */
char *reload_remedy(const struct machine *machine);

#endif /* PFMON_DOCTOR_LOADING_H */
