/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* programs.h - which programs are measured, of those that are run */
#ifndef PFMON_PROGRAMS_H
#define PFMON_PROGRAMS_H

#include <stdbool.h>
#include <sys/types.h>

#include "options.h"

/*
 * Is the program that a process runs now to be measured, as --follow-exec and
 * --exclude say? They are compared with its path, and with its arguments.
 */
bool programs_choose(const struct options *options, pid_t tgid);

#endif /* PFMON_PROGRAMS_H */
