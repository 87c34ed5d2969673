/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: KUnit suites of formats
 *
 * A suite calls the format's call-backs directly, on a buffer of exactly the
 * required size. KASAN then reports the first byte beyond the buffer that the
 * format touches. The suite is linked into a kernel with the core, the
 * simulated PMU and the format.
 */
#ifndef PERFMON_PERFMON_FMT_KUNIT_H
#define PERFMON_PERFMON_FMT_KUNIT_H

#include <kunit/test.h>
#include <linux/log2.h>
#include <linux/preempt.h>
#include <linux/vmalloc.h>
#include <perfmon/perfmon_fmt_sdk.h>

/* Values that pfm_calls_sample() passes to fmt_handler. */
#define PFM_CALLS_TID		12	/* first value of pfm_fmt_calls.tid */
#define PFM_CALLS_TGID		11	/* first value of pfm_fmt_calls.tgid */
#define PFM_CALLS_CPU		3
#define PFM_CALLS_SET		4
#define PFM_CALLS_LAST_RESET	((u64)-100)
#define PFM_CALLS_TSTAMP	5555ULL
#define PFM_CALLS_IP(pmd)	(0x1000ULL + (pmd))
#define PFM_CALLS_VALUE(i)	(0xaa00ULL + (i))

/*
 * Get the index of the element in which PFM_TABLE_LOG2() counts @value. @type:
 * type of the field whose values are counted.
 */
#define PFM_CALLS_LOG2(type, value) \
	((type)(value) ? const_ilog2((type)(value)) + 1 : 0)

/**
 * struct pfm_fmt_calls - the format under test, in test->priv of each test
 * @fmt:  the format
 * @base: allocation that holds the private area and the buffer; NULL if the
 *        format wants no buffer
 * @buf:  first byte of the buffer, or NULL
 * @size: size of the buffer in bytes
 * @area: the private area that fmt_getpriv requested, or NULL
 * @live: whether fmt_exit must still be called
 * @tstamp: time of the next samples, at first PFM_CALLS_TSTAMP
 * @tid: thread of the next samples, at first PFM_CALLS_TID
 * @tgid: process of the next samples, at first PFM_CALLS_TGID
 * @arg:  the last overflow; a test may set fields that pfm_calls_sample() does
 *        not set, such as pmd_eventid
 * @state: state that the format keeps for the context
 */
struct pfm_fmt_calls {
	const pfm_buffer_fmt_t	*fmt;
	void			*base;
	void			*buf;
	size_t			size;
	void			*area;
	bool			live;
	u64			tstamp;
	u32			tid;
	u32			tgid;
	pfm_ovfl_arg_t		arg;
	struct pfm_ovfl_state	state;
};

/**
 * struct pfm_calls_value - the value of a PMD in a sample
 * @pmd:   index of the PMD, such as PFM_PMD_ADDRESS
 * @value: its value
 */
struct pfm_calls_value {
	u16	pmd;
	u64	value;
};

/**
 * pfm_calls_init() - look up the format; for a suite's .init
 * @test: the test
 * @uuid: UUID of the format
 *
 * Context: process.
 * Return: 0; -ENOENT if it is not registered; -ENOMEM.
 */
static inline int pfm_calls_init(struct kunit *test, const pfm_uuid_t uuid)
{
	struct pfm_fmt_calls *d = kunit_kzalloc(test, sizeof(*d), GFP_KERNEL);

	if (!d)
		return -ENOMEM;
	d->fmt = pfm_fmt_get(uuid);
	d->tstamp = PFM_CALLS_TSTAMP;
	d->tid = PFM_CALLS_TID;
	d->tgid = PFM_CALLS_TGID;
	test->priv = d;
	return d->fmt ? 0 : -ENOENT;
}

/**
 * pfm_calls_end() - undo pfm_calls_make(): call fmt_exit, free the buffer
 * @test: the test
 *
 * Context: process.
 */
static inline void pfm_calls_end(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	if (d->live && d->fmt->fmt_exit)
		KUNIT_EXPECT_EQ(test, d->fmt->fmt_exit(d->buf), 0);
	d->live = false;
	vfree(d->area);
	vfree(d->base);
	d->area = NULL;
	d->base = NULL;
	d->buf = NULL;
}

/**
 * pfm_calls_exit() - clean up; for a suite's .exit
 * @test: the test
 *
 * Context: process.
 */
static inline void pfm_calls_exit(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;

	if (!d || !d->fmt)
		return;
	pfm_calls_end(test);
	pfm_fmt_put(d->fmt);
}

