/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Sinks (perfmon_sink.h) for format handlers
 *
 * A format defines the layout of its records and the size of the largest one.
 * The sink decides where a record goes, when to notify the tool and which
 * samples are lost::
 *
 *	struct mine_record *rec = pfm_sink_begin(buf, arg);
 *
 *	if (!rec)
 *		return -ENOBUFS;
 *	rec->ip = data->ip;
 *	pfm_sink_end(buf, arg, sizeof(*rec));
 *	return 0;
 *
 * DEFINE_PFM_SINK() and PFM_SINK_CALLS define the format's other call-backs.
 * The sink uses the first PFM_SINK_PRIV_SIZE bytes of the private area. The
 * rest belongs to the format, see pfm_sink_priv().
 */
#ifndef PERFMON_PERFMON_FMT_SINK_H
#define PERFMON_PERFMON_FMT_SINK_H

#include <linux/align.h>
#include <perfmon/perfmon_fmt_sdk.h>
#include <perfmon/perfmon_sink.h>

/**
 * struct pfm_sink - private state of the sink, never mapped
 * @regions:     the regions, and the records of the current one
 * @seq:         rgn_seq of the current region
 * @fills:       number of regions that became full
 * @past:        private copy of hdr_past
 * @overwritten: private copy of hdr_overwritten
 * @lost:        private copy of hdr_lost
 * @skipped:     private copy of more_skipped
 * @overwrite:   whether PFM_SINK_OVERWRITE is set
 * @counts:      number of records of each full region
 */
struct pfm_sink {
	struct pfm_regions	regions;
	u64			seq;
	u64			fills;
	u64			past;
	u64			overwritten;
	u64			lost[PFM_SINK_NUM_LOST];
	u64			skipped;
	bool			overwrite;
	u64			counts[PFM_SINK_MAX_REGIONS];
};

#define PFM_SINK_PRIV_SIZE	1024

static_assert(sizeof(struct pfm_sink) <= PFM_SINK_PRIV_SIZE);

/**
 * pfm_sink_priv() - get the format's part of the private area
 * @buf: first byte of the buffer
 *
 * Context: any.
 * Return: PFM_FMT_PRIV_SIZE - PFM_SINK_PRIV_SIZE bytes, aligned to 64.
 */
static inline void *pfm_sink_priv(void *buf)
{
	return pfm_fmt_priv(buf) + PFM_SINK_PRIV_SIZE;
}

/**
 * pfm_sink_rgn() - get the header of a region
 * @buf: first byte of the buffer
 * @n:   the region
 *
 * Context: any.
 * Return: the header. User space can map it, so do not rely on its content.
 */
static inline pfm_sink_rgn_t *pfm_sink_rgn(void *buf, u32 n)
{
	return (pfm_sink_rgn_t *)(buf + sizeof(pfm_sink_hdr_t)) + n;
}

/* Split the buffer into regions, for records of at most @max bytes. */
static inline int pfm_sink_split(struct pfm_regions *r,
				 const pfm_sink_arg_t *arg, u64 max)
{
	u32 num = arg->num_regions ?: 1;

	if (arg->flags & ~PFM_SINK_ALL || num > PFM_SINK_MAX_REGIONS ||
	    (arg->flags & PFM_SINK_OVERWRITE && num < 2))
		return -EINVAL;
	return pfm_regions_init(r, PFM_SINK_REGION_OFFS(num), arg->buf_size,
				num, ALIGN(max, sizeof(u64)));
}

/**
 * pfm_sink_validate() - validate the sink's part of the argument
 * @arg: the format's argument
 * @max: size in bytes of the largest record
 *
 * Context: process.
 * Return: 0; -EINVAL if a field is out of range or a record would not fit.
 */
static inline int pfm_sink_validate(const pfm_sink_arg_t *arg, u64 max)
{
	struct pfm_regions r;

	return pfm_sink_split(&r, arg, max);
}

