/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* off_cpu_options.h - the options --off-cpu and --wall-clock */
#ifndef PFMON_OPTIONS_OFF_CPU_OPTIONS_H
#define PFMON_OPTIONS_OFF_CPU_OPTIONS_H

#include <stdbool.h>

#include "base/settings.h"

/* Parses the argument of --off-cpu, which may be NULL. */
bool parse_off_cpu(struct options *options, const char *text);

/*
 * Adds what --off-cpu or --wall-clock implies; returns false with a message on
 * a conflict.
 */
bool off_cpu_options_complete(struct options *options);

#endif /* PFMON_OPTIONS_OFF_CPU_OPTIONS_H */
