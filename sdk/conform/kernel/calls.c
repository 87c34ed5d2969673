// SPDX-License-Identifier: GPL-2.0
/*
 * calls.c - calls the call-backs of a format as the core does
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include "conform.h"
#include "ds_records.h"

#define FIRST_TIME	1000000000000ULL	/* ns */
#define TIME_STEP	1000
#define LAST_RESET	((u64)-100)
#define PMD_VALUE	3
#define FIRST_DATA	0x7f0000000000ULL
/* Bits of struct perf_branch_entry */
#define MISPREDICTED	1
#define PREDICTED	2
/* More calls than needed to fill a buffer with the smallest records */
#define MOST_CALLS(size)	((size) / sizeof(u64) + 1024)

/* Check the return value of a call-back. */
static int calls_check(struct conform *c, const char *callback, int ret)
{
	if (ret > 0 || ret < -MAX_ERRNO)
		return conform_fail(c,
				    "%s returns %d, which is neither 0 nor a negative errno",
				    callback, ret);
	return 0;
}

/*
 * Check that the core's pointer between the private area and the buffer is
 * unchanged.
 */
static int calls_area(struct conform *c)
{
	if (c->buf.base && pfm_fmt_front(c->buf.start)->area != c->area.start)
		return conform_fail(c, "the format wrote past the end of its private area, the %d bytes in front of its buffer",
				    PFM_FMT_PRIV_SIZE);
	return 0;
}

/* Check for writes outside the format's memory. Return: 0 or a finding. */
static int calls_guards(struct conform *c)
{
	return calls_area(c) ?: conform_mem_check(c, &c->buf, "the buffer") ?:
		conform_mem_check(c, &c->area, "the private area") ?:
		conform_mem_check(c, &c->arg, "its argument") ?:
		conform_mem_check(c, &c->ovfl, "its overflow argument");
}

/*
 * The life of a context
 */

/*
 * Get the sizes of the buffer and of the extra private area (fmt_getpriv).
 * Return: 0, even if the argument was rejected (see @refused); or a finding.
 */
static int calls_sizes(struct conform *c, size_t *size, size_t *area)
{
	const pfm_buffer_fmt_t *fmt = c->fmt;
	int ret = 0;

	*size = 0;
	*area = 0;
	if (fmt->fmt_validate)
		ret = fmt->fmt_validate(0, pfm_num_pmds(), c->arg.start);
	c->refused = ret;
	if (ret)
		return calls_check(c, "fmt_validate", ret);
	if (fmt->fmt_getsize)
		ret = fmt->fmt_getsize(0, c->arg.start, size);
	c->refused = ret;
	if (ret)
		return calls_check(c, "fmt_getsize", ret);
	if (fmt->fmt_getpriv)
		ret = fmt->fmt_getpriv(0, c->arg.start, area);
	c->refused = ret;
	if (ret)
		return calls_check(c, "fmt_getpriv", ret);
	if (*area && !*size)
		c->refused = -EINVAL;
	else if (*size > c->max_size || *area > c->max_size)
		c->refused = -ENOMEM;
	return 0;
}

static int calls_alloc(struct conform *c, size_t size, size_t area)
{
	int ret = 0;

	conform_mem_free(&c->buf);
	conform_mem_free(&c->area);
	if (size)
		ret = conform_mem_alloc(&c->buf, sizeof(struct pfm_fmt_front),
					size);
	if (!ret && area)
		ret = conform_mem_alloc(&c->area, 0, area);
	if (!ret && size)
		pfm_fmt_front(c->buf.start)->area = c->area.start;
	return ret;
}

static int calls_init(struct conform *c)
{
	int ret = 0;

	if (c->fmt->fmt_init)
		ret = c->fmt->fmt_init(0, c->arg.start, c->buf.start);
	c->refused = ret;
	c->live = !ret;
	c->state = (struct pfm_ovfl_state){};
	c->held = false;
	c->notify = !c->notify;
	conform_evidence_begin(c);
	return calls_check(c, "fmt_init", ret) ?: calls_guards(c);
}

int conform_create(struct conform *c, const void *arg)
{
	size_t size, area, arg_size = c->fmt->fmt_arg_size;
	int ret = conform_end(c);

	if (ret)
		return ret;
	if (arg_size)
		memcpy(c->arg.start, arg ?: c->dfl, arg_size);
	ret = calls_sizes(c, &size, &area);
	if (ret || c->refused)
		return ret;
	return calls_alloc(c, size, area) ?: calls_init(c);
}

int conform_make(struct conform *c)
{
	int ret = conform_create(c, NULL);

	if (ret || c->live)
		return ret;
	if (c->refused == -ENOMEM)
		return conform_skip(c, "there is not enough memory for the format's buffer");
	if (c->fmt->fmt_arg_size && !c->fmt->fmt_arg_layout)
		return conform_skip(c, "the format does not publish fmt_arg_layout, and rejects an all-zero argument");
	return conform_fail(c,
			    "the default argument is rejected with %d: publish defaults that work (fmt_arg_layout), or use --arg NAME=VALUE,...",
			    c->refused);
}