/**
 * pfm_calls_defaults() - set the fields of an argument to their defaults
 * @test: the test
 * @arg:  out: the format's argument, fmt_arg_size bytes
 *
 * Context: process.
 */
static inline void pfm_calls_defaults(struct kunit *test, void *arg)
{
	const struct pfm_fmt_calls *d = test->priv;
	const struct pfm_arg_field *field = d->fmt->fmt_arg_layout;

	memset(arg, 0, d->fmt->fmt_arg_size);
	for (; field && field->name; field++)
		memcpy(arg + field->offset, &field->dfl, field->size);
}

/**
 * pfm_calls_validate() - call fmt_validate, as when a context is created
 * @test: the test
 * @arg:  the format's argument
 *
 * Context: process.
 * Return: what fmt_validate returns; 0 if the format has no fmt_validate.
 */
static inline int pfm_calls_validate(struct kunit *test, void *arg)
{
	struct pfm_fmt_calls *d = test->priv;

	if (!d->fmt->fmt_validate)
		return 0;
	return d->fmt->fmt_validate(0, pfm_num_pmds(), arg);
}

/**
 * pfm_calls_getsize() - call fmt_getsize
 * @test: the test
 * @arg:  the format's argument
 * @size: out: the size in bytes; 0 if the format has no fmt_getsize
 *
 * Context: process.
 * Return: what fmt_getsize returns; 0 if the format has no fmt_getsize.
 */
static inline int pfm_calls_getsize(struct kunit *test, void *arg, size_t *size)
{
	struct pfm_fmt_calls *d = test->priv;

	*size = 0;
	return d->fmt->fmt_getsize ? d->fmt->fmt_getsize(0, arg, size) : 0;
}

/**
 * pfm_calls_getpriv() - call fmt_getpriv
 * @test: the test
 * @arg:  the format's argument
 * @size: out: the size in bytes; 0 if the format has no fmt_getpriv
 *
 * Context: process.
 * Return: what fmt_getpriv returns; 0 if the format has no fmt_getpriv.
 */
static inline int pfm_calls_getpriv(struct kunit *test, void *arg, size_t *size)
{
	struct pfm_fmt_calls *d = test->priv;

	*size = 0;
	return d->fmt->fmt_getpriv ? d->fmt->fmt_getpriv(0, arg, size) : 0;
}

/* Allocate buffer and area. Return: 0, or the error that the core returns. */
static inline int pfm_calls_alloc(struct kunit *test, void *arg)
{
	struct pfm_fmt_calls *d = test->priv;
	size_t area = 0;
	int ret = pfm_calls_getsize(test, arg, &d->size);

	if (!ret)
		ret = pfm_calls_getpriv(test, arg, &area);
	if (ret || !d->size)
		return ret ? ret : area ? -EINVAL : 0;
	d->base = vzalloc(sizeof(struct pfm_fmt_front) + d->size);
	KUNIT_ASSERT_NOT_NULL(test, d->base);
	d->buf = d->base + sizeof(struct pfm_fmt_front);
	if (area) {
		d->area = vzalloc(area);
		KUNIT_ASSERT_NOT_NULL(test, d->area);
	}
	pfm_fmt_front(d->buf)->area = d->area;
	return 0;
}

/**
 * pfm_calls_try() - create a context's buffer, as the core does
 * @test: the test
 * @arg:  the format's argument
 *
 * Calls fmt_validate, fmt_getsize and fmt_getpriv, allocates a buffer and a
 * private area of exactly these sizes, zeroed and page aligned, and calls
 * fmt_init. Missing call-backs are skipped. An earlier buffer is freed first.
 * pfm_calls_end() or the end of the test calls fmt_exit.
 *
 * Context: process.
 * Return: 0, or the error of the first call-back that failed.
 */
static inline int pfm_calls_try(struct kunit *test, void *arg)
{
	struct pfm_fmt_calls *d = test->priv;
	int ret;

	pfm_calls_end(test);
	ret = pfm_calls_validate(test, arg);
	if (!ret)
		ret = pfm_calls_alloc(test, arg);
	if (!ret && d->fmt->fmt_init)
		ret = d->fmt->fmt_init(0, arg, d->buf);
	d->live = !ret;
	d->state = (struct pfm_ovfl_state){};
	return ret;
}

/**
 * pfm_calls_make() - create a context's buffer, and fail the test on an error
 * @test: the test
 * @arg:  the format's argument
 *
 * Context: process.
 */
