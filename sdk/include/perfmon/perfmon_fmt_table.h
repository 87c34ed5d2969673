/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: A table of counts, sums, minima and maxima by key
 *
 * The format defines its record, a structure that begins with a key, followed
 * by a payload. Samples with the same key are merged into one record, in the
 * way declared for each field of the payload. The buffer is a sink
 * (perfmon_sink.h) that holds the records. For example, latencies by cache
 * line::
 *
 *	typedef struct {
 *		__u64	line;
 *		__u64	count;
 *		__u64	sum;
 *		__u64	max;
 *	} lines_record_t;
 *
 *	DEFINE_PFM_TABLE(lines, lines_record_t, count, VERSION,
 *			 PFM_TABLE_COUNT(count), PFM_TABLE_SUM(sum),
 *			 PFM_TABLE_MAX(max))
 *
 * The handler makes a record of the sample and adds it to the table::
 *
 *	lines_record_t sample = {
 *		.line = address & ~63ULL, .sum = latency, .max = latency,
 *	};
 *
 *	return lines_add(buf, arg, &sample);
 *
 * PFM_TABLE_CALLS() sets the format's other call-backs.
 *
 * Each record has a copy in the private area that fmt_getpriv requests. The
 * handler merges samples into the copy and writes the result to the buffer,
 * which it never reads. Keys are compared completely, not only by their hashes.
 * The table has a fixed size and a search is bounded, so that the cost of a
 * sample does not grow over time.
 */
#ifndef PERFMON_PERFMON_FMT_TABLE_H
#define PERFMON_PERFMON_FMT_TABLE_H

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <perfmon/perfmon_fmt_sink.h>

/* Number of slots searched for a key. The table has two slots per record. */
#define PFM_TABLE_PROBES	8

/**
 * struct pfm_table - state of a table, in pfm_sink_priv()
 * @places:  number of slots at which a search can begin
 * @updates: private copy of more_updates
 */
struct pfm_table {
	u64	places;
	u64	updates;
};

/* Size of a struct pfm_table; the state of the format follows it. */
#define PFM_TABLE_PRIV_SIZE	64

/**
 * struct pfm_table_slot - a slot of a table, in pfm_fmt_area()
 * @offs:   offset in bytes of the record from the start of the buffer; 0 if the
 *          slot is free
 * @record: the record: key and payload
 */
struct pfm_table_slot {
	u64	offs;
	u64	record[];
};

/**
 * struct pfm_table_shape - constants of a table, for DEFINE_PFM_TABLE() only
 * @key:   size in bytes of the key
 * @size:  size in bytes of a record
 * @steps: whether a sample changes more than one field, so that readers need
 *         more_updates
 * @merge: merges @sample into the record @mine, and writes the changed fields
 *         to @shown. If @is_new, the sample's key is new, and @mine is a copy
 *         of @sample
 */
struct pfm_table_shape {
	size_t	key;
	size_t	size;
	bool	steps;
	void	(*merge)(void *mine, void *shown, const void *sample,
			 bool is_new);
};

/**
 * pfm_table_priv() - get the format's part of the private area
 * @buf: first byte of the buffer
 *
 * Context: any.
 * Return: PFM_FMT_PRIV_SIZE - PFM_SINK_PRIV_SIZE - PFM_TABLE_PRIV_SIZE bytes,
 * aligned to 64.
 */
static inline void *pfm_table_priv(void *buf)
{
	return pfm_sink_priv(buf) + PFM_TABLE_PRIV_SIZE;
}

/* Return: number of slots at which a search can begin. @arg was validated. */
static inline u64 pfm_table_places(const pfm_sink_arg_t *arg, size_t size)
{
	return 2 * div_u64(arg->buf_size - PFM_SINK_REGION_OFFS(1), size);
}

