/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/**
 * DOC: Reader of formats with a sink (perfmon_sink.h)
 *
 * This reader can read while the kernel writes. perfmon_read.h explains how to
 * use a reader. Only the format knows the layout of its records. Its reader
 * calls pfm_read_sink_head() for the fixed part of a record. It then calls
 * pfm_read_sink_words() for the variable part, whose length is in the fixed
 * part. For examples/format_mini this would be::
 *
 *	static inline int mini_next(struct mini *r)
 *	{
 *		int got;
 *
 *		do {
 *			got = pfm_read_sink_head(&r->sink, &r->head,
 *						 sizeof(r->head));
 *			if (got <= 0)
 *				return got;
 *			r->pmds = pfm_read_sink_words(&r->sink, sizeof(r->head),
 *						      r->head.num_pmds, &got);
 *		} while (!got);
 *		return got;
 *	}
 */
#ifndef PERFMON_READ_SINK_H
#define PERFMON_READ_SINK_H

#include <perfmon/perfmon_read_regions.h>
#include <perfmon/perfmon_sink.h>

/*
 * Maximum number of words in the variable part of a record that can be copied
 * out of a live buffer: values of all PMDs, and two call chains of 128
 * addresses. A format with longer records defines a larger number before it
 * includes this file.
 */
#ifndef PFM_READ_SINK_WORDS
#define PFM_READ_SINK_WORDS	(PFM_MAX_PMDS + 2 * 128)
#endif

/*
 * Maximum number of tries to copy a record of a table that the kernel is
 * changing.
 */
#define PFM_READ_SINK_TRIES	1000

static const struct pfm_read_region_layout pfm_read_sink_layout = {
	sizeof(pfm_sink_hdr_t),
	sizeof(pfm_sink_rgn_t),
	offsetof(pfm_sink_rgn_t, rgn_state),
	offsetof(pfm_sink_rgn_t, rgn_count),
	offsetof(pfm_sink_rgn_t, rgn_used),
	"rgn_used",
	offsetof(pfm_sink_hdr_t, hdr_num_regions),
	offsetof(pfm_sink_hdr_t, hdr_region_offs),
	offsetof(pfm_sink_hdr_t, hdr_region_size),
	offsetof(pfm_sink_hdr_t, hdr_buf_size),
	1,
};

PFM_STATIC_ASSERT(offsetof(pfm_sink_rgn_t, rgn_seq) == 0);
PFM_STATIC_ASSERT(PFM_SINK_MAX_REGIONS == PFM_READ_MAX_REGIONS);
PFM_STATIC_ASSERT(PFM_SINK_RGN_FREE == (int)PFM_READ_RGN_FREE &&
		  PFM_SINK_RGN_FILLING == (int)PFM_READ_RGN_FILLING &&
		  PFM_SINK_RGN_READY == (int)PFM_READ_RGN_READY);

/**
 * struct pfm_read_sink - a reader of the records of a sink
 * @problem:     reason for the last -1
 * @seq:         number of the fill that wrote the record
 * @region:      number of the region that holds the record
 * @fmt_version: version of the records
 * @past:        hdr_past, as read by the last pfm_read_sink_begin()
 * @overwritten: number of records that the kernel has overwritten so far
 * @lost:        number of samples lost so far, indexed by PFM_SINK_LOST_*
 * @skipped:     number of samples that the format's handler skipped so far
 * @is_rising:   set to 1 by the caller after pfm_read_sink_init() if the buffer
 *               is a table: each pass returns all records with their current
 *               values
 * @needed:      private: major version that the records must have, or 0
 * @pass:        private, except pass.overtaken: the number of regions that were
 *               refilled while they were read
 * @room:        private: words copied out of a live buffer
 */
struct pfm_read_sink {
	struct pfm_read_problem problem;
	__u64 seq;
	__u32 region;
	__u32 fmt_version;
	__u64 past;
	__u64 overwritten;
	__u64 lost[PFM_SINK_NUM_LOST];
	__u64 skipped;
	int is_rising;
	__u32 needed;
	struct pfm_read_pass pass;
	__u64 room[PFM_READ_SINK_WORDS];
};