static inline void pfm_calls_make(struct kunit *test, void *arg)
{
	KUNIT_ASSERT_EQ(test, pfm_calls_try(test, arg), 0);
}

/**
 * pfm_calls_set_arg() - change the argument, as PFM_SET_FMT_ARG does
 * @test: the test
 * @arg:  the new argument; the function does not check which fields differ
 *
 * Context: process.
 * Return: 0, or the error of fmt_validate.
 */
static inline int pfm_calls_set_arg(struct kunit *test, void *arg)
{
	struct pfm_fmt_calls *d = test->priv;
	int ret = pfm_calls_validate(test, arg);

	if (!ret)
		d->fmt->fmt_set_arg(d->buf, arg);
	return ret;
}

/* Call fmt_handler for an overflow of @pmd. @d->arg has the PMDs' values. */
static inline int pfm_calls_handler(struct pfm_fmt_calls *d, u16 pmd)
{
	struct pfm_ovfl_data data = { .state = &d->state,
				      .ip = PFM_CALLS_IP(pmd),
				      .tid = d->tid,
				      .tgid = d->tgid };
	int ret;

	d->arg.ovfl_pmd = pmd;
	d->arg.ovfl_cpu = PFM_CALLS_CPU;
	d->arg.active_set = PFM_CALLS_SET;
	d->arg.pmd_last_reset = PFM_CALLS_LAST_RESET;
	d->arg.ovfl_ctrl.val = 0;
	preempt_disable();
	ret = d->fmt->fmt_handler(d->buf, &d->arg, d->tstamp, &data);
	preempt_enable();
	return ret;
}

/**
 * pfm_calls_sample_values() - call fmt_handler with the values of any PMDs
 * @d:      the format
 * @pmd:    the PMD that overflows
 * @values: the PMDs to record, in ascending order, and their values
 * @n:      number of elements of @values
 *
 * fmt_handler gets no registers, as for a deferred overflow. It runs with
 * preemption disabled, as for any overflow.
 *
 * Context: process.
 * Return: the handler's return value; the control bits are in
 * @d->arg.ovfl_ctrl.
 */
static inline int pfm_calls_sample_values(struct pfm_fmt_calls *d, u16 pmd,
					  const struct pfm_calls_value *values,
					  u16 n)
{
	u16 i;

	d->arg.num_smpl_pmds = n;
	memset(d->arg.smpl_pmds, 0, sizeof(d->arg.smpl_pmds));
	for (i = 0; i < n; i++) {
		pfm_bv_set(d->arg.smpl_pmds, values[i].pmd);
		d->arg.smpl_pmds_values[i] = values[i].value;
	}
	return pfm_calls_handler(d, pmd);
}

/**
 * pfm_calls_sample() - call fmt_handler with the values of the first PMDs
 * @d:      the format
 * @pmd:    the PMD that overflows
 * @values: number of PMDs to record, from PMD0 on; the value of PMD i is
 *          PFM_CALLS_VALUE(i)
 *
 * Otherwise the same as pfm_calls_sample_values().
 *
 * Context: process.
 * Return: see pfm_calls_sample_values().
 */
static inline int pfm_calls_sample(struct pfm_fmt_calls *d, u16 pmd, u16 values)
{
	u16 i;

	d->arg.num_smpl_pmds = values;
	bitmap_zero((unsigned long *)d->arg.smpl_pmds, PFM_MAX_PMDS);
	bitmap_set((unsigned long *)d->arg.smpl_pmds, 0, values);
	for (i = 0; i < values; i++)
		d->arg.smpl_pmds_values[i] = PFM_CALLS_VALUE(i);
	return pfm_calls_handler(d, pmd);
}

/**
 * pfm_calls_restart() - call fmt_restart, as PFM_RESTART does
 * @test:      the test
 * @is_active: false if monitoring is masked
 *
 * Context: process.
 * Return: the control bits that fmt_restart sets; for a format without
 * fmt_restart, those that the core uses instead.
 */
static inline u32 pfm_calls_restart(struct kunit *test, bool is_active)
{
	struct pfm_fmt_calls *d = test->priv;
	pfm_ovfl_ctrl_t ctrl = { .val = 0 };

	if (!d->fmt->fmt_restart)
		pfm_restart_resume(is_active, &ctrl);
	else
		KUNIT_EXPECT_EQ(test,
				d->fmt->fmt_restart(d->buf, is_active, &ctrl),
				0);
	return ctrl.val;
}

#endif /* PERFMON_PERFMON_FMT_KUNIT_H */
