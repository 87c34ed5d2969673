/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* kernel.h - commands that install another kernel */
#ifndef PFMON_DOCTOR_KERNEL_H
#define PFMON_DOCTOR_KERNEL_H

#include "doctor/machine.h"

/*
 * Returns the command that installs Debian's newest kernel and its headers; the
 * caller frees the text.
 */
char *newest_kernel(const struct machine *machine);

#endif /* PFMON_DOCTOR_KERNEL_H */