/**
 * pfm_read_sink_init() - set up a reader for the buffers of a context
 * @r:           the reader
 * @fmt_version: version of the records that the caller can read; only the major
 *               number matters; 0 for any
 *
 * Context: any.
 */
static inline void pfm_read_sink_init(struct pfm_read_sink *r,
				      __u32 fmt_version)
{
	memset(r, 0, sizeof(*r));
	r->needed = PFM_VERSION_MAJOR(fmt_version);
}

/* Check the offset of the pfm_sink_more_t. Return: 1 if it is 0 or valid. */
static inline int pfm_read_sink_more_fits(const struct pfm_read_areas *areas,
					  __u32 offs)
{
	return !offs || (offs >= PFM_SINK_MORE_OFFS(areas->num) &&
			 offs % sizeof(__u64) == 0 &&
			 offs + sizeof(pfm_sink_more_t) <= areas->offs);
}

/* Get the pfm_sink_more_t; NULL before version 1.1. */
static inline const pfm_sink_more_t *pfm_read_sink_more(const void *buf,
							size_t size)
{
	const pfm_sink_hdr_t *hdr = (const pfm_sink_hdr_t *)buf;
	__u32 offs = pfm_read_once32(&hdr->hdr_more_offs);
	const void *more = (const char *)buf + offs;

	if (!offs || offs % sizeof(__u64) ||
	    offs > size - sizeof(pfm_sink_more_t))
		return NULL;
	return (const pfm_sink_more_t *)more;
}

/* Get the number of evicted thread states; 0 before version 1.3. */
static inline __u64 pfm_read_sink_evicted(const void *buf, size_t size)
{
	const pfm_sink_more_t *more = pfm_read_sink_more(buf, size);

	return more ? pfm_read_once64(&more->more_evicted) : 0;
}

/* Get the number of skipped samples; 0 before version 1.1. */
static inline __u64 pfm_read_sink_skipped(const void *buf, size_t size)
{
	const pfm_sink_more_t *more = pfm_read_sink_more(buf, size);

	return more ? pfm_read_once64(&more->more_skipped) : 0;
}

/**
 * pfm_read_sink_areas() - locate the regions of a buffer
 * @buf:     first byte of the buffer, aligned to 8
 * @size:    bytes that are present; regions may be missing
 * @areas:   out: the regions
 * @problem: out: what is wrong
 *
 * Context: any.
 * Return: 0; -1 if the buffer does not belong to a sink.
 */
static inline int pfm_read_sink_areas(const void *buf, size_t size,
				      struct pfm_read_areas *areas,
				      struct pfm_read_problem *problem)
{
	const pfm_sink_hdr_t *hdr = (const pfm_sink_hdr_t *)buf;

	if (pfm_read_check(problem, buf, size, sizeof(*hdr)))
		return -1;
	if (pfm_read_once64(&hdr->hdr_magic) != PFM_SINK_MAGIC)
		return PFM_READ_BAD(problem, 0, pfm_sink_hdr_t, hdr_magic);
	if (PFM_VERSION_MAJOR(pfm_read_once32(&hdr->hdr_version)) !=
	    PFM_VERSION_MAJOR(PFM_SINK_VERSION))
		return PFM_READ_BAD(problem, 0, pfm_sink_hdr_t, hdr_version);
	if (pfm_read_areas_load(&pfm_read_sink_layout, buf, areas, problem))
		return -1;
	if (!pfm_read_sink_more_fits(areas,
				     pfm_read_once32(&hdr->hdr_more_offs)))
		return PFM_READ_BAD(problem, 0, pfm_sink_hdr_t, hdr_more_offs);
	return 0;
}

/**
 * pfm_read_sink_begin() - start to read the new records of a buffer
 * @r:     the reader
 * @buf:   first byte of the buffer, aligned to 8
 * @size:  bytes that are present
 * @flags: PFM_READ_LIVE or 0
 *
 * Context: any; one thread at a time for a reader.
 * Return: 0; -1 on error; see @problem of the reader.
 */
