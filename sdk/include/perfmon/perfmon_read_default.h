/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/**
 * DOC: Reader of the default format (3.6)
 *
 * The reader also reads buffers of perfmon 2.0 on ia64, which have another
 * UUID, and converts their entries to the current layout. perfmon_read.h
 * explains how to use a reader. Section numbers refer to the perfmon2 interface
 * specification, version 0.6.
 */
#ifndef PERFMON_READ_DEFAULT_H
#define PERFMON_READ_DEFAULT_H

#include <perfmon/perfmon_default_smpl.h>
#include <perfmon/perfmon_read.h>

/*
 * A struct pfm_read_kind with this PMD applies to all PMDs in all sets. It must
 * be the only kind that is passed to init.
 */
#define PFM_READ_ANY_PMD	0xffff

/**
 * struct pfm_read_kind - number of values in the entries of one sampling PMD
 * @set:      number of the event set
 * @pmd:      PMD that samples in this set, or PFM_READ_ANY_PMD
 * @num_pmds: number of PMDs in the reg_smpl_pmds of the PMC that controls @pmd
 *
 * Entries do not contain their length (3.6.4), so the caller must supply the
 * number of values for each PMD that samples.
 */
struct pfm_read_kind {
	__u16 set;
	__u16 pmd;
	__u32 num_pmds;
};

/*
 * State for reading entries. It is a part of the reader of each format that has
 * such entries.
 */
struct pfm_read_entries {
	const struct pfm_read_kind *kinds;
	const struct pfm_read_kind *last;	/* kind of the last entry */
	__u32 num_kinds;
	__u32 least;		/* size of the shortest entry */
	__u32 head;		/* size of the header */
	int is_ia64;
	int is_odd;		/* ia64 layout, or headers lack fields */
	enum pfm_read_error error;	/* why no entry was read */
};

/**
 * struct pfm_read_entry - an entry (3.6.4)
 * @head:     header of the entry; 0 in fields that PFM_DFL_SMPL_NO_HDR or
 *            PFM_DFL_SMPL_IIP_HDR omit
 * @kind:     kind of the entry, one of those passed to init; NULL if the header
 *            is omitted
 * @pmds:     values of the PMDs, in order of PMD index
 * @num_pmds: number of values
 */
struct pfm_read_entry {
	pfm_default_smpl_entry_t head;
	const struct pfm_read_kind *kind;
	const __u64 *pmds;
	__u32 num_pmds;
};

/* Buffer header of perfmon 2.0 on ia64 */
typedef struct {
	__u64	hdr_count;
	__u64	hdr_cur_offs;
	__u64	hdr_reserved1;
	__u64	hdr_overflows;
	__u64	hdr_buf_size;
	__u32	hdr_version;
	__u32	hdr_reserved2;
	__u64	hdr_reserved3[10];
} pfm_read_ia64_hdr_t;

/* Entry header of perfmon 2.0 on ia64 */
typedef struct {
	__s32	pid;
	__u8	reserved[3];
	__u8	ovfl_pmd;
	__u64	last_reset_val;
	__u64	ip;
	__u64	tstamp;
	__u16	cpu;
	__u16	set;
	__s32	tgid;
} pfm_read_ia64_entry_t;

#define PFM_READ_IA64_VERSION	((2U << 16) | 0U)

PFM_STATIC_ASSERT(sizeof(pfm_read_ia64_hdr_t) ==
		  sizeof(pfm_default_smpl_hdr_t));
PFM_STATIC_ASSERT(sizeof(pfm_read_ia64_entry_t) ==
		  sizeof(pfm_default_smpl_entry_t));
PFM_STATIC_ASSERT(offsetof(pfm_read_ia64_hdr_t, hdr_version) ==
		  offsetof(pfm_default_smpl_hdr_t, hdr_version));

/*
 * Return: 0; -1 if a kind has too many PMDs, or PFM_READ_ANY_PMD is not alone.
 */
static inline int pfm_read_entries_init(struct pfm_read_entries *entries,
					const struct pfm_read_kind *kinds,
					__u32 num_kinds)
{
	__u32 i, values = num_kinds ? kinds[0].num_pmds : 0;

	memset(entries, 0, sizeof(*entries));
	for (i = 0; i < num_kinds; i++) {
		if (kinds[i].num_pmds > PFM_MAX_PMDS ||
		    (kinds[i].pmd == PFM_READ_ANY_PMD && num_kinds > 1))
			return -1;
		/* If the lengths differ, only the header is certain. */
		if (kinds[i].num_pmds != kinds[0].num_pmds)
			values = 0;
	}
	entries->kinds = kinds;
	entries->last = num_kinds ? kinds : NULL;
	entries->num_kinds = num_kinds;
	entries->head = sizeof(pfm_default_smpl_entry_t);
	entries->least = entries->head + values * (__u32)sizeof(__u64);
	return 0;
}

