/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* off_cpu_options.h - the option --off-cpu */
#ifndef PFMON_OPTIONS_OFF_CPU_OPTIONS_H
#define PFMON_OPTIONS_OFF_CPU_OPTIONS_H

#include <stdbool.h>

#include "base/settings.h"

/* The PMD with the CPU time of the thread, which each sample records. */
#define OFF_CPU_CLOCK	1

/* Adds what --off-cpu implies; returns false with a message on a conflict. */
bool off_cpu_options_complete(struct options *options);

#endif /* PFMON_OPTIONS_OFF_CPU_OPTIONS_H */