static inline int pfm_read_sink_begin(struct pfm_read_sink *r, const void *buf,
				      size_t size, unsigned int flags)
{
	const pfm_sink_hdr_t *hdr = (const pfm_sink_hdr_t *)buf;
	unsigned int i;

	pfm_read_pass_leave(&r->pass);
	if (pfm_read_sink_areas(buf, size, &r->pass.areas, &r->problem)) {
		r->pass.areas.num = 0;
		return -1;
	}
	r->pass.at = r->pass.areas.num;
	r->fmt_version = pfm_read_once32(&hdr->hdr_fmt_version);
	if (r->needed && PFM_VERSION_MAJOR(r->fmt_version) != r->needed)
		return PFM_READ_BAD(&r->problem, 0, pfm_sink_hdr_t,
				    hdr_fmt_version);
	r->past = pfm_read_once64(&hdr->hdr_past);
	r->overwritten = pfm_read_once64(&hdr->hdr_overwritten);
	for (i = 0; i < PFM_SINK_NUM_LOST; i++)
		r->lost[i] = pfm_read_once64(&hdr->hdr_lost[i]);
	r->skipped = pfm_read_sink_skipped(buf, size);
	return pfm_read_pass_begin(&r->pass, &pfm_read_sink_layout,
				   &r->problem, buf, size, flags);
}

/* Go to the next region with new records. */
static inline int pfm_read_sink_enter(struct pfm_read_sink *r)
{
	const struct pfm_read_region_layout *layout = &pfm_read_sink_layout;
	struct pfm_read_pass *pass = &r->pass;
	int got;

	while (pfm_read_pass_enter(pass, layout)) {
		if (!pass->region.seq || !pass->region.count)
			continue;
		if (pass->region.used > pass->areas.size)
			return pfm_read_pass_bad(pass, layout, &r->problem,
						 layout->used, "rgn_used");
		if (!pass->is_live &&
		    pass->region.count > pass->region.used / sizeof(__u64))
			return pfm_read_pass_bad(pass, layout, &r->problem,
						 layout->count, "rgn_count");
		got = pfm_read_pass_resume(pass, layout, &r->problem,
					   r->is_rising);
		if (got < 0)
			return got;
		/* A region that is shorter than before has no new records. */
		if (got && (pass->is_live ||
			    pass->cur - pass->start <= pass->region.used))
			return 1;
		pass->is_in = 0;
	}
	return 0;
}

/* Leave the region, and fail if records in it are incomplete. */
static inline int pfm_read_sink_end(struct pfm_read_sink *r)
{
	struct pfm_read_pass *pass = &r->pass;
	__u64 end = pass->start + pass->region.used;

	pfm_read_pass_leave(pass);
	if (!pass->is_live && end > pass->size)
		pfm_read_fail(&r->problem, PFM_READ_TRUNCATED, pass->size,
			      "rgn_used");
	else if (pass->found < pass->region.count)
		pfm_read_fail(&r->problem, PFM_READ_COUNT, pass->cur,
			      "rgn_count");
	else
		return 0;
	r->problem.region = pass->number;
	return -1;
}

/* Copy whole words with one load each, then the remaining bytes. */
static inline void pfm_read_sink_load(void *to, const void *from, size_t size)
{
	unsigned char *bytes = (unsigned char *)to;
	const unsigned char *words = (const unsigned char *)from;
	__u64 word;

	for (; size >= sizeof(word); size -= sizeof(word)) {
		word = pfm_read_once64(words);
		memcpy(bytes, &word, sizeof(word));
		bytes += sizeof(word);
		words += sizeof(word);
	}
	pfm_read_copy(bytes, words, size);
}

/*
 * Copy the head of a table's record, with consistent fields.
 *
 * Return: 1; 0 if the kernel changed a record during every try.
 */
static inline int pfm_read_sink_rising(const struct pfm_read_pass *pass,
				       void *head, size_t size)
{
	const pfm_sink_more_t *more = pfm_read_sink_more(pass->buf, pass->size);
	const void *from = pass->buf + pass->cur;
	unsigned int tries;
	__u64 updates;

	for (tries = 0; tries < PFM_READ_SINK_TRIES; tries++) {
		/* Pairs with the kernel's release of an even number. */
		updates = more ? pfm_read_acquire64(&more->more_updates) : 0;
		pfm_read_sink_load(head, from, size);
		/* Pairs with the kernel's smp_wmb() after an odd number. */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!more || (!(updates & 1) &&
			      pfm_read_once64(&more->more_updates) == updates))
			return 1;
	}
	return 0;
}

