/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon22.h - the user interface of perfmon 2.2, as libpfm22 provides it
 *
 * It is the interface of perfmon2x.h, except that pfm_create_context() takes
 * the UUID of the format.
 */
#ifndef PERFMON_PERFMON22_H
#define PERFMON_PERFMON22_H

#define PERFMON_2_2
#include <perfmon/perfmon2x.h>

#endif /* PERFMON_PERFMON22_H */