/*
 * Begin to fill region @n. Inlined although rare, so that callers need not save
 * registers.
 */
static __always_inline void pfm_sink_enter(struct pfm_sink *s, void *buf, u32 n)
{
	pfm_sink_rgn_t *rgn = pfm_sink_rgn(buf, n);
	pfm_sink_hdr_t *hdr = buf;

	pfm_regions_enter(&s->regions, n);
	WRITE_ONCE(rgn->rgn_count, 0);
	WRITE_ONCE(rgn->rgn_used, 0);
	WRITE_ONCE(hdr->hdr_cur_region, n);
	/* A reader that sees FILLING does not see the old count. */
	smp_store_release(&rgn->rgn_state, PFM_SINK_RGN_FILLING);
	/* A reader that sees the new rgn_seq sees no old count or state. */
	smp_store_release(&rgn->rgn_seq, ++s->seq);
	/* A reader that sees a new record sees the new rgn_seq. */
	smp_wmb();
}

/**
 * pfm_sink_init() - initialise the sink's part of the buffer
 * @buf:     first byte of the buffer
 * @arg:     the format's argument, validated
 * @max:     size in bytes of the largest record
 * @version: version of the records, for hdr_fmt_version
 *
 * Context: process.
 * Return: 0; -EINVAL as pfm_sink_validate().
 */
static inline int pfm_sink_init(void *buf, const pfm_sink_arg_t *arg, u64 max,
				u32 version)
{
	struct pfm_sink *s = pfm_fmt_priv(buf);
	pfm_sink_hdr_t *hdr = buf;

	if (pfm_sink_split(&s->regions, arg, max))
		return -EINVAL;
	s->overwrite = arg->flags & PFM_SINK_OVERWRITE;
	*hdr = (pfm_sink_hdr_t) {
		.hdr_magic = PFM_SINK_MAGIC,
		.hdr_version = PFM_SINK_VERSION,
		.hdr_fmt_version = version,
		.hdr_buf_size = arg->buf_size,
		.hdr_region_offs = s->regions.offs,
		.hdr_region_size = s->regions.size,
		.hdr_max_record = s->regions.max,
		.hdr_num_regions = s->regions.num,
		.hdr_flags = arg->flags,
		.hdr_more_offs = PFM_SINK_MORE_OFFS(s->regions.num),
	};
	pfm_sink_enter(s, buf, 0);
	return 0;
}

/**
 * pfm_sink_lose() - count a sample as lost
 * @buf:    first byte of the buffer
 * @reason: PFM_SINK_LOST_TABLE, _REGS, or _OTHER; the sink itself counts _FULL
 *
 * This does not set ovfl_ctrl: call it after pfm_sink_begin(), or call
 * pfm_ctrl_continue(), too.
 *
 * Context: fmt_handler, which then returns 0.
 */
static __always_inline void pfm_sink_lose(void *buf, unsigned int reason)
{
	struct pfm_sink *s = pfm_fmt_priv(buf);
	pfm_sink_hdr_t *hdr = buf;

	pfm_count(&hdr->hdr_lost[reason], &s->lost[reason], 1);
}

/* Get the counts behind the headers of the regions; write to them only. */
static __always_inline pfm_sink_more_t *pfm_sink_more(void *buf)
{
	const struct pfm_sink *s = pfm_fmt_priv(buf);

	return buf + PFM_SINK_MORE_OFFS(s->regions.num);
}

/**
 * pfm_sink_skip() - count a sample that the handler chooses not to record
 * @buf: as passed to fmt_handler
 * @arg: as passed to fmt_handler; out: ovfl_ctrl, so that the PMD is reset and
 *       monitoring continues
 *
 * This is for filters. A skipped sample does not count as lost. After
 * pfm_sink_begin(), this also abandons the record::
 *
 *	if (latency < priv->min)
 *		return pfm_sink_skip(buf, arg);
 *
 * Context: fmt_handler.
 * Return: 0, which the handler returns.
 */
