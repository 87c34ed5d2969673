/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/**
 * DOC: Reader of the stacks format (perfmon_stacks_smpl.h)
 *
 * perfmon_read.h explains how to use a reader; perfmon_read_sink.h is its base.
 * The kernel increments the counts in existing records. Therefore, after each
 * pfm_read_stacks_begin(), the reader returns all records again, in the same
 * order, with their current counts.
 */
#ifndef PERFMON_READ_STACKS_H
#define PERFMON_READ_STACKS_H

#include <perfmon/perfmon_read_sink.h>
#include <perfmon/perfmon_stacks_smpl.h>

PFM_STATIC_ASSERT(PFM_READ_SINK_WORDS >= 2 * PFM_STACKS_MAX_DEPTH);

/**
 * struct pfm_read_stacks - a reader of the stacks format
 * @sink:   common part of readers of formats with a sink; errors are in
 *          sink.problem
 * @record: the current record
 * @kernel: record.num_kernel kernel addresses: the interrupted address, then
 *          its callers, innermost first
 * @user:   record.num_user user addresses, in the same order
 */
struct pfm_read_stacks {
	struct pfm_read_sink sink;
	pfm_stacks_record_t record;
	const __u64 *kernel;
	const __u64 *user;
};

/**
 * pfm_read_stacks_init() - set up a reader for the buffers of a context
 * @r: the reader
 *
 * Context: any.
 */
static inline void pfm_read_stacks_init(struct pfm_read_stacks *r)
{
	pfm_read_sink_init(&r->sink, PFM_STACKS_SMPL_VERSION);
	r->sink.is_rising = 1;
}

/**
 * pfm_read_stacks_begin() - start to read all records of a buffer
 * @r:     the reader
 * @buf:   as for pfm_read_sink_begin()
 * @size:  as for pfm_read_sink_begin()
 * @flags: PFM_READ_LIVE or 0
 *
 * Context: any; one thread at a time for a reader.
 * Return: 0; -1 on error; see @sink.problem of the reader.
 */
static inline int pfm_read_stacks_begin(struct pfm_read_stacks *r,
					   const void *buf, size_t size,
					   unsigned int flags)
{
	return pfm_read_sink_begin(&r->sink, buf, size, flags);
}

/**
 * pfm_read_stacks_next() - read the next record
 * @r: the reader
 *
 * Context: as pfm_read_stacks_begin().
 * Return: 1, with @record, @kernel and @user of the reader; 0 at the end; -1 if
 * the remaining records cannot be read, see @sink.problem of the reader.
 */
static inline int pfm_read_stacks_next(struct pfm_read_stacks *r)
{
	const pfm_stacks_record_t *record = &r->record;
	int got;

	do {
		got = pfm_read_sink_head(&r->sink, &r->record, sizeof(*record));
		if (got <= 0)
			return got;
		r->kernel = pfm_read_sink_words(&r->sink, sizeof(*record),
						(__u64)record->num_kernel +
						record->num_user, &got);
	} while (!got);
	if (got > 0)
		r->user = r->kernel + record->num_kernel;
	return got;
}

#endif /* PERFMON_READ_STACKS_H */