int conform_create_size(struct conform *c, u64 size)
{
	const struct pfm_arg_field *f = conform_arg_size(c);
	u8 old[sizeof(u64)];
	int ret;

	if (!f)
		return conform_create(c, NULL);
	memcpy(old, c->dfl + f->offset, f->size);
	conform_arg_put(c->dfl, f, size);
	ret = conform_create(c, NULL);
	memcpy(c->dfl + f->offset, old, f->size);
	return ret;
}

int conform_make_small(struct conform *c)
{
	u64 smallest = conform_arg_smallest(c);
	int ret = 0;

	if (smallest)
		ret = conform_create_size(c, 4 * smallest);
	if (ret || c->live)
		return ret;
	return conform_make(c);
}

int conform_end(struct conform *c)
{
	int ret = 0;

	if (!c->live)
		return 0;
	c->live = false;
	if (c->fmt->fmt_exit)
		ret = c->fmt->fmt_exit(c->buf.start);
	if (ret)
		return conform_fail(c,
				    "fmt_exit returns %d: it must return 0, because the core cannot handle an error here",
				    ret);
	return calls_guards(c);
}

/*
 * Overflows
 */

/*
 * Choose @n PMDs. If there are enough, include all virtual PMDs of the
 * perf_events PMU; the others are the first PMDs.
 */
static void calls_choose(unsigned long *pmds, u16 n)
{
	const u16 data = PFM_PMD_TRANSACTION - PFM_PMD_STATE + 1;
	const u16 branches = 3 * PFM_BRANCHES;

	bitmap_zero(pmds, PFM_MAX_PMDS);
	if (n >= data + branches) {
		bitmap_set(pmds, PFM_PMD_STATE, data);
		bitmap_set(pmds, PFM_PMD_BRANCH_FROM(0), branches);
		n -= data + branches;
	}
	bitmap_set(pmds, 0, n);
}

int conform_values(struct conform *c, u16 values)
{
	size_t size = offsetof(pfm_ovfl_arg_t, smpl_pmds_values);
	int ret;

	values = min_t(u16, values, pfm_num_pmds());
	size += values * sizeof(u64);
	ret = conform_mem_alloc(&c->ovfl, 0, size);
	if (ret)
		return ret;
	c->before->num_smpl_pmds = values;
	calls_choose((unsigned long *)c->before->smpl_pmds, values);
	return 0;
}

/*
 * Return: the value of a PMD at overflow @calls, counted from 0. Loads and
 * stores alternate. At most one of the branches is mispredicted, at each
 * overflow another one.
 */
static u64 calls_value(u64 calls, unsigned int pmd)
{
	switch (pmd) {
	case PFM_PMD_STATE:
		return 'R';
	case PFM_PMD_TID:
		return conform_tid(calls);
	case PFM_PMD_ADDRESS:
		return FIRST_DATA + 8 * calls;
	case PFM_PMD_LATENCY:
		return 1 + calls % 1000;
	case PFM_PMD_SOURCE:
		return PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L1) |
		       (calls % 2 ? PERF_MEM_S(OP, LOAD) :
				    PERF_MEM_S(OP, STORE));
	case PFM_PMD_BRANCH_FROM(0) ... PFM_PMD_BRANCH_TO(PFM_BRANCHES - 1):
		return conform_ip(calls) + pmd;
	case PFM_PMD_BRANCH_FLAGS(0) ... PFM_PMD_BRANCH_FLAGS(PFM_BRANCHES - 1):
		return (calls + pmd) % (PFM_BRANCHES + 1) ? PREDICTED :
							    MISPREDICTED;
	default:
		return 0x1111000000ULL + pmd;
	}
}

static void calls_set_values(struct conform *c)
{
	const unsigned long *pmds = (unsigned long *)c->before->smpl_pmds;
	u64 *value = c->before->smpl_pmds_values;
	unsigned int pmd;

	for_each_set_bit(pmd, pmds, PFM_MAX_PMDS)
		*value++ = calls_value(c->calls, pmd);
}

/* Check that the handler has changed only the control bits. */
static int calls_look(struct conform *c, int ret)
{
	const size_t ctrl = offsetof(pfm_ovfl_arg_t, ovfl_ctrl);
	const size_t behind = ctrl + sizeof(pfm_ovfl_ctrl_t);
	const pfm_ovfl_arg_t *arg = c->ovfl.start;

	if (memcmp(arg, c->before, ctrl) ||
	    memcmp((void *)arg + behind, (void *)c->before + behind,
		   c->ovfl.size - behind))
		return conform_fail(c,
				    "the handler changes its overflow argument: it may write only ovfl_ctrl");
	if (arg->ovfl_ctrl.reserved)
		return conform_fail(c,
				    "the handler sets undefined control bits: 0x%x",
				    arg->ovfl_ctrl.val);
	if (!ret && !arg->ovfl_ctrl.val)
		return conform_fail(c,
				    "the handler sets no control bit and returns 0: the counter is not reset (call pfm_ctrl_continue())");
	return calls_guards(c);
}