/**
 * pfm_table_validate() - validate the table's part of the argument
 * @arg:  the format's argument
 * @size: size in bytes of a record
 *
 * Context: process.
 * Return: 0; -EINVAL if a field is out of range or no record would fit.
 */
static inline int pfm_table_validate(const pfm_sink_arg_t *arg, size_t size)
{
	/*
	 * Reject buffers so large that the calculation of the slots' size could
	 * overflow. Any limit on buffers would exclude them anyway.
	 */
	if (arg->num_regions > 1 || arg->buf_size > SIZE_MAX / 64)
		return -EINVAL;
	return pfm_sink_validate(arg, size);
}

/* Return: size in bytes of all slots of a table with @places. */
static inline size_t pfm_table_slots_size(u64 places, size_t size)
{
	/*
	 * Because of the extra slots, a search that begins at the last place
	 * need not wrap.
	 */
	return (places + PFM_TABLE_PROBES - 1) *
	       (sizeof(struct pfm_table_slot) + size);
}

/**
 * pfm_table_getpriv() - get the size of the slots
 * @arg:  the format's argument, validated
 * @size: size in bytes of a record
 *
 * Context: process.
 * Return: the size in bytes.
 */
static inline size_t pfm_table_getpriv(const pfm_sink_arg_t *arg, size_t size)
{
	return pfm_table_slots_size(pfm_table_places(arg, size), size);
}

/**
 * pfm_table_end() - get the part of pfm_fmt_area() after the slots
 * @buf:  first byte of the buffer, after pfm_table_init()
 * @size: size in bytes of a record
 *
 * Context: any.
 * Return: the first byte, aligned to 8.
 */
static inline void *pfm_table_end(void *buf, size_t size)
{
	const struct pfm_table *t = pfm_sink_priv(buf);

	return pfm_fmt_area(buf) + pfm_table_slots_size(t->places, size);
}

/**
 * pfm_table_init() - initialise the table's part of the buffer
 * @buf:     first byte of the buffer
 * @arg:     the format's argument, validated
 * @size:    size in bytes of a record
 * @version: version of the records, for hdr_fmt_version
 *
 * Context: process.
 * Return: 0; -EINVAL as pfm_table_validate().
 */
static inline int pfm_table_init(void *buf, const pfm_sink_arg_t *arg,
				 size_t size, u32 version)
{
	struct pfm_table *t = pfm_sink_priv(buf);

	t->places = pfm_table_places(arg, size);
	return pfm_sink_init(buf, arg, size, version);
}

/* Return: a hash value, whose upper bits are mixed best. */
static __always_inline u64 pfm_table_hash(const u64 *key, size_t words)
{
	const u64 odd = 0x9e3779b97f4a7c15ULL;	/* 2^64 / golden ratio */
	u64 hash = 0;
	size_t i;

#pragma GCC unroll 32
	for (i = 0; i < words; i++)
		hash = (ror64(hash, 32) ^ key[i]) * odd;
	return hash;
}

static __always_inline bool pfm_table_same(const u64 *a, const u64 *b,
					   size_t words)
{
	u64 differ = 0;
	size_t i;

#pragma GCC unroll 32
	for (i = 0; i < words; i++)
		differ |= a[i] ^ b[i];
	return !differ;
}

/* Copy by words, so that the compiler can keep a short sample in registers. */
static __always_inline void pfm_table_copy(u64 *to, const u64 *from,
					   size_t words)
{
	size_t i;

#pragma GCC unroll 8
	for (i = 0; i < words; i++)
		to[i] = from[i];
}