static __always_inline int pfm_sink_skip(void *buf, pfm_ovfl_arg_t *arg)
{
	struct pfm_sink *s = pfm_fmt_priv(buf);

	pfm_ctrl_continue(arg);
	pfm_count(&pfm_sink_more(buf)->more_skipped, &s->skipped, 1);
	return 0;
}

/* Overwrite the region after the current one. */
static __always_inline void pfm_sink_overwrite(struct pfm_sink *s, void *buf)
{
	u32 next = pfm_regions_next(&s->regions);
	pfm_sink_hdr_t *hdr = buf;

	pfm_count(&hdr->hdr_overwritten, &s->overwritten, s->counts[next]);
	s->counts[next] = 0;
	pfm_sink_enter(s, buf, next);
}

/* Hand out the current region, which is full, or overwrite the next one. */
static __always_inline void pfm_sink_fill(struct pfm_sink *s, void *buf,
					  pfm_ovfl_arg_t *arg)
{
	u32 cur = s->regions.cur;
	pfm_sink_hdr_t *hdr = buf;

	s->counts[cur] = s->regions.records.count;
	/* Publish the records before the state... */
	smp_store_release(&pfm_sink_rgn(buf, cur)->rgn_state,
			  PFM_SINK_RGN_READY);
	/* ...and the state before the number of full regions. */
	smp_store_release(&hdr->hdr_fills, ++s->fills);
	if (s->overwrite) {
		pfm_sink_overwrite(s, buf);
		return;
	}
	if (pfm_regions_have_free(&s->regions)) {
		s->regions.handed_out++;
		pfm_sink_enter(s, buf, pfm_regions_next(&s->regions));
		pfm_ctrl_notify(arg);
	} else {
		s->regions.handed_out++;
		pfm_ctrl_full(arg);
	}
}

/**
 * pfm_sink_publish() - publish the record that was just written
 * @s:    the sink
 * @buf:  first byte of the buffer
 * @size: size in bytes of the record, at most the maximum that was passed to
 *        pfm_sink_init()
 *
 * This is pfm_sink_end() without the notification of the tool.
 *
 * Context: fmt_handler.
 * Return: true if the region is full now.
 */
static __always_inline bool pfm_sink_publish(struct pfm_sink *s, void *buf,
					     u64 size)
{
	struct pfm_records *records = &s->regions.records;
	pfm_sink_rgn_t *rgn = pfm_sink_rgn(buf, s->regions.cur);
	/* Use locals: the compiler must assume that the buffer aliases @s. */
	u64 cur = records->cur + ALIGN(size, sizeof(u64));
	u64 count = records->count + 1;

	records->cur = cur;
	records->count = count;
	WRITE_ONCE(rgn->rgn_used, cur - records->start);
	/*
	 * Publish the record with its count; pairs with the reader's acquire.
	 */
	smp_store_release(&rgn->rgn_count, count);
	return cur > records->limit;
}

/**
 * pfm_sink_begin() - begin a record
 * @buf: as passed to fmt_handler
 * @arg: as passed to fmt_handler
 *
 * If pfm_sink_end() is not called, the next record replaces this one.
 *
 * Context: fmt_handler.
 * Return: space for the largest record, aligned to 8, with undefined content;
 * NULL if the buffer is full. In this case the sample is counted as lost,
 * monitoring is masked, and the handler must return -ENOBUFS.
 */
static __always_inline void *pfm_sink_begin(void *buf, pfm_ovfl_arg_t *arg)
{
	struct pfm_sink *s = pfm_fmt_priv(buf);

	if (unlikely(pfm_records_full(&s->regions.records))) {
		pfm_sink_lose(buf, PFM_SINK_LOST_FULL);
		pfm_ctrl_full(arg);
		return NULL;
	}
	pfm_ctrl_continue(arg);
	return buf + s->regions.records.cur;
}

