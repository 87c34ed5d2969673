/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* proc.h - check whether /proc can be used */
#ifndef PFMON_BASE_PROC_H
#define PFMON_BASE_PROC_H

#include <stdbool.h>

/* Returns whether /proc is mounted and belongs to pfmon's PID namespace. */
bool proc_is_usable(void);

#endif /* PFMON_BASE_PROC_H */