/* Merge a sample with a known key into the private and the mapped record. */
static __always_inline void
pfm_table_merge(void *buf, void *mine, void *shown, const void *sample,
		const struct pfm_table_shape *shape)
{
	pfm_sink_more_t *more = buf + PFM_SINK_MORE_OFFS(1);
	struct pfm_table *t = pfm_sink_priv(buf);
	struct pfm_sink *s = pfm_fmt_priv(buf);
	pfm_sink_hdr_t *hdr = buf;

	if (shape->steps) {
		pfm_count(&more->more_updates, &t->updates, 1);
		/* A reader that sees a change sees at least the odd number. */
		smp_wmb();
	}
	shape->merge(mine, shown, sample, false);
	if (shape->steps)
		/* A reader that sees the even number sees all changes. */
		smp_store_release(&more->more_updates, ++t->updates);
	pfm_count(&hdr->hdr_past, &s->past, 1);
}

/* Record a new key in the free @slot, or count the sample as lost. */
static __always_inline void
pfm_table_new(void *buf, struct pfm_table_slot *slot, const void *sample,
	      const struct pfm_table_shape *shape)
{
	const size_t words = shape->size / sizeof(u64);
	struct pfm_sink *s = pfm_fmt_priv(buf);

	if (pfm_records_full(&s->regions.records)) {
		pfm_sink_lose(buf, PFM_SINK_LOST_TABLE);
		return;
	}
	slot->offs = s->regions.records.cur;
	pfm_table_copy(slot->record, sample, words);
	shape->merge(slot->record, slot->record, sample, true);
	pfm_table_copy(buf + slot->offs, slot->record, words);
	pfm_sink_publish(s, buf, shape->size);
}

/* Implementation of name_add() of DEFINE_PFM_TABLE(). */
static __always_inline int pfm_table_add(void *buf, pfm_ovfl_arg_t *arg,
					 const void *sample,
					 const struct pfm_table_shape *shape)
{
	const size_t stride = sizeof(struct pfm_table_slot) + shape->size;
	const size_t words = shape->key / sizeof(u64);
	const struct pfm_table *t = pfm_sink_priv(buf);
	u64 hash = pfm_table_hash(sample, words);
	u64 place = mul_u64_u64_shr(hash, t->places, 64);
	struct pfm_table_slot *slot = pfm_fmt_area(buf) + place * stride;
	unsigned int i;

	pfm_ctrl_continue(arg);
	for (i = 0; i < PFM_TABLE_PROBES; i++) {
		if (!slot->offs) {
			pfm_table_new(buf, slot, sample, shape);
			return 0;
		}
		if (pfm_table_same(slot->record, sample, words)) {
			pfm_table_merge(buf, slot->record, buf + slot->offs,
					sample, shape);
			return 0;
		}
		slot = (void *)slot + stride;
	}
	pfm_sink_lose(buf, PFM_SINK_LOST_TABLE);
	return 0;
}

/* Set a field, or an array's element, of the private and the mapped record. */
#define PFM_TABLE_SET(field, value)					\
	WRITE_ONCE(shown->field, mine->field = (value))

/* Count the samples. The field's value in the sample is ignored. */
#define PFM_TABLE_COUNT(field) ({					\
	PFM_TABLE_SET(field, is_new ? 1 : mine->field + 1); })

/* Sum the samples' fields. */
#define PFM_TABLE_SUM(field) ({						\
	PFM_TABLE_SET(field, mine->field + (is_new ? 0 : sample->field)); })

/* Keep the smallest or the largest of the samples' fields. */
#define PFM_TABLE_MIN(field) ({						\
	PFM_TABLE_SET(field, min(mine->field, sample->field)); })
#define PFM_TABLE_MAX(field) ({						\
	PFM_TABLE_SET(field, max(mine->field, sample->field)); })

/* Keep the field of the first or the last sample. */
#define PFM_TABLE_FIRST(field)	((void)mine->field)
#define PFM_TABLE_LAST(field) ({					\
	PFM_TABLE_SET(field, sample->field); })

/*
 * Count the values of another field, @of, in a histogram. The field is an array
 * of counts. Element 0 counts zeros, and element i values of 2^(i - 1) to
 * 2^i - 1. The last element counts larger values, too. The sample's array is
 * ignored.
 */