static inline int pfm_read_is_kind(const struct pfm_read_kind *kind,
				   const pfm_default_smpl_entry_t *entry)
{
	return kind->pmd == entry->ovfl_pmd ? kind->set == entry->set :
	       kind->pmd == PFM_READ_ANY_PMD;
}

/*
 * Search for the kind of an entry whose kind differs from that of the last
 * entry. Return: the kind or NULL.
 */
static inline const struct pfm_read_kind *
pfm_read_find_kind(struct pfm_read_entries *entries,
		   const pfm_default_smpl_entry_t *entry)
{
	__u32 i;

	for (i = 0; i < entries->num_kinds; i++) {
		if (!pfm_read_is_kind(&entries->kinds[i], entry))
			continue;
		entries->last = &entries->kinds[i];
		return entries->last;
	}
	return NULL;
}

/* Convert the header of an entry of perfmon 2.0 to the current layout. */
static inline void pfm_read_ia64_entry(const void *from,
				       pfm_default_smpl_entry_t *entry)
{
	pfm_read_ia64_entry_t old;

	pfm_read_copy(&old, from, sizeof(old));
	entry->pid = (__u32)old.pid;
	entry->ovfl_pmd = old.ovfl_pmd;
	entry->last_reset_val = old.last_reset_val;
	entry->ip = old.ip;
	entry->tstamp = old.tstamp;
	entry->cpu = old.cpu;
	entry->set = old.set;
	entry->tgid = (__u32)old.tgid;
}

/* Read an entry header in the ia64 layout, or one that lacks fields. */
static inline void pfm_read_odd_entry(const struct pfm_read_entries *entries,
				      const void *from,
				      pfm_default_smpl_entry_t *entry)
{
	memset(entry, 0, sizeof(*entry));
	if (entries->head == sizeof(entry->ip))
		pfm_read_copy(&entry->ip, from, sizeof(entry->ip));
	else if (entries->head)
		pfm_read_ia64_entry(from, entry);
}

/*
 * Read the entry at @from. The buffer has @left bytes from there on.
 *
 * Return: its size in bytes; 0 on failure. After a failure, @entries->error is
 * PFM_READ_COUNT if the entry is incomplete, or PFM_READ_UNKNOWN if its kind is
 * unknown.
 */
static inline __attribute__((always_inline)) __u32
pfm_read_entry_at(struct pfm_read_entries *entries, const unsigned char *from,
		  __u64 left, struct pfm_read_entry *entry)
{
	const struct pfm_read_kind *kind = entries->last;
	__u32 size;

	entries->error = PFM_READ_COUNT;
	if (left < entries->least)
		return 0;
	if (entries->is_odd)
		pfm_read_odd_entry(entries, from, &entry->head);
	else
		pfm_read_copy(&entry->head, from, sizeof(entry->head));
	if (entries->head != sizeof(entry->head)) {
		/* All kinds have the same length, so any kind will do. */
		entry->kind = NULL;
	} else {
		if (!kind || !pfm_read_is_kind(kind, &entry->head))
			kind = pfm_read_find_kind(entries, &entry->head);
		if (!kind) {
			entries->error = PFM_READ_UNKNOWN;
			return 0;
		}
		entry->kind = kind;
	}
	entry->num_pmds = kind->num_pmds;
	size = entries->head + kind->num_pmds * (__u32)sizeof(__u64);
	if (left < size)
		return 0;
	entry->pmds = (const __u64 *)(const void *)(from + entries->head);
	return size;
}

/**
 * struct pfm_read_default - a reader of the default format
 * @problem:   reason for the last -1
 * @entry:     the current entry; its time stamp is in ns
 * @count:     number of entries
 * @overflows: number of times the buffer became full so far
 * @entries:   private
 * @buf:       private: first byte of the buffer
 * @size:      private: bytes that are present
 * @cur_offs:  offset in bytes of the end of the last entry
 * @cur:       private: offset in bytes of the next entry
 * @end:       private: offset in bytes of the end of the present entries
 * @found:     private: number of entries before @cur
 * @time:      private: conversion of time stamps; time_mult is 0 if they are in
 *             ns
 * @is_live:   private: PFM_READ_LIVE
 * @is_done:   private: there are no more entries
 */
