/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* programs.h - choose programs by --follow-exec and --exclude */
#ifndef PFMON_MEASURE_PROGRAMS_H
#define PFMON_MEASURE_PROGRAMS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/settings.h"

/*
 * Returns whether the current program of a process must be measured: matches
 * the patterns of --follow-exec and --exclude against the program's path and
 * arguments.
 */
bool programs_choose(const struct options *options, pid_t tgid);

#endif /* PFMON_MEASURE_PROGRAMS_H */