#define PFM_TABLE_LOG2(field, of) ({					\
	unsigned int i = min_t(unsigned int, fls64(sample->of),		\
			       ARRAY_SIZE(mine->field) - 1);		\
									\
	if (is_new)							\
		memset(mine->field, 0, sizeof(mine->field));		\
	PFM_TABLE_SET(field[i], mine->field[i] + 1); })

/* Does merging a sample change more than one field? */
#define PFM_TABLE_STEPS(first, rest...)	(sizeof(#first #rest) > sizeof(#first))

/**
 * DEFINE_PFM_TABLE() - define a format's table
 * @name:    prefix of the functions
 * @type:    the record: key, then payload. Both may have any layout, but must
 *           be padded to multiples of 8 bytes and aligned to 8. All bytes of
 *           the key are compared, so padding must be a named field, which
 *           initialisers set to 0
 * @payload: first field of the payload
 * @version: version of the records
 * @...:     for each field of the payload, the way to merge samples: one of
 *           PFM_TABLE_COUNT(field), PFM_TABLE_SUM(field), PFM_TABLE_MIN(field),
 *           PFM_TABLE_MAX(field), PFM_TABLE_FIRST(field),
 *           PFM_TABLE_LAST(field), PFM_TABLE_LOG2(field, of)
 *
 * Defines ``int name_add(void *buf, pfm_ovfl_arg_t *arg, const type *sample)``.
 * The handler calls it to merge a sample, and returns its result, 0. name_add()
 * calls pfm_ctrl_continue(). A sample with a new key is lost if the buffer is
 * full, or if all PFM_TABLE_PROBES slots that are searched have other keys.
 *
 * Also defines name_table_validate(), name_table_getpriv() and
 * name_table_init() for PFM_TABLE_CALLS(), and name_table_end() for
 * DEFINE_PFM_TABLE_THREADS() (perfmon_fmt_threads.h).
 */
#define DEFINE_PFM_TABLE(name, type, payload, version, ...)		\
	static_assert(offsetof(type, payload) &&			\
		      offsetof(type, payload) % sizeof(u64) == 0 &&	\
		      sizeof(type) % sizeof(u64) == 0 &&		\
		      __alignof__(type) >= sizeof(u64),			\
		      "pad key and record to multiples of 8, align to 8"); \
									\
	static __always_inline void					\
	name##_table_merge(void *to, void *show, const void *from,	\
			   bool is_new)					\
	{								\
		const type __maybe_unused *sample = from;		\
		type __maybe_unused *mine = to, *shown = show;		\
									\
		__VA_ARGS__;						\
	}								\
									\
	static __always_inline int					\
	name##_add(void *buf, pfm_ovfl_arg_t *arg, const type *sample)	\
	{								\
		const struct pfm_table_shape shape = {			\
			.key = offsetof(type, payload),			\
			.size = sizeof(type),				\
			.steps = PFM_TABLE_STEPS(__VA_ARGS__),		\
			.merge = name##_table_merge,			\
		};							\
									\
		return pfm_table_add(buf, arg, sample, &shape);		\
	}								\
									\
	static int name##_table_validate(u32 ctx_flags, u16 num_pmds,	\
					 void *arg)			\
	{								\
		return pfm_table_validate(arg, sizeof(type));		\
	}								\
									\
	static int name##_table_getpriv(u32 ctx_flags, void *arg,	\
					size_t *size)			\
	{								\
		*size = pfm_table_getpriv(arg, sizeof(type));		\
		return 0;						\
	}								\
									\
	static inline void *name##_table_end(void *buf)			\
	{								\
		return pfm_table_end(buf, sizeof(type));		\
	}								\
									\
	static int name##_table_init(u32 ctx_flags, void *arg, void *buf) \
	{								\
		return pfm_table_init(buf, arg, sizeof(type), version);	\
	}