struct pfm_read_default {
	struct pfm_read_problem problem;
	struct pfm_read_entry entry;
	__u64 count;
	__u64 overflows;
	struct pfm_read_entries entries;
	const unsigned char *buf;
	__u64 size;
	__u64 cur_offs;
	__u64 cur;
	__u64 end;
	__u64 found;
	pfm_time_conv_t time;
	int is_live;
	int is_done;
};

/**
 * pfm_read_default_init() - set up a reader for the buffers of a context
 * @r:         the reader
 * @kinds:     kinds of all PMDs that sample; must stay valid while the reader
 *             is used
 * @num_kinds: number of kinds
 *
 * Context: any.
 * Return: 0; -1 if the kinds are invalid, see @problem of the reader.
 */
static inline int pfm_read_default_init(struct pfm_read_default *r,
					const struct pfm_read_kind *kinds,
					__u32 num_kinds)
{
	memset(r, 0, sizeof(*r));
	r->is_done = 1;
	if (pfm_read_entries_init(&r->entries, kinds, num_kinds))
		return pfm_read_fail(&r->problem, PFM_READ_USE, 0, "kinds");
	return 0;
}

/**
 * pfm_read_default_ia64_init() - set up a reader for buffers of ia64
 * @r:         the reader
 * @kinds:     as for pfm_read_default_init()
 * @num_kinds: as for pfm_read_default_init()
 *
 * Use this for buffers of perfmon 2.0, which have the UUID
 * 4d72bec0-0664-4143-82b4-d3fd27243c97.
 *
 * Context: any.
 * Return: as pfm_read_default_init().
 */
static inline int pfm_read_default_ia64_init(struct pfm_read_default *r,
					     const struct pfm_read_kind *kinds,
					     __u32 num_kinds)
{
	if (pfm_read_default_init(r, kinds, num_kinds))
		return -1;
	r->entries.is_ia64 = 1;
	r->entries.is_odd = 1;
	return 0;
}

/*
 * Apply buf_flags. If headers are incomplete, all entries must have the same
 * length.
 */
static inline int pfm_read_default_flags(struct pfm_read_default *r,
					 __u32 flags)
{
	struct pfm_read_entries *entries = &r->entries;
	__u32 i, head = sizeof(pfm_default_smpl_entry_t);
	__u32 values = entries->num_kinds ? entries->kinds[0].num_pmds : 0;

	if (flags == PFM_DFL_SMPL_NO_HDR)
		head = 0;
	else if (flags == PFM_DFL_SMPL_IIP_HDR)
		head = sizeof(__u64);
	if (head != sizeof(pfm_default_smpl_entry_t)) {
		for (i = 0; i < entries->num_kinds; i++) {
			if (entries->kinds[i].num_pmds != values)
				return -1;
		}
		if (!entries->num_kinds || head + values == 0)
			return -1;
	}
	entries->least += head - entries->head;
	entries->head = head;
	entries->is_odd = head != sizeof(pfm_default_smpl_entry_t) ||
			  entries->is_ia64;
	return 0;
}

static inline int pfm_read_default_time(struct pfm_read_default *r,
					const pfm_default_smpl_hdr_t *hdr,
					__u32 flags)
{
	memset(&r->time, 0, sizeof(r->time));
	if (!(flags & PFM_DFL_SMPL_RAW_TIME))
		return 0;
	r->time.time_zero = pfm_read_once64(&hdr->hdr_time_zero);
	r->time.time_mult = pfm_read_once32(&hdr->hdr_time_mult);
	r->time.time_shift = pfm_read_once32(&hdr->hdr_time_shift);
	if (!r->time.time_mult)
		return PFM_READ_BAD(&r->problem, 0, pfm_default_smpl_hdr_t,
				    hdr_time_mult);
	if (r->time.time_shift > PFM_TIME_MAX_SHIFT)
		return PFM_READ_BAD(&r->problem, 0, pfm_default_smpl_hdr_t,
				    hdr_time_shift);
	return 0;
}

