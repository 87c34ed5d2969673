/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Helpers for short sampling formats
 *
 * The helpers compare UUIDs, find the private area (which user space cannot
 * reach), allocate records within the bounds of the buffer, manage a ring of
 * regions, handle restarts, and define the module. All of them are inline, so a
 * format that uses only this header imports only the registration functions
 * from the core. perfmon_fmt_sink.h adds a complete buffer with a common
 * header, perfmon_fmt_entry.h writes entries in the default format's layout,
 * and perfmon_fmt_callers.h collects call chains.
 */
#ifndef PERFMON_PERFMON_FMT_SDK_H
#define PERFMON_PERFMON_FMT_SDK_H

#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <perfmon/perfmon_fmt.h>

/**
 * pfm_uuid_equal() - compare two UUIDs
 * @a: a UUID
 * @b: another
 *
 * Context: any.
 * Return: true if they are the same.
 */
static inline bool pfm_uuid_equal(const pfm_uuid_t a, const pfm_uuid_t b)
{
	return !memcmp(a, b, sizeof(pfm_uuid_t));
}

/**
 * pfm_uuid_is_null() - test whether a UUID is all zero
 * @uuid: the UUID
 *
 * Context: any.
 * Return: true if all bytes are 0.
 */
static inline bool pfm_uuid_is_null(const pfm_uuid_t uuid)
{
	return !memchr_inv(uuid, 0, sizeof(pfm_uuid_t));
}

/*
 * Size of the private area in front of every buffer. The area is zeroed with
 * the buffer, has the same lifetime and is never mapped. Offsets and counts
 * that a handler relies on belong here, never in the mapped header. For more
 * private memory use fmt_getpriv and pfm_fmt_area().
 */
#define PFM_FMT_PRIV_SIZE	4032

/*
 * struct pfm_fmt_front - memory in front of a buffer
 * @priv: private area of the format
 * @area: the private area that fmt_getpriv requested, or NULL; written only by
 *        the core
 * @raw:  conversion of raw time stamps that pfm_raw_time() returned
 */
struct pfm_fmt_front {
	u8	priv[PFM_FMT_PRIV_SIZE];
	void	*area;
	pfm_time_conv_t raw;
} __aligned(64);

/**
 * pfm_fmt_front() - get the memory in front of a buffer
 * @buf: first byte of the buffer
 *
 * Context: any.
 * Return: the structure that ends where the buffer begins.
 */
static inline struct pfm_fmt_front *pfm_fmt_front(void *buf)
{
	return buf - sizeof(struct pfm_fmt_front);
}

/**
 * pfm_fmt_priv() - get the private area of a buffer
 * @buf: first byte of the buffer
 *
 * Context: any.
 * Return: PFM_FMT_PRIV_SIZE bytes, aligned to 64.
 */
static inline void *pfm_fmt_priv(void *buf)
{
	return pfm_fmt_front(buf)->priv;
}

/**
 * pfm_fmt_area() - get the private area that fmt_getpriv requested
 * @buf: first byte of the buffer
 *
 * The area is zeroed with the buffer, has the same lifetime and is never mapped
 * to user space. No memory is mapped after its last page, so that an access
 * beyond the area faults.
 *
 * Context: any.
 * Return: the area, page aligned, of the size that fmt_getpriv requested; NULL
 * if none.
 */
static inline void *pfm_fmt_area(void *buf)
{
	return pfm_fmt_front(buf)->area;
}

/**
 * struct pfm_records - records of variable size, one after another in a buffer
 * @cur:   offset of the next record from the start of the buffer
 * @count: number of records since the last reset
 * @limit: last offset at which the largest record still fits; beyond it the
 *         buffer counts as full (checked after each record is written:
 *         specification 3.6.5)
 * @start: offset of the first record
 *
 * Keep this structure in the private area. All offsets are in bytes.
 */
