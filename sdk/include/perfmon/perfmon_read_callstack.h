/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/**
 * DOC: Reader of the callstack format (perfmon_callstack_smpl.h)
 *
 * perfmon_read.h explains how to use a reader; perfmon_read_sink.h is its base.
 */
#ifndef PERFMON_READ_CALLSTACK_H
#define PERFMON_READ_CALLSTACK_H

#include <perfmon/perfmon_callstack_smpl.h>
#include <perfmon/perfmon_read_sink.h>

PFM_STATIC_ASSERT(PFM_READ_SINK_WORDS >=
		  PFM_MAX_PMDS + 2 * PFM_CALLSTACK_MAX_DEPTH);

/**
 * struct pfm_read_callstack - a reader of the callstack format
 * @sink:   common part of readers of formats with a sink; errors are in
 *          sink.problem
 * @record: the current record
 * @pmds:   record.num_pmds values of PMDs, in order of PMD index
 * @kernel: record.num_kernel kernel addresses: the interrupted address, then
 *          its callers, innermost first
 * @user:   record.num_user user addresses: the thread's address in user space,
 *          then its callers, innermost first
 */
struct pfm_read_callstack {
	struct pfm_read_sink sink;
	pfm_callstack_record_t record;
	const __u64 *pmds;
	const __u64 *kernel;
	const __u64 *user;
};

/**
 * pfm_read_callstack_init() - set up a reader for the buffers of a context
 * @r: the reader
 *
 * Context: any.
 */
static inline void pfm_read_callstack_init(struct pfm_read_callstack *r)
{
	pfm_read_sink_init(&r->sink, PFM_CALLSTACK_SMPL_VERSION);
}

/**
 * pfm_read_callstack_begin() - start to read the new records of a buffer
 * @r:     the reader
 * @buf:   as for pfm_read_sink_begin()
 * @size:  as for pfm_read_sink_begin()
 * @flags: PFM_READ_LIVE or 0
 *
 * Context: any; one thread at a time for a reader.
 * Return: 0; -1 on error; see @sink.problem of the reader.
 */
static inline int pfm_read_callstack_begin(struct pfm_read_callstack *r,
					   const void *buf, size_t size,
					   unsigned int flags)
{
	return pfm_read_sink_begin(&r->sink, buf, size, flags);
}

/**
 * pfm_read_callstack_next() - read the next record, oldest region first
 * @r: the reader
 *
 * Context: as pfm_read_callstack_begin().
 * Return: 1, with @record, its values and chains; 0 at the end; -1 if a region,
 * or the rest of it, cannot be read, see @sink.problem of the reader.
 */
static inline int pfm_read_callstack_next(struct pfm_read_callstack *r)
{
	const pfm_callstack_record_t *record = &r->record;
	int got;

	do {
		got = pfm_read_sink_head(&r->sink, &r->record, sizeof(*record));
		if (got <= 0)
			return got;
		r->pmds = pfm_read_sink_words(&r->sink, sizeof(*record),
					      (__u64)record->num_pmds +
					      record->num_kernel +
					      record->num_user, &got);
	} while (!got);
	if (got < 0)
		return got;
	r->kernel = r->pmds + record->num_pmds;
	r->user = r->kernel + record->num_kernel;
	return 1;
}

#endif /* PERFMON_READ_CALLSTACK_H */