/* Read the part of the header that describes the entries. */
static inline int pfm_read_default_header(struct pfm_read_default *r,
					  const void *buf)
{
	const pfm_default_smpl_hdr_t *hdr = (const pfm_default_smpl_hdr_t *)buf;
	const pfm_read_ia64_hdr_t *old = (const pfm_read_ia64_hdr_t *)buf;
	int is_ia64 = r->entries.is_ia64;
	__u64 buf_size;
	__u32 flags;

	/* A reader that sees a count sees the counted entries and their end. */
	r->count = pfm_read_acquire64(&hdr->hdr_count);
	r->cur_offs = pfm_read_once64(&hdr->hdr_cur_offs);
	r->overflows = pfm_read_once64(is_ia64 ? &old->hdr_overflows :
				       &hdr->hdr_overflows);
	buf_size = pfm_read_once64(is_ia64 ? &old->hdr_buf_size :
				   &hdr->hdr_buf_size);
	flags = is_ia64 ? 0 : pfm_read_once32(&hdr->hdr_buf_flags);
	if (pfm_read_once32(&hdr->hdr_version) !=
	    (is_ia64 ? PFM_READ_IA64_VERSION : PFM_DFL_SMPL_VERSION))
		return PFM_READ_BAD(&r->problem, 0, pfm_default_smpl_hdr_t,
				    hdr_version);
	if (flags != PFM_DFL_SMPL_RAW_TIME && flags > PFM_DFL_SMPL_IIP_HDR)
		return PFM_READ_BAD(&r->problem, 0, pfm_default_smpl_hdr_t,
				    hdr_buf_flags);
	if (r->cur_offs < sizeof(*hdr) || r->cur_offs > buf_size)
		return PFM_READ_BAD(&r->problem, 0, pfm_default_smpl_hdr_t,
				    hdr_cur_offs);
	if (pfm_read_default_flags(r, flags))
		return PFM_READ_BAD(&r->problem, 0, pfm_default_smpl_hdr_t,
				    hdr_buf_flags);
	return pfm_read_default_time(r, hdr, flags);
}

/**
 * pfm_read_default_begin() - start to read a buffer from its first entry
 * @r:     the reader
 * @buf:   first byte of the buffer, aligned to 8
 * @size:  bytes that are present; bytes after the last entry may be missing
 * @flags: PFM_READ_LIVE or 0
 *
 * Entries of a live buffer are stable until PFM_RESTART (3.6.3).
 *
 * Context: any; one thread at a time for a reader.
 * Return: 0; -1 on error; see @problem of the reader.
 */
static inline int pfm_read_default_begin(struct pfm_read_default *r,
					 const void *buf, size_t size,
					 unsigned int flags)
{
	r->is_done = 1;
	if (pfm_read_check(&r->problem, buf, size,
			   sizeof(pfm_default_smpl_hdr_t)) ||
	    pfm_read_default_header(r, buf))
		return -1;
	r->buf = (const unsigned char *)buf;
	r->size = size;
	r->cur = sizeof(pfm_default_smpl_hdr_t);
	r->end = r->cur_offs < size ? r->cur_offs : size;
	r->found = 0;
	r->is_live = (flags & PFM_READ_LIVE) != 0;
	r->is_done = 0;
	return 0;
}

/* At the end, check that the entries match the header. */
static inline int pfm_read_default_end(struct pfm_read_default *r)
{
	int is_short = r->found < r->count;

	r->is_done = 1;
	if (is_short && r->entries.error == PFM_READ_UNKNOWN)
		return pfm_read_fail(&r->problem, PFM_READ_UNKNOWN, r->cur,
				     "a PMD that does not sample");
	if (is_short && r->size < r->cur_offs)
		return pfm_read_fail(&r->problem, PFM_READ_TRUNCATED, r->size,
				     "hdr_cur_offs");
	if (is_short || (!r->is_live && r->cur != r->cur_offs))
		return pfm_read_fail(&r->problem, PFM_READ_COUNT, r->cur,
				     "hdr_count");
	return 0;
}

/**
 * pfm_read_default_next() - read the next entry
 * @r: the reader
 *
 * Context: as pfm_read_default_begin().
 * Return: 1, with @entry of the reader; 0 at the end; -1, once, if the entries
 * do not end where the header says, see @problem of the reader.
 */
static inline int pfm_read_default_next(struct pfm_read_default *r)
{
	__u32 size;

	if (r->is_done)
		return 0;
	if (r->found < r->count) {
		size = pfm_read_entry_at(&r->entries, r->buf + r->cur,
					 r->end - r->cur, &r->entry);
		if (size) {
			if (r->time.time_mult)
				r->entry.head.tstamp = pfm_time_ns(
					&r->time, r->entry.head.tstamp);
			r->cur += size;
			r->found++;
			return 1;
		}
	}
	return pfm_read_default_end(r);
}

#endif /* PERFMON_READ_DEFAULT_H */