struct pfm_records {
	u64	cur;
	u64	count;
	u64	limit;
	u64	start;
};

/**
 * pfm_records_init() - set up an empty record area
 * @r:     the area
 * @start: offset of the first record
 * @size:  size of the buffer
 * @max:   size of the largest record
 *
 * Context: any.
 * Return: 0; -EINVAL if not even one record of size @max fits.
 */
static inline int pfm_records_init(struct pfm_records *r, u64 start, u64 size,
				   u64 max)
{
	if (!max || start > size || max > size - start)
		return -EINVAL;
	r->cur = start;
	r->start = start;
	r->limit = size - max;
	r->count = 0;
	return 0;
}

/**
 * pfm_records_full() - test whether a record area is full
 * @r: the area
 *
 * Context: any.
 * Return: true if another record of the largest size does not fit.
 */
static inline bool pfm_records_full(const struct pfm_records *r)
{
	return r->cur > r->limit;
}

/**
 * pfm_records_add() - allocate a record
 * @r:    the area, which must not be full: see pfm_records_full()
 * @buf:  first byte of the buffer
 * @size: size of the record, at most the max given to pfm_records_init()
 *
 * Context: any.
 * Return: the record's first byte.
 */
static __always_inline void *pfm_records_add(struct pfm_records *r, void *buf,
					     u64 size)
{
	void *record = buf + r->cur;

	r->cur += size;
	r->count++;
	return record;
}

/**
 * pfm_records_reset() - discard all records
 * @r: the area
 *
 * The buffer's bytes are not changed (3.6.5).
 * Context: any, see the locking of fmt_restart.
 */
static inline void pfm_records_reset(struct pfm_records *r)
{
	r->cur = r->start;
	r->count = 0;
}

/**
 * struct pfm_regions - equal parts of a buffer that are filled in turn
 * @records:    records of the current region
 * @offs:       offset in bytes of region 0 from the start of the buffer
 * @size:       size in bytes of each region
 * @max:        size in bytes of the largest record
 * @handed_out: number of times a region was handed out to the tool
 * @freed:      number of times the tool has given a region back
 * @num:        number of regions
 * @cur:        current region, which is being filled or was filled last
 * @oldest:     region that will be given back next
 *
 * Keep this structure in the private area. The regions that are handed out
 * begin with @oldest and end, in circular order, with @cur or the one before
 * it.
 */
struct pfm_regions {
	struct pfm_records	records;
	u64			offs;
	u64			size;
	u64			max;
	u64			handed_out;
	u64			freed;
	u32			num;
	u32			cur;
	u32			oldest;
};

/**
 * pfm_regions_enter() - make a region current and empty
 * @r: the regions
 * @n: the region; the tool must not hold it (handed out)
 *
 * Context: any.
 */
static inline void pfm_regions_enter(struct pfm_regions *r, u32 n)
{
	r->cur = n;
	r->records.start = r->offs + n * r->size;
	r->records.limit = r->records.start + r->size - r->max;
	pfm_records_reset(&r->records);
}

/**
 * pfm_regions_behind() - get the region that follows a given one
 * @r: the regions
 * @n: the region
 *
 * Context: any.
 * Return: its number.
 */
static inline u32 pfm_regions_behind(const struct pfm_regions *r, u32 n)
{
	return n + 1 < r->num ? n + 1 : 0;
}

/**
 * pfm_regions_init() - split a buffer, from @offs to its end, into regions
 * @r:    the regions
 * @offs: offset in bytes of the first one, a multiple of 8
 * @end:  size of the buffer in bytes
 * @num:  number of regions
 * @max:  size in bytes of the largest record, which must fit into each region
 *
 * Makes region 0 the current one. Context: process. Do not call this in
 * fmt_handler, because it divides.
 * Return: 0; -EINVAL if the regions would be too small.
 */
