/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfmon_fmt_hist.h - counting by key in the handler (perfmon_hist.h)
 *
 * The table that counts is in the private area that fmt_getpriv asks for, and
 * is shown, key by key, as the records of a sink. Its size is fixed and a
 * search bounded, so that a sample costs the same in the first second and in
 * the last:
 *
 *	pfm_hist_add(buf, arg, (u64)data->tgid << 32, data->ip);
 *	return 0;
 *
 * DEFINE_PFM_HIST() and PFM_HIST_CALLS are the format's other call-backs.
 */
#ifndef PERFMON_PERFMON_FMT_HIST_H
#define PERFMON_PERFMON_FMT_HIST_H

#include <linux/bitops.h>
#include <linux/log2.h>
#include <perfmon/perfmon_fmt_sink.h>
#include <perfmon/perfmon_hist.h>

/* Places where a key can be; twice as many as there are records for. */
#define PFM_HIST_PROBES		8

/**
 * struct pfm_hist_slot - a place in the table
 * @key:   the key
 * @count: samples that had it; 0 if the place is free
 * @offs:  offset in bytes of its record from the start of the buffer
 */
struct pfm_hist_slot {
	u64	key[2];
	u64	count;
	u64	offs;
};

/**
 * struct pfm_hist - what the search relies on, in pfm_sink_priv()
 * @mask:  places, a power of two, less one
 * @shift: what leaves the bits of a hash that count
 */
struct pfm_hist {
	u64	mask;
	u32	shift;
};

/* Places of the table behind @arg, validated. */
static inline u64 pfm_hist_places(const pfm_sink_arg_t *arg)
{
	u64 room = arg->buf_size - PFM_SINK_REGION_OFFS(1);

	return roundup_pow_of_two(2 * div_u64(room, sizeof(pfm_hist_record_t)));
}

/**
 * pfm_hist_validate() - the part of fmt_validate that is the histogram's
 * @arg: the format's argument
 *
 * Context: process.
 * Return: 0; -EINVAL if a field is out of range, or no record would fit.
 */
static inline int pfm_hist_validate(const pfm_sink_arg_t *arg)
{
	/* Far above any limit; sums and the table's size cannot overflow. */
	if (arg->num_regions > 1 || arg->buf_size > SIZE_MAX / 64)
		return -EINVAL;
	return pfm_sink_validate(arg, sizeof(pfm_hist_record_t));
}

/**
 * pfm_hist_getpriv() - fmt_getpriv of a histogram
 * @ctx_flags: as passed to fmt_getpriv
 * @arg:       as passed to fmt_getpriv, begins with a pfm_sink_arg_t
 * @size:      as passed to fmt_getpriv
 *
 * Context: process.
 * Return: 0.
 */
static inline int pfm_hist_getpriv(u32 ctx_flags, void *arg, size_t *size)
{
	*size = pfm_hist_places(arg) * sizeof(struct pfm_hist_slot);
	return 0;
}

/**
 * pfm_hist_init() - the part of fmt_init that is the histogram's
 * @buf:     first byte of the buffer
 * @arg:     the format's argument, validated
 * @version: of the keys, for hdr_fmt_version
 *
 * Context: process.
 * Return: 0; -EINVAL as pfm_hist_validate().
 */
static inline int pfm_hist_init(void *buf, const pfm_sink_arg_t *arg,
				u32 version)
{
	struct pfm_hist *h = pfm_sink_priv(buf);
	u64 places = pfm_hist_places(arg);

	h->mask = places - 1;
	h->shift = 64 - ilog2(places);
	return pfm_sink_init(buf, arg, sizeof(pfm_hist_record_t), version);
}

/* The first place to look for a key; the upper bits of a product are mixed. */
static __always_inline u64 pfm_hist_hash(const struct pfm_hist *h, u64 key0,
					 u64 key1)
{
	const u64 odd = 0x9e3779b97f4a7c15ULL;	/* 2^64 by the golden ratio */

	return (((key0 * odd) ^ key1) * odd) >> h->shift;
}

/* A key that is new, at @slot, which is free; it may be the last that fits. */
static __always_inline void pfm_hist_new(void *buf, struct pfm_hist_slot *slot,
					 u64 key0, u64 key1)
{
	struct pfm_sink *s = pfm_fmt_priv(buf);
	u64 offs = s->regions.records.cur;

	if (pfm_records_full(&s->regions.records)) {
		pfm_sink_lose(buf, PFM_SINK_LOST_TABLE);
		return;
	}
	*slot = (struct pfm_hist_slot) {
		.key = { key0, key1 },
		.count = 1,
		.offs = offs,
	};
	*(pfm_hist_record_t *)(buf + offs) = (pfm_hist_record_t) {
		.key = { key0, key1 },
		.count = 1,
	};
	pfm_sink_publish(s, buf, sizeof(pfm_hist_record_t));
}

/* A key that is known, at @slot. */
static __always_inline void pfm_hist_count(void *buf,
					   struct pfm_hist_slot *slot)
{
	pfm_hist_record_t *record = buf + slot->offs;
	struct pfm_sink *s = pfm_fmt_priv(buf);
	pfm_sink_hdr_t *hdr = buf;

	pfm_count(&record->count, &slot->count, 1);
	pfm_count(&hdr->hdr_past, &s->past, 1);
}

/**
 * pfm_hist_add() - count a sample
 * @buf:  as passed to fmt_handler
 * @arg:  as passed to fmt_handler; its ovfl_ctrl is set: reset and go on
 * @key0: first half of the key
 * @key1: second half; an address is best here
 *
 * Looks at no more than PFM_HIST_PROBES places. A key that finds none of them
 * free, or no room for its record, is lost and counted as such.
 *
 * Context: fmt_handler.
 */
static __always_inline void pfm_hist_add(void *buf, pfm_ovfl_arg_t *arg,
					 u64 key0, u64 key1)
{
	const struct pfm_hist *h = pfm_sink_priv(buf);
	struct pfm_hist_slot *slots = pfm_fmt_area(buf), *slot;
	u64 at = pfm_hist_hash(h, key0, key1);
	u64 end = at + PFM_HIST_PROBES;

	pfm_ctrl_continue(arg);
	for (; at < end; at++) {
		slot = &slots[at & h->mask];
		if (!slot->count) {
			pfm_hist_new(buf, slot, key0, key1);
			return;
		}
		if (slot->key[1] == key1 && slot->key[0] == key0) {
			pfm_hist_count(buf, slot);
			return;
		}
	}
	pfm_sink_lose(buf, PFM_SINK_LOST_TABLE);
}

/**
 * DEFINE_PFM_HIST() - fmt_validate and fmt_init of a format that counts by key
 * @name:    prefix of the functions, name_validate() and name_init()
 * @version: of the keys
 *
 * For a format whose argument is a pfm_sink_arg_t. One with more in it writes
 * these two itself, by pfm_hist_validate() and pfm_hist_init().
 */
#define DEFINE_PFM_HIST(name, version)					\
	static int name##_validate(u32 ctx_flags, u16 num_pmds, void *arg) \
	{								\
		return pfm_hist_validate(arg);				\
	}								\
									\
	static int name##_init(u32 ctx_flags, void *arg, void *buf)	\
	{								\
		return pfm_hist_init(buf, arg, version);		\
	}

/* In a pfm_buffer_fmt_t: all but its name, its UUID and the handler. */
#define PFM_HIST_CALLS(name)						\
	PFM_SINK_CALLS(name),						\
	.fmt_getpriv	= pfm_hist_getpriv

#endif /* PERFMON_PERFMON_FMT_HIST_H */
