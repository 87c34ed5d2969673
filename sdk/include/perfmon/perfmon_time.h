/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/**
 * DOC: Raw time stamps
 *
 * A raw time stamp is a value of the CPU's time counter, such as the TSC. A
 * format that records raw time stamps publishes their conversion to ns.
 */
#ifndef PERFMON_TIME_H
#define PERFMON_TIME_H

#include <perfmon/perfmon.h>

#define PFM_TIME_MAX_SHIFT	32

/**
 * struct pfm_time_conv_t - conversion of raw time stamps
 * @time_zero:  time in ns that corresponds to the raw time stamp 0, modulo 2^64
 * @time_mult:  multiplier; 0 if time stamps are not raw
 * @time_shift: number of bits to shift right, at most PFM_TIME_MAX_SHIFT
 *
 * The fields have the same meaning as in struct perf_event_mmap_page.
 */
typedef struct {
	__u64	time_zero;
	__u32	time_mult;
	__u32	time_shift;
} pfm_time_conv_t;

PFM_STATIC_ASSERT(sizeof(pfm_time_conv_t) == 16);
PFM_ASSERT_FIELD(pfm_time_conv_t, time_zero, 0, 8);
PFM_ASSERT_FIELD(pfm_time_conv_t, time_mult, 8, 4);
PFM_ASSERT_FIELD(pfm_time_conv_t, time_shift, 12, 4);

/**
 * pfm_time_ns() - convert a raw time stamp
 * @conv:   the conversion
 * @tstamp: the raw time stamp
 *
 * Context: any.
 * Return: the time in ns.
 */
static inline __u64 pfm_time_ns(const pfm_time_conv_t *conv, __u64 tstamp)
{
	__u64 whole = tstamp >> conv->time_shift;
	__u64 rest = tstamp - (whole << conv->time_shift);

	return conv->time_zero + whole * conv->time_mult +
	       (rest * conv->time_mult >> conv->time_shift);
}

#endif /* PERFMON_TIME_H */