static inline int pfm_regions_init(struct pfm_regions *r, u64 offs, u64 end,
				   u32 num, u64 max)
{
	if (!num || !max || offs > end)
		return -EINVAL;
	*r = (struct pfm_regions) {
		.offs = offs,
		.size = round_down(div_u64(end - offs, num), sizeof(u64)),
		.max = max,
		.num = num,
	};
	if (r->size < max)
		return -EINVAL;
	pfm_regions_enter(r, 0);
	return 0;
}

/**
 * pfm_regions_out() - count the regions that are handed out
 * @r: the regions
 *
 * Context: any.
 * Return: the number; @r->num if the current region is handed out, too.
 */
static inline u64 pfm_regions_out(const struct pfm_regions *r)
{
	return r->handed_out - r->freed;
}

/**
 * pfm_regions_have_free() - test for a free region other than the current one
 * @r: the regions; the current one must not be handed out
 *
 * Context: any.
 * Return: true if there is one.
 */
static inline bool pfm_regions_have_free(const struct pfm_regions *r)
{
	return pfm_regions_out(r) + 1 < r->num;
}

/**
 * pfm_regions_next() - get the region that follows the current one
 * @r: the regions
 *
 * Context: any.
 * Return: its number.
 */
static inline u32 pfm_regions_next(const struct pfm_regions *r)
{
	return pfm_regions_behind(r, r->cur);
}

/**
 * pfm_regions_free() - take back the region that was handed out first
 * @r: the regions, at least one of them handed out
 *
 * Context: any, see the locking of fmt_restart.
 * Return: its number.
 */
static inline u32 pfm_regions_free(struct pfm_regions *r)
{
	u32 n = r->oldest;

	r->oldest = pfm_regions_behind(r, n);
	r->freed++;
	return n;
}

/**
 * pfm_count() - add to a private count, and update its mapped copy
 * @shown: the copy in the mapping
 * @mine:  the count in the private area
 * @n:     number to add
 *
 * Context: any.
 */
static inline void pfm_count(u64 *shown, u64 *mine, u64 n)
{
	*mine += n;
	WRITE_ONCE(*shown, *mine);
}

/**
 * pfm_copy_pmds() - copy the values of the sampled PMDs
 * @to:  destination in a record
 * @arg: the overflow
 * @n:   num_smpl_pmds of the overflow
 *
 * Context: any.
 */
static __always_inline void pfm_copy_pmds(u64 *to, const pfm_ovfl_arg_t *arg,
					  unsigned int n)
{
	const u64 *value = arg->smpl_pmds_values;

	for (; n; n--)
		*to++ = *value++;
}

/**
 * pfm_smpl_value() - find the value of a sampled PMD
 * @arg: the overflow
 * @pmd: index of the PMD; need not be valid, because it may come from the
 *       format's argument
 *
 * Context: any.
 * Return: the value; NULL if the sample has no value of this PMD.
 */
static inline const u64 *pfm_smpl_value(const pfm_ovfl_arg_t *arg, u64 pmd)
{
	const u64 *value = arg->smpl_pmds_values;
	const u64 *word = arg->smpl_pmds;
	u64 bit = 1ULL << pmd % 64;

	if (pmd >= PFM_MAX_PMDS)
		return NULL;
	for (; pmd >= 64; pmd -= 64)
		value += hweight64(*word++);
	return *word & bit ? value + hweight64(*word & (bit - 1)) : NULL;
}

/**
 * pfm_smpl_value_or() - get the value of a sampled PMD, or a default
 * @arg:  the overflow
 * @pmd:  index of the PMD, as for pfm_smpl_value()
 * @none: value if the sample has no value of this PMD
 *
 * Context: any.
 * Return: the value, or @none.
 */
static inline u64 pfm_smpl_value_or(const pfm_ovfl_arg_t *arg, u64 pmd,
				    u64 none)
{
	const u64 *value = pfm_smpl_value(arg, pmd);

	return value ? *value : none;
}

