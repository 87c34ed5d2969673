/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/**
 * DOC: Records of formats that count by key, in a sink
 *
 * The buffer is a sink (perfmon_sink.h) of one region. Each key has one record,
 * in the order in which the keys first occurred. The record's count rises in
 * place; a 64-bit load of it is always consistent. hdr_past counts the samples
 * beyond the first of each key, so that the sum of all counts is the number of
 * recorded samples. Samples that find no room in the table are counted in
 * hdr_lost, PFM_SINK_LOST_TABLE.
 */
#ifndef PERFMON_HIST_H
#define PERFMON_HIST_H

#include <perfmon/perfmon_sink.h>

/**
 * struct pfm_hist_record_t - a key and its count
 * @key:   key, defined by the format
 * @count: number of samples with this key, at least 1
 */
typedef struct {
	__u64	key[2];
	__u64	count;
} pfm_hist_record_t;

PFM_STATIC_ASSERT(sizeof(pfm_hist_record_t) == 24);
PFM_ASSERT_FIELD(pfm_hist_record_t, key, 0, 16);
PFM_ASSERT_FIELD(pfm_hist_record_t, count, 16, 8);

#endif /* PERFMON_HIST_H */