/**
 * pfm_sink_end() - publish the record that was begun
 * @buf:  as passed to fmt_handler
 * @arg:  as passed to fmt_handler; out: ovfl_ctrl. Normally the PMD is reset
 *        and monitoring continues. If the region is now full, the tool is
 *        notified as well; if no other region is free, monitoring is masked.
 *        With PFM_SINK_OVERWRITE a full region causes neither.
 *        For more actions, add bits after this call:
 *        ``arg->ovfl_ctrl.val |= PFM_OVFL_CTRL_NOTIFY``
 * @size: size in bytes of the record, at most the maximum that was passed to
 *        pfm_sink_init()
 *
 * Context: fmt_handler.
 */
static __always_inline void pfm_sink_end(void *buf, pfm_ovfl_arg_t *arg,
					 u64 size)
{
	struct pfm_sink *s = pfm_fmt_priv(buf);

	if (unlikely(pfm_sink_publish(s, buf, size)))
		pfm_sink_fill(s, buf, arg);
}

/* Empty region @n, whose records were read or are to be discarded. */
static inline void pfm_sink_forget(struct pfm_sink *s, void *buf, u32 n)
{
	pfm_sink_hdr_t *hdr = buf;

	pfm_count(&hdr->hdr_past, &s->past, s->counts[n]);
	s->counts[n] = 0;
	WRITE_ONCE(pfm_sink_rgn(buf, n)->rgn_count, 0);
	WRITE_ONCE(pfm_sink_rgn(buf, n)->rgn_state, PFM_SINK_RGN_FREE);
	/* A reader that still sees the old rgn_seq has copied valid records. */
	smp_store_release(&pfm_sink_rgn(buf, n)->rgn_seq, 0);
}

/*
 * Discard all records. With PFM_SINK_OVERWRITE, PFM_RESTART does this if
 * monitoring is masked.
 */
static inline void pfm_sink_rewind(struct pfm_sink *s, void *buf)
{
	u32 n;

	s->counts[s->regions.cur] = s->regions.records.count;
	for (n = 0; n < s->regions.num; n++)
		pfm_sink_forget(s, buf, n);
	pfm_sink_enter(s, buf, 0);
}

/* Free the region that was handed out first. */
static inline void pfm_sink_free(struct pfm_sink *s, void *buf)
{
	struct pfm_regions *r = &s->regions;
	u64 out = pfm_regions_out(r);
	pfm_sink_hdr_t *hdr = buf;

	if (!out)
		return;
	pfm_sink_forget(s, buf, pfm_regions_free(r));
	/* A reader that sees hdr_freed sees the state of the freed region. */
	smp_store_release(&hdr->hdr_freed, r->freed);
	if (out == r->num)
		pfm_sink_enter(s, buf, pfm_regions_next(r));
}

/**
 * pfm_sink_restart() - handle PFM_RESTART for a format with a sink
 * @buf:       as passed to fmt_restart
 * @is_active: as passed to fmt_restart
 * @ctrl:      as passed to fmt_restart
 *
 * Frees the region that was handed out first; other regions keep their records.
 * With PFM_SINK_OVERWRITE, instead empties the whole buffer if monitoring is
 * masked, and otherwise leaves it unchanged.
 * Context: fmt_restart.
 * Return: 0.
 */
static inline int pfm_sink_restart(void *buf, int is_active,
				   pfm_ovfl_ctrl_t *ctrl)
{
	struct pfm_sink *s = pfm_fmt_priv(buf);

	if (!s->overwrite)
		pfm_sink_free(s, buf);
	else if (!is_active)
		pfm_sink_rewind(s, buf);
	pfm_restart_resume(is_active, ctrl);
	return 0;
}