/* Maximum number of values in a struct pfm_largest. */
#define PFM_LARGEST_MAX	64

/**
 * struct pfm_largest - the largest values so far
 * @num:    number of values
 * @values: the values, in any order
 *
 * Keep this structure in the private area.
 */
struct pfm_largest {
	u64	num;
	u64	values[PFM_LARGEST_MAX];
};

/**
 * pfm_largest_add() - add a value if it is among the largest so far
 * @l:     the largest values
 * @keep:  number of values to keep; clamped to the range from 1 to
 *         PFM_LARGEST_MAX
 * @value: the value; if it is among the largest, it replaces the smallest of
 *         them
 *
 * A filter that records a sample only if this returns true records at least the
 * @keep largest samples of all. If n samples come in random order, it records
 * about @keep * (1 + log(n / @keep)) of them.
 *
 * Context: any; takes @keep steps.
 * Return: true if fewer than @keep earlier values are at least as large.
 */
static inline bool pfm_largest_add(struct pfm_largest *l, u64 keep, u64 value)
{
	u64 *least = l->values, i;

	keep = clamp(keep, 1ULL, (u64)PFM_LARGEST_MAX);
	if (l->num < keep) {
		l->values[l->num++] = value;
		return true;
	}
	for (i = 1; i < keep; i++)
		if (l->values[i] < *least)
			least = &l->values[i];
	if (value <= *least)
		return false;
	*least = value;
	return true;
}

/**
 * pfm_getsize() - get the size from an argument that begins with __u64 buf_size
 * @ctx_flags: as passed to fmt_getsize
 * @arg:       as passed to fmt_getsize
 * @size:      as passed to fmt_getsize
 *
 * Context: process.
 * Return: 0; -EINVAL if the size does not fit into a size_t.
 */
static inline int pfm_getsize(u32 ctx_flags, void *arg, size_t *size)
{
	u64 buf_size = *(u64 *)arg;

	if (buf_size > SIZE_MAX)
		return -EINVAL;
	*size = buf_size;
	return 0;
}

/**
 * pfm_ctrl_continue() - reset the PMDs and continue
 * @arg: the overflow
 *
 * Context: fmt_handler.
 */
static inline void pfm_ctrl_continue(pfm_ovfl_arg_t *arg)
{
	arg->ovfl_ctrl.val = PFM_OVFL_CTRL_RESET;
}

/**
 * pfm_ctrl_notify() - notify the tool, reset the PMDs and continue
 * @arg: the overflow
 *
 * Context: fmt_handler.
 */
static inline void pfm_ctrl_notify(pfm_ovfl_arg_t *arg)
{
	arg->ovfl_ctrl.val = PFM_OVFL_CTRL_RESET | PFM_OVFL_CTRL_NOTIFY;
}

/**
 * pfm_ctrl_full() - handle a full buffer: notify, mask, and block if requested
 * @arg: the overflow
 *
 * Resets wait for PFM_RESTART, so that the tool sees a stable state (3.6.5).
 *
 * Context: fmt_handler.
 */
static inline void pfm_ctrl_full(pfm_ovfl_arg_t *arg)
{
	arg->ovfl_ctrl.val = PFM_OVFL_CTRL_HOLD;
}

/**
 * pfm_restart_resume() - reset the last overflowed PMDs and resume
 * @is_active: as passed to fmt_restart
 * @ctrl:      as passed to fmt_restart
 *
 * PFM_RESTART resets no PMD while monitoring is active (3.6.5).
 *
 * Context: fmt_restart.
 */
static inline void pfm_restart_resume(int is_active, pfm_ovfl_ctrl_t *ctrl)
{
	ctrl->val = is_active ? 0 : PFM_OVFL_CTRL_RESET;
}

/* Setup and cleanup of a format that needs neither */
static inline int pfm_fmt_setup_none(void)
{
	return 0;
}

static inline void pfm_fmt_cleanup_none(void)
{
}