/* Call the handler for an overflow of PMD @i. Return: 0 or a finding. */
static int calls_handle(struct conform *c, unsigned int i, struct pt_regs *regs)
{
	struct pfm_ovfl_data data = {
		.state = &c->state,
		.regs = regs,
		.ip = conform_ip(c->calls),
		.tid = conform_tid(c->calls),
		.tgid = CONFORM_TGID,
	}, lent;
	pfm_ovfl_arg_t *arg = c->ovfl.start;
	int ret;

	if (c->current_thread) {
		data.tid = task_pid_nr(current);
		data.tgid = task_tgid_nr(current);
	}
	c->before->ovfl_pmd = i;
	c->before->ovfl_cpu = smp_processor_id();
	c->before->pmd_last_reset = LAST_RESET;
	c->before->pmd_value = PMD_VALUE;
	c->before->pmd_eventid = i;
	c->before->ovfl_notify = c->notify;
	calls_set_values(c);
	memcpy(arg, c->before, c->ovfl.size);
	lent = data;
	conform_poison(c);
	ret = c->fmt->fmt_handler(c->buf.start, arg, c->tstamp, &data);
	c->tried = true;
	if (!ret)
		conform_evidence_look(c);
	c->calls++;
	c->stored += !ret;
	c->failed = ret;
	c->held |= ret || arg->ovfl_ctrl.mask_monitoring;
	if (memcmp(&data, &lent, sizeof(data)))
		return conform_fail(c,
				    "the handler changes its last argument, the struct pfm_ovfl_data");
	return calls_check(c, "fmt_handler", ret) ?: calls_look(c, ret) ?:
		conform_unpoison(c);
}

int conform_overflow(struct conform *c, unsigned int n, struct pt_regs *regs)
{
	unsigned int i;
	int ret = 0;

	c->tstamp = (c->tstamp ?: FIRST_TIME) + TIME_STEP;
	/* The core calls the handler with preemption disabled, too. */
	preempt_disable();
	c->failed = false;
	for (i = 0; !ret && !c->failed && i < n; i++) {
		if (c->fmt->fmt_flags & PFM_FMTFL_DS && !conform_ds_record(c))
			continue;
		ret = calls_handle(c, i, regs);
	}
	preempt_enable();
	return ret;
}

int conform_restart(struct conform *c, bool is_active)
{
	pfm_ovfl_ctrl_t ctrl = { .val = 0 };
	int ret = 0;

	if (!c->fmt->fmt_restart) {
		pfm_restart_resume(is_active, &ctrl);
	} else {
		preempt_disable();
		ret = c->fmt->fmt_restart(c->buf.start, is_active, &ctrl);
		preempt_enable();
	}
	if (calls_check(c, "fmt_restart", ret) || calls_guards(c))
		return -EBADMSG;
	if (ctrl.val & ~(PFM_OVFL_CTRL_RESET | PFM_OVFL_CTRL_MASK))
		return conform_fail(c,
				    "fmt_restart sets control bits 0x%x: it may set only reset_ovfl_pmds and mask_monitoring",
				    ctrl.val);
	if (ret || ctrl.mask_monitoring)
		return 0;
	if (!is_active && c->held && !ctrl.reset_ovfl_pmds)
		return conform_fail(c,
				    "fmt_restart resumes but does not set reset_ovfl_pmds: the overflowed PMDs are not reset");
	if (!is_active)
		c->held = false;
	return 0;
}

int conform_set_arg(struct conform *c, const struct pfm_arg_field *f, u64 value)
{
	const pfm_buffer_fmt_t *fmt = c->fmt;
	u8 old[sizeof(u64)];
	int ret = 0;

	memcpy(old, c->arg.start + f->offset, f->size);
	conform_arg_put(c->arg.start, f, value);
	if (fmt->fmt_validate)
		ret = fmt->fmt_validate(0, pfm_num_pmds(), c->arg.start);
	if (ret) {
		memcpy(c->arg.start + f->offset, old, f->size);
		return calls_check(c, "fmt_validate", ret);
	}
	preempt_disable();
	fmt->fmt_set_arg(c->buf.start, c->arg.start);
	preempt_enable();
	return calls_guards(c);
}

int conform_go_on(struct conform *c)
{
	int ret = c->held ? conform_restart(c, false) : 0;

	return ret || !c->held ? ret : conform_make(c);
}

int conform_fill(struct conform *c, unsigned int burst)
{
	size_t most = MOST_CALLS(c->buf.size);
	int ret = 0;

	for (; !ret && !c->held && most; most--)
		ret = conform_overflow(c, burst, NULL);
	return ret;
}