/**
 * DEFINE_PFM_TABLE_ARG() - DEFINE_PFM_TABLE() for an argument with more fields
 * @name:     prefix of the functions, also of name_arg() and name_init()
 * @arg_type: type of the argument; its first member is a pfm_sink_arg_t sink
 * @type:     as for DEFINE_PFM_TABLE()
 * @payload:  as for DEFINE_PFM_TABLE()
 * @version:  as for DEFINE_PFM_TABLE()
 * @...:      as for DEFINE_PFM_TABLE()
 *
 * The handler gets the argument from name_arg(buf). This is a copy at the start
 * of pfm_table_priv(), which is never mapped::
 *
 *	if (latency < mine_arg(buf)->min)
 *		return pfm_sink_skip(buf, arg);
 *
 * A format with PFM_ARG_LIVE() fields has ``.fmt_set_arg = name_set_arg``,
 * which replaces this copy.
 */
#define DEFINE_PFM_TABLE_ARG(name, arg_type, type, payload, version, ...) \
	static_assert(offsetof(arg_type, sink) == 0);			\
	static_assert(sizeof(arg_type) <= PFM_FMT_PRIV_SIZE -		\
		      PFM_SINK_PRIV_SIZE - PFM_TABLE_PRIV_SIZE);	\
									\
	static inline const arg_type *name##_arg(void *buf)		\
	{								\
		return pfm_table_priv(buf);				\
	}								\
									\
	static inline void name##_set_arg(void *buf, const void *arg)	\
	{								\
		*(arg_type *)pfm_table_priv(buf) = *(const arg_type *)arg; \
	}								\
									\
	DEFINE_PFM_TABLE(name, type, payload, version, __VA_ARGS__)	\
									\
	static int name##_init(u32 ctx_flags, void *arg, void *buf)	\
	{								\
		name##_set_arg(buf, arg);				\
		return name##_table_init(ctx_flags, arg, buf);		\
	}

/*
 * Initialise the fields of a pfm_buffer_fmt_t that a format with a table needs,
 * except name, UUID and handler.
 */
#define PFM_TABLE_CALLS(name)						\
	PFM_TABLE_CALLS_INIT(name, name##_table_init, name##_table_getpriv, \
			     PFM_FMT_ARG(pfm_sink_arg_t,		\
					 PFM_SINK_ARG_LAYOUT))

/*
 * PFM_TABLE_CALLS() for an argument with more fields after its pfm_sink_arg_t.
 * The second parameter is PFM_FMT_ARG() of the argument. DEFINE_PFM_TABLE_ARG()
 * defines name_init(). A format with additional state defines name_init()
 * itself, and calls name_table_init() there.
 */
#define PFM_TABLE_CALLS_ARG(name, ...)					\
	PFM_TABLE_CALLS_INIT(name, name##_init, name##_table_getpriv,	\
			     __VA_ARGS__)

/* PFM_TABLE_CALLS() for a format with DEFINE_PFM_TABLE_THREADS() */
#define PFM_TABLE_THREADS_CALLS(name)					\
	PFM_TABLE_CALLS_INIT(name, name##_table_init, name##_threads_getpriv, \
			     PFM_FMT_ARG(pfm_sink_arg_t,		\
					 PFM_SINK_ARG_LAYOUT))

#define PFM_TABLE_THREADS_CALLS_ARG(name, ...)				\
	PFM_TABLE_CALLS_INIT(name, name##_init, name##_threads_getpriv,	\
			     __VA_ARGS__)

/* For PFM_TABLE_CALLS() and its variants only. */
#define PFM_TABLE_CALLS_INIT(name, init, getpriv, ...)			\
	__VA_ARGS__,							\
	.fmt_validate	= name##_table_validate,			\
	.fmt_getsize	= pfm_getsize,					\
	.fmt_getpriv	= getpriv,					\
	.fmt_init	= init,						\
	.fmt_restart	= pfm_sink_restart

#endif /* PERFMON_PERFMON_FMT_TABLE_H */
