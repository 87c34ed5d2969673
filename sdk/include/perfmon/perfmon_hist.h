/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * perfmon_hist.h - the records of formats that count by key, in a sink
 *
 * The buffer is a sink (perfmon_sink.h) of one region. There is one record for
 * each key, in the order in which keys came; its count goes on rising in place,
 * and a 64-bit load of it is whole at any time. hdr_past are the samples beyond
 * the first of each key, so that the sum of all counts is what was recorded.
 * Samples of keys for which there was no place are in hdr_lost,
 * PFM_SINK_LOST_TABLE.
 */
#ifndef PERFMON_HIST_H
#define PERFMON_HIST_H

#include <perfmon/perfmon_sink.h>

/**
 * typedef pfm_hist_record_t - a key and how often it came
 * @key:   the format's own
 * @count: samples that had it, at least 1
 */
typedef struct {
	__u64	key[2];
	__u64	count;
} pfm_hist_record_t;

PFM_STATIC_ASSERT(sizeof(pfm_hist_record_t) == 24);
PFM_ASSERT_FIELD(pfm_hist_record_t, key, 0, 16);
PFM_ASSERT_FIELD(pfm_hist_record_t, count, 16, 8);

#endif /* PERFMON_HIST_H */
