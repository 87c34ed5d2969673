/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* rows.h - the rows of the table of sampling formats */
#ifndef PFMON_FORMATS_ROWS_H
#define PFMON_FORMATS_ROWS_H

#include "formats/format.h"

extern const struct smpl_module smpl_default;
extern const struct smpl_module smpl_nway;
extern const struct smpl_module smpl_pebs32;
extern const struct smpl_module smpl_pebs64;
extern const struct smpl_module smpl_dear_hist;
extern const struct smpl_module smpl_oprofile;
extern const struct smpl_module smpl_callstack;
extern const struct smpl_module smpl_flight;
extern const struct smpl_module smpl_histogram;
extern const struct smpl_module smpl_stacks;
extern const struct smpl_module smpl_cgroup_counts;

/*
 * For formats that pfmon does not know, but whose buffer has the common header
 * of perfmon_sink.h. This row has no UUID and no set_up().
 */
extern const struct smpl_module smpl_sink;

#endif /* PFMON_FORMATS_ROWS_H */