/* Leave a region because its next record cannot be copied. Return: -1. */
static inline int pfm_read_sink_give_up(struct pfm_read_sink *r,
					enum pfm_read_error error)
{
	pfm_read_pass_leave(&r->pass);
	pfm_read_fail(&r->problem, error, r->pass.cur, "a record");
	r->problem.region = r->pass.number;
	return -1;
}

/**
 * pfm_read_sink_head() - read the fixed part of the next record
 * @r:    the reader
 * @head: out: a copy of the fixed part
 * @size: size of the fixed part in bytes
 *
 * Call pfm_read_sink_words() next to complete the record.
 *
 * Context: as pfm_read_sink_begin().
 * Return: 1; 0 if there are no more records; -1 if a region, or the rest of it,
 * cannot be read, see @problem of the reader.
 */
static inline int pfm_read_sink_head(struct pfm_read_sink *r, void *head,
				     size_t size)
{
	struct pfm_read_pass *pass = &r->pass;
	int got;

	for (;;) {
		if (pass->is_in && pass->found < pass->region.count &&
		    pfm_read_pass_left(pass) >= size) {
			if (!pass->is_live || !r->is_rising)
				pfm_read_copy(head, pass->buf + pass->cur,
					      size);
			else if (!pfm_read_sink_rising(pass, head, size))
				return pfm_read_sink_give_up(r, PFM_READ_BUSY);
			return 1;
		}
		if (pass->is_in) {
			if (!pfm_read_pass_holds(pass, &pfm_read_sink_layout))
				continue;
			got = pfm_read_sink_end(r);
			if (got)
				return got;
		}
		got = pfm_read_sink_enter(r);
		if (got <= 0)
			return got;
		r->seq = pass->region.seq;
		r->region = pass->number;
	}
}

/* Get the words after the head, as a copy if the kernel may be writing. */
static inline const __u64 *pfm_read_sink_copy(struct pfm_read_sink *r,
					      size_t head, __u64 num)
{
	const unsigned char *from = r->pass.buf + r->pass.cur + head;

	if (!r->pass.is_live)
		return (const __u64 *)(const void *)from;
	memcpy(r->room, from, (size_t)num * sizeof(r->room[0]));
	return r->room;
}

/**
 * pfm_read_sink_words() - read the variable part of a record
 * @r:    the reader, whose pfm_read_sink_head() has returned 1
 * @size: size of the fixed part, as passed to pfm_read_sink_head()
 * @num:  number of 64-bit words that follow
 * @got:  out: 1 on success; 0 if the record has been overwritten: start again
 *        with pfm_read_sink_head(); -1 if it cannot be read, see @r->problem
 *
 * Context: as pfm_read_sink_begin().
 * Return: the words; NULL if @got is not 1.
 */
static inline const __u64 *pfm_read_sink_words(struct pfm_read_sink *r,
					       size_t size, __u64 num,
					       int *got)
{
	struct pfm_read_pass *pass = &r->pass;
	__u64 head = (size + 7) / 8 * 8, left = pfm_read_pass_left(pass);
	const __u64 *words;

	*got = 0;
	if (left < head || num > (left - head) / sizeof(__u64)) {
		if (pfm_read_pass_holds(pass, &pfm_read_sink_layout))
			*got = pfm_read_sink_end(r);
		return NULL;
	}
	if (pass->is_live && num > PFM_READ_SINK_WORDS) {
		if (pfm_read_pass_holds(pass, &pfm_read_sink_layout))
			*got = pfm_read_sink_give_up(r, PFM_READ_ROOM);
		return NULL;
	}
	words = pfm_read_sink_copy(r, (size_t)head, num);
	if (!pfm_read_pass_holds(pass, &pfm_read_sink_layout))
		return NULL;
	pass->cur += head + num * sizeof(__u64);
	pass->found++;
	*got = 1;
	return words;
}

#endif /* PERFMON_READ_SINK_H */
