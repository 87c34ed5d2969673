/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* process_event.h - write events of processes in the form of PROC chunks */
#ifndef PFMON_CAPTURE_PROCESS_EVENT_H
#define PFMON_CAPTURE_PROCESS_EVENT_H

#include <stdbool.h>

#include "capture/perf_record.h"
#include "capture/perf_ring.h"

struct maps;

/*
 * Appends the event of a parsed record to the payload of a PROC chunk.
 * Identifies files with @maps. Reads the control group of a new program from
 * /proc, unless @proc is false.
 */
void process_event_write(struct perf_bytes *to,
			 const struct perf_record *record, struct maps *maps,
			 bool proc);

#endif /* PFMON_CAPTURE_PROCESS_EVENT_H */
