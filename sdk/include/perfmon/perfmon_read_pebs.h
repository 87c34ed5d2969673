/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/**
 * DOC: Common part of the readers of the PEBS formats (Eranian 2006, 5.4)
 *
 * The readers read records in a debug-store area. Programs include
 * perfmon_read_pebs32.h or perfmon_read_pebs64.h instead of this file.
 */
#ifndef PERFMON_READ_PEBS_H
#define PERFMON_READ_PEBS_H

#include <perfmon/perfmon_read.h>

/**
 * struct pfm_read_pebs - a reader of records of one length
 * @problem:      reason for the last -1
 * @count:        number of records
 * @entry_size:   size in bytes of a record
 * @overflows:    number of times the threshold was reached so far
 * @dropped:      records dropped so far because a register did not fit into its
 *                field
 * @no_room:      records lost so far: the header's hdr_lost
 * @is_imprecise: some records have the registers at the interrupt that reported
 *                the overflow, not those at the event
 * @index:        offset in bytes of the end of the last record
 * @buf:          private: first byte of the buffer
 * @size:         private: bytes that are present
 * @base:         private: offset in bytes of the first record
 * @found:        private: number of records returned
 * @is_done:      private: there are no more records
 */
struct pfm_read_pebs {
	struct pfm_read_problem problem;
	__u64 count;
	__u32 entry_size;
	__u64 overflows;
	__u64 dropped;
	__u64 no_room;
	int is_imprecise;
	__u64 index;
	const unsigned char *buf;
	__u64 size;
	__u64 base;
	__u64 found;
	int is_done;
};

/* Start reading; base, index and entry_size are loaded and valid. */
static inline void pfm_read_pebs_start(struct pfm_read_pebs *r, const void *buf,
				       size_t size)
{
	r->buf = (const unsigned char *)buf;
	r->size = size;
	r->count = (r->index - r->base) / r->entry_size;
	r->found = 0;
	r->is_done = 0;
}

/* At the end, check that the last record ends where pebs_index says. */
static inline int pfm_read_pebs_end(struct pfm_read_pebs *r)
{
	__u64 rest = (r->index - r->base) % r->entry_size;

	r->is_done = 1;
	if (r->found < r->count)
		return pfm_read_fail(&r->problem, PFM_READ_TRUNCATED, r->size,
				     "pebs_index");
	if (rest)
		return pfm_read_fail(&r->problem, PFM_READ_COUNT,
				     r->index - rest, "pebs_index");
	return 0;
}

/*
 * Return: the next record, with 1 in *@got. At the end, NULL, with 0 in *@got,
 * or with -1 if the records do not end where pebs_index says.
 */
static inline const unsigned char *pfm_read_pebs_at(struct pfm_read_pebs *r,
						    int *got)
{
	__u64 end = r->index < r->size ? r->index : r->size;
	__u64 cur = r->base + r->found * r->entry_size;

	*got = 0;
	if (r->is_done)
		return NULL;
	if (cur > end || end - cur < r->entry_size) {
		*got = pfm_read_pebs_end(r);
		return NULL;
	}
	r->found++;
	*got = 1;
	return r->buf + cur;
}

#endif /* PERFMON_READ_PEBS_H */
