/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon22.h - the user interface of perfmon 2.2, as libpfm22 provides it
 *
 * That of perfmon2x.h, but contexts are created with the UUID of their format.
 */
#ifndef PERFMON_PERFMON22_H
#define PERFMON_PERFMON22_H

#define PERFMON_2_2
#include <perfmon/perfmon2x.h>

#endif /* PERFMON_PERFMON22_H */
