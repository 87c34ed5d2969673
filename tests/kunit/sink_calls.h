/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sink_calls.h - the number of records in a sink with one region, and the
 * number of samples that the format has skipped
 */
#ifndef KUNIT_SINK_CALLS_H
#define KUNIT_SINK_CALLS_H

#include <perfmon/perfmon_fmt_kunit.h>
#include <perfmon/perfmon_sink.h>

static inline u64 records_of(const struct pfm_fmt_calls *d)
{
	const pfm_sink_hdr_t *hdr = d->buf;

	return ((const pfm_sink_rgn_t *)(hdr + 1))->rgn_count;
}

static inline u64 skipped_by(const struct pfm_fmt_calls *d)
{
	const pfm_sink_hdr_t *hdr = d->buf;
	const pfm_sink_more_t *more = d->buf + hdr->hdr_more_offs;

	return more->more_skipped;
}

#endif /* KUNIT_SINK_CALLS_H */
