/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/**
 * DOC: Reader of the flight format (perfmon_flight_smpl.h)
 *
 * perfmon_read.h explains how to use a reader; perfmon_read_sink.h is its base.
 */
#ifndef PERFMON_READ_FLIGHT_H
#define PERFMON_READ_FLIGHT_H

#include <perfmon/perfmon_flight_smpl.h>
#include <perfmon/perfmon_read_sink.h>

/**
 * struct pfm_read_flight - a reader of the flight format
 * @sink:   common part of readers of formats with a sink; errors are in
 *          sink.problem
 * @record: the current record
 * @pmds:   record.num_pmds values of PMDs, in order of PMD index
 */
struct pfm_read_flight {
	struct pfm_read_sink sink;
	pfm_flight_record_t record;
	const __u64 *pmds;
};

/**
 * pfm_read_flight_init() - set up a reader for the buffers of a context
 * @r: the reader
 *
 * Context: any.
 */
static inline void pfm_read_flight_init(struct pfm_read_flight *r)
{
	pfm_read_sink_init(&r->sink, PFM_FLIGHT_SMPL_VERSION);
}

/**
 * pfm_read_flight_begin() - start to read the new records of a buffer
 * @r:     the reader
 * @buf:   as for pfm_read_sink_begin()
 * @size:  as for pfm_read_sink_begin()
 * @flags: PFM_READ_LIVE or 0
 *
 * Context: any; one thread at a time for a reader.
 * Return: 0; -1 on error; see @sink.problem of the reader.
 */
static inline int pfm_read_flight_begin(struct pfm_read_flight *r,
					const void *buf, size_t size,
					unsigned int flags)
{
	return pfm_read_sink_begin(&r->sink, buf, size, flags);
}

/**
 * pfm_read_flight_next() - read the next record, oldest region first
 * @r: the reader
 *
 * Context: as pfm_read_flight_begin().
 * Return: 1, with @record and @pmds of the reader; 0 at the end; -1 if a
 * region, or the rest of it, cannot be read, see @sink.problem of the reader.
 */
static inline int pfm_read_flight_next(struct pfm_read_flight *r)
{
	int got;

	do {
		got = pfm_read_sink_head(&r->sink, &r->record,
					 sizeof(r->record));
		if (got <= 0)
			return got;
		r->pmds = pfm_read_sink_words(&r->sink, sizeof(r->record),
					      r->record.num_pmds, &got);
	} while (!got);
	return got;
}

#endif /* PERFMON_READ_FLIGHT_H */