/* The build may define a version, with -DPFM_PROJECT_VERSION='"1.0"'. */
#ifdef PFM_PROJECT_VERSION
#define PFM_FMT_VERSION	MODULE_VERSION(PFM_PROJECT_VERSION)
#else
#define PFM_FMT_VERSION	static_assert(true)
#endif

/* Is the literal @s a UUID in text form, with lower-case digits? */
#define PFM_UUID_HAS_DIGIT(s, i)					\
	(((s)[i] >= '0' && (s)[i] <= '9') || ((s)[i] >= 'a' && (s)[i] <= 'f'))
#define PFM_UUID_HAS_BYTE(s, i)						\
	(PFM_UUID_HAS_DIGIT(s, i) && PFM_UUID_HAS_DIGIT(s, (i) + 1))
#define PFM_UUID_HAS_WORD(s, i)						\
	(PFM_UUID_HAS_BYTE(s, i) && PFM_UUID_HAS_BYTE(s, (i) + 2))
#define PFM_UUID_IS_TEXT(s)						\
	(sizeof(s) == 37 && (s)[8] == '-' && (s)[13] == '-' &&		\
	 (s)[18] == '-' && (s)[23] == '-' &&				\
	 PFM_UUID_HAS_WORD(s, 0) && PFM_UUID_HAS_WORD(s, 4) &&		\
	 PFM_UUID_HAS_WORD(s, 9) && PFM_UUID_HAS_WORD(s, 14) &&		\
	 PFM_UUID_HAS_WORD(s, 19) && PFM_UUID_HAS_WORD(s, 24) &&	\
	 PFM_UUID_HAS_WORD(s, 28) && PFM_UUID_HAS_WORD(s, 32))

/**
 * pfm_format_module_with() - define a format's module with setup and cleanup
 * @fmt:      the format, a pfm_buffer_fmt_t
 * @uuid_str: the format's UUID in text form and lower case: a string literal,
 *            the one that is passed to PFM_UUID() to initialise fmt_uuid. The
 *            module's alias contains the UUID, so that creating a context with
 *            this UUID loads the module
 * @desc:     MODULE_DESCRIPTION
 * @setup:    int (*)(void): called before the format is registered; if it
 *            returns an error, loading the module fails
 * @cleanup:  void (*)(void): called after the format is unregistered
 */
#define pfm_format_module_with(fmt, uuid_str, desc, setup, cleanup)	\
	static int __init fmt##_module_init(void)			\
	{								\
		int ret;						\
									\
		/* uuidgen's format: 8-4-4-4-12 lower-case digits. */	\
		BUILD_BUG_ON(!PFM_UUID_IS_TEXT(uuid_str));		\
		ret = setup();						\
		if (ret)						\
			return ret;					\
		ret = pfm_register_buffer_fmt(&(fmt));			\
		if (ret)						\
			cleanup();					\
		return ret;						\
	}								\
	static void __exit fmt##_module_exit(void)			\
	{								\
		pfm_unregister_buffer_fmt((fmt).fmt_uuid);		\
		cleanup();						\
	}								\
	module_init(fmt##_module_init);					\
	module_exit(fmt##_module_exit);					\
	MODULE_ALIAS("perfmon-fmt-" uuid_str);				\
	PFM_FMT_VERSION;						\
	MODULE_DESCRIPTION(desc);					\
	MODULE_LICENSE("GPL v2")

/**
 * pfm_format_module() - define the module of a format
 * @fmt:      the format, a pfm_buffer_fmt_t
 * @uuid_str: its UUID, as for pfm_format_module_with()
 * @desc:     MODULE_DESCRIPTION
 */
#define pfm_format_module(fmt, uuid_str, desc)				\
	pfm_format_module_with(fmt, uuid_str, desc, pfm_fmt_setup_none,	\
			       pfm_fmt_cleanup_none)

#endif /* PERFMON_PERFMON_FMT_SDK_H */
