/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/**
 * DOC: Reader of the histogram format (perfmon_histogram_smpl.h)
 *
 * perfmon_read.h explains how to use a reader; perfmon_read_sink.h is its base.
 * The kernel increments the counts in existing records. Therefore, after each
 * pfm_read_histogram_begin(), the reader returns all records again, in the same
 * order, with their current counts.
 */
#ifndef PERFMON_READ_HISTOGRAM_H
#define PERFMON_READ_HISTOGRAM_H

#include <perfmon/perfmon_histogram_smpl.h>
#include <perfmon/perfmon_read_sink.h>

/**
 * struct pfm_read_histogram - a reader of the histogram format
 * @sink:   common part of readers of formats with a sink; errors are in
 *          sink.problem
 * @record: the current record
 */
struct pfm_read_histogram {
	struct pfm_read_sink sink;
	pfm_histogram_record_t record;
};

/**
 * pfm_read_histogram_init() - set up a reader for the buffers of a context
 * @r: the reader
 *
 * Context: any.
 */
static inline void pfm_read_histogram_init(struct pfm_read_histogram *r)
{
	pfm_read_sink_init(&r->sink, PFM_HISTOGRAM_SMPL_VERSION);
	r->sink.is_rising = 1;
}

/**
 * pfm_read_histogram_begin() - start to read all records of a buffer
 * @r:     the reader
 * @buf:   as for pfm_read_sink_begin()
 * @size:  as for pfm_read_sink_begin()
 * @flags: PFM_READ_LIVE or 0
 *
 * Context: any; one thread at a time for a reader.
 * Return: 0; -1 on error; see @sink.problem of the reader.
 */
static inline int pfm_read_histogram_begin(struct pfm_read_histogram *r,
					   const void *buf, size_t size,
					   unsigned int flags)
{
	return pfm_read_sink_begin(&r->sink, buf, size, flags);
}

/**
 * pfm_read_histogram_next() - read the next record
 * @r: the reader
 *
 * Context: as pfm_read_histogram_begin().
 * Return: 1, with @record of the reader; 0 at the end; -1 if the remaining
 * records cannot be read, see @sink.problem of the reader.
 */
static inline int pfm_read_histogram_next(struct pfm_read_histogram *r)
{
	int got;

	do {
		got = pfm_read_sink_head(&r->sink, &r->record,
					 sizeof(r->record));
		if (got <= 0)
			return got;
		pfm_read_sink_words(&r->sink, sizeof(r->record), 0, &got);
	} while (!got);
	return got;
}

#endif /* PERFMON_READ_HISTOGRAM_H */
