/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Counting by key in the handler (perfmon_hist.h)
 *
 * The private area that fmt_getpriv requests holds a hash table of counts. The
 * buffer, a sink, shows each key as a record. The table has a fixed size and a
 * search is bounded, so that the cost of a sample does not grow over time::
 *
 *	pfm_hist_add(buf, arg, (u64)data->tgid << 32, data->ip);
 *	return 0;
 *
 * DEFINE_PFM_HIST() and PFM_HIST_CALLS define the format's other call-backs.
 */
#ifndef PERFMON_PERFMON_FMT_HIST_H
#define PERFMON_PERFMON_FMT_HIST_H

#include <linux/bitops.h>
#include <linux/log2.h>
#include <perfmon/perfmon_fmt_sink.h>
#include <perfmon/perfmon_hist.h>

/* Slots that are searched for a key; the table has two slots per record. */
#define PFM_HIST_PROBES		8

/**
 * struct pfm_hist_slot - a slot of the table
 * @key:   the key
 * @count: number of samples with this key; 0 if the slot is free
 * @offs:  offset in bytes of its record from the start of the buffer
 */
struct pfm_hist_slot {
	u64	key[2];
	u64	count;
	u64	offs;
};

/**
 * struct pfm_hist - parameters of the hash table, in pfm_sink_priv()
 * @mask:  number of slots, a power of two, minus one
 * @shift: right shift that reduces a hash to a slot number
 */
struct pfm_hist {
	u64	mask;
	u32	shift;
};

/* Return: number of slots of the table for @arg, which is validated. */
static inline u64 pfm_hist_places(const pfm_sink_arg_t *arg)
{
	u64 room = arg->buf_size - PFM_SINK_REGION_OFFS(1);

	return roundup_pow_of_two(2 * div_u64(room, sizeof(pfm_hist_record_t)));
}

/**
 * pfm_hist_validate() - validate the histogram's part of the argument
 * @arg: the format's argument
 *
 * Context: process.
 * Return: 0; -EINVAL if a field is out of range or no record would fit.
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
 * pfm_hist_init() - initialise the histogram's part of the buffer
 * @buf:     first byte of the buffer
 * @arg:     the format's argument, validated
 * @version: version of the keys, for hdr_fmt_version
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

/* Return: first slot for a key. A product mixes its upper bits best. */
static __always_inline u64 pfm_hist_hash(const struct pfm_hist *h, u64 key0,
					 u64 key1)
{
	const u64 odd = 0x9e3779b97f4a7c15ULL;	/* 2^64 / golden ratio */

	return (((key0 * odd) ^ key1) * odd) >> h->shift;
}

/* Add a new key in the free @slot; count it as lost if the buffer is full. */
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

/* Count a sample of the known key in @slot. */
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
 * @arg:  as passed to fmt_handler; ovfl_ctrl is set to reset and continue
 * @key0: first half of the key
 * @key1: second half; put an address here
 *
 * Searches at most PFM_HIST_PROBES slots. If none of them is free, or there is
 * no room for the record of a new key, the sample is counted as lost.
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
 * DEFINE_PFM_HIST() - define fmt_validate and fmt_init of a histogram format
 * @name:    prefix of the functions, name_validate() and name_init()
 * @version: version of the keys
 *
 * For a format whose argument is a pfm_sink_arg_t. A format with additional
 * fields defines both itself with pfm_hist_validate() and pfm_hist_init().
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

/* All fields of a pfm_buffer_fmt_t except name, UUID and handler. */
#define PFM_HIST_CALLS(name)						\
	PFM_SINK_CALLS(name),						\
	.fmt_getpriv	= pfm_hist_getpriv

#endif /* PERFMON_PERFMON_FMT_HIST_H */
