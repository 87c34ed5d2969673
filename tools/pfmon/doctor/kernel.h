/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* kernel.h - the kernel that runs, and others */
#ifndef PFMON_DOCTOR_KERNEL_H
#define PFMON_DOCTOR_KERNEL_H

#include "doctor/machine.h"

/* The command that installs Debian's newest, and its headers; to be freed. */
char *newest_kernel(const struct machine *machine);

#endif /* PFMON_DOCTOR_KERNEL_H */