/**
 * DEFINE_PFM_SINK() - define fmt_validate and fmt_init of a format with a sink
 * @name:    prefix of the functions, name_validate() and name_init()
 * @fixed:   size in bytes of the largest record without PMD values
 * @per_pmd: size in bytes of each PMD value; the largest record has one value
 *           for each PMD of the PMU. 0 for records without PMD values
 * @version: version of the records
 *
 * This is for a format whose argument is a pfm_sink_arg_t. If the argument has
 * more fields, use DEFINE_PFM_SINK_ARG(). A format that checks its argument or
 * initialises state defines both functions itself, and calls
 * pfm_sink_validate() and pfm_sink_init() there.
 */
#define DEFINE_PFM_SINK(name, fixed, per_pmd, version)			\
	static int name##_validate(u32 ctx_flags, u16 num_pmds, void *arg) \
	{								\
		return pfm_sink_validate(arg, (fixed) +			\
					 (u64)num_pmds * (per_pmd));	\
	}								\
									\
	static int name##_init(u32 ctx_flags, void *arg, void *buf)	\
	{								\
		return pfm_sink_init(buf, arg, (fixed) +		\
				     (u64)pfm_num_pmds() * (per_pmd),	\
				     version);				\
	}

/**
 * DEFINE_PFM_SINK_ARG() - DEFINE_PFM_SINK() for an argument with more fields
 * @name:    prefix of the functions, also of name_arg()
 * @type:    type of the argument; its first member is a pfm_sink_arg_t sink
 * @fixed:   as for DEFINE_PFM_SINK()
 * @per_pmd: as for DEFINE_PFM_SINK()
 * @version: as for DEFINE_PFM_SINK()
 *
 * The handler gets the argument from name_arg(buf). This is a copy at the start
 * of pfm_sink_priv(), which is never mapped::
 *
 *	if (latency < mine_arg(buf)->min)
 *		return pfm_sink_skip(buf, arg);
 *
 * A format with PFM_ARG_LIVE() fields has ``.fmt_set_arg = name_set_arg``,
 * which replaces this copy.
 */
#define DEFINE_PFM_SINK_ARG(name, type, fixed, per_pmd, version)	\
	static_assert(offsetof(type, sink) == 0);			\
	static_assert(sizeof(type) <=					\
		      PFM_FMT_PRIV_SIZE - PFM_SINK_PRIV_SIZE);		\
									\
	static inline const type *name##_arg(void *buf)			\
	{								\
		return pfm_sink_priv(buf);				\
	}								\
									\
	static inline void name##_set_arg(void *buf, const void *arg)	\
	{								\
		*(type *)pfm_sink_priv(buf) = *(const type *)arg;	\
	}								\
									\
	DEFINE_PFM_SINK(name##_sink, fixed, per_pmd, version)		\
									\
	static int name##_validate(u32 ctx_flags, u16 num_pmds,		\
				   void *arg)				\
	{								\
		return name##_sink_validate(ctx_flags, num_pmds, arg);	\
	}								\
									\
	static int name##_init(u32 ctx_flags, void *arg, void *buf)	\
	{								\
		name##_set_arg(buf, arg);				\
		return name##_sink_init(ctx_flags, arg, buf);		\
	}

/*
 * Initialise the fields of a pfm_buffer_fmt_t that a format with a sink needs,
 * except name, UUID and handler.
 */
#define PFM_SINK_CALLS(name)						\
	PFM_SINK_CALLS_ARG(name, PFM_FMT_ARG(pfm_sink_arg_t,		\
					     PFM_SINK_ARG_LAYOUT))

/*
 * PFM_SINK_CALLS() for an argument with more fields after its pfm_sink_arg_t.
 * The second parameter is PFM_FMT_ARG() of the argument.
 */
#define PFM_SINK_CALLS_ARG(name, ...)					\
	__VA_ARGS__,							\
	.fmt_msgq_depth	= PFM_SINK_MAX_REGIONS,				\
	.fmt_validate	= name##_validate,				\
	.fmt_getsize	= pfm_getsize,					\
	.fmt_init	= name##_init,					\
	.fmt_restart	= pfm_sink_restart

#endif /* PERFMON_PERFMON_FMT_SINK_H */
