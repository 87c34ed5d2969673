// SPDX-License-Identifier: GPL-2.0
/*
 * share.c - the buffers of a family that samples: one for each CPU
 *
 * The code calls one CPU's buffer a part (struct pfm_part). A thread records
 * into the part of the CPU on which it runs. Only the running thread overflows,
 * so handlers do not compete for a part. But an overflow may interrupt a
 * restart, or an irq_work that handles a deferred overflow of a thread that has
 * left the CPU (defer.c). Therefore pfm_part.busy marks a part as owned. An
 * overflow that finds its part owned does not wait, and is counted as lost.
 *
 * The threads share the buffers, so a full buffer masks none of the threads.
 * Instead, overflows on that CPU are counted as lost until PFM_RESTART.
 *
 * Messages are not queued in the overflow path. A part keeps its last message,
 * and the number of messages. read() finds parts with unread messages.
 * PFM_RESTART does not restart a part that has unread messages if none of its
 * messages was read since the last restart, because the tool does not know of
 * its samples yet.
 *
 * A command owns a part only in an interrupt on the part's CPU. Overflows that
 * are not NMIs wait until this interrupt ends, so they are not lost.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/topology.h>
#include <perfmon/perfmon_fmt_sdk.h>
#include "buffer.h"
#include "fmt.h"
#include "share.h"
#include "smpl_buf.h"

/*
 * Find the first part at or after *@cpu, and set *@cpu to its CPU. Return: the
 * part or NULL.
 */
static struct pfm_part *pfm_part_from(const struct pfm_share *share,
				      unsigned int *cpu)
{
	struct pfm_part *part = NULL;

	while (*cpu < nr_cpu_ids && !(part = share->parts[*cpu]))
		++*cpu;
	return part;
}

/* Iterate over the parts that exist. */
#define pfm_for_each_part(share, cpu, part)				\
	for ((cpu) = 0; ((part) = pfm_part_from(share, &(cpu))); (cpu)++)

static struct pfm_part *pfm_part_create(const pfm_buffer_fmt_t *fmt, u32 flags,
					void *arg, unsigned int cpu,
					const struct pfm_smpl_size *size)
{
	struct pfm_part *part = kzalloc_node(sizeof(*part), PFM_GFP,
					     cpu_to_node(cpu));
	int ret;

	if (!part)
		return ERR_PTR(-ENOMEM);
	seqcount_init(&part->seq);
	ret = pfm_smpl_buf_create(fmt, flags, arg, size, &part->buffer);
	if (ret) {
		kfree(part);
		return ERR_PTR(ret);
	}
	part->buf = pfm_buffer_start(part->buffer);
	return part;
}

static void pfm_parts_end(struct pfm_share *share)
{
	struct pfm_part *part;
	unsigned int cpu;

	pfm_for_each_part(share, cpu, part) {
		pfm_smpl_buf_end(share->fmt, part->buffer);
		kfree(part);
		share->parts[cpu] = NULL;
	}
}

/* Check that all parts have the same kind of time stamps as the first one. */
static int pfm_check_stamps(struct pfm_share *share, struct pfm_part *part,
			    bool first)
{
	const pfm_time_conv_t *raw = &pfm_fmt_front(part->buf)->raw;

	if (first)
		share->raw = *raw;
	return !raw->time_mult == !share->raw.time_mult ? 0 : -EOPNOTSUPP;
}

static int pfm_parts_create(struct pfm_share *share, u32 flags, void *arg,
			    const struct pfm_smpl_size *size)
{
	bool first = true;
	unsigned int cpu;
	int ret = 0;

	/*
	 * A CPU that goes online or offline during the loop may get a part or
	 * not.
	 */
	for_each_online_cpu(cpu) {
		struct pfm_part *part = pfm_part_create(share->fmt, flags, arg,
							cpu, size);

		if (IS_ERR(part))
			ret = PTR_ERR(part);
		else
			share->parts[cpu] = part;
		if (!ret)
			ret = pfm_check_stamps(share, part, first);
		if (ret)
			break;
		first = false;
		share->buf_size = pfm_buffer_size(part->buffer);
	}
	if (ret)
		pfm_parts_end(share);
	return ret;
}

struct pfm_share *pfm_share_create(struct pfm_context *root, void *arg,
				   void (*tell)(struct irq_work *work))
{
	struct pfm_smpl_size size;
	struct pfm_share *share;
	int ret;

	if (root->fmt->fmt_flags & PFM_FMTFL_DS)
		return ERR_PTR(-EOPNOTSUPP);
	ret = pfm_smpl_buf_measure(root->fmt, root->flags, arg, &size);
	if (!ret && !size.buf)
		ret = -EOPNOTSUPP;
	if (ret)
		return ERR_PTR(ret);
	share = kzalloc(struct_size(share, parts, nr_cpu_ids),
			PFM_GFP);
	if (!share)
		return ERR_PTR(-ENOMEM);
	kref_init(&share->ref);
	share->tell.work = PFM_IRQ_WORK_INIT(tell);
	share->root = root;
	share->fmt = root->fmt;
	share->depth = max_t(size_t, share->fmt->fmt_msgq_depth, 1);
	ret = pfm_parts_create(share, root->flags, arg, &size);
	if (!ret)
		return share;
	kfree(share);
	return ERR_PTR(ret);
}

static void pfm_share_free(struct kref *ref)
{
	struct pfm_share *share = container_of(ref, struct pfm_share, ref);

	kfree_rcu(share, rcu);
}

struct pfm_share *pfm_share_get(struct pfm_share *share)
{
	if (share)
		kref_get(&share->ref);
	return share;
}

void pfm_share_put(struct pfm_share *share)
{
	if (share)
		kref_put(&share->ref, pfm_share_free);
}

void pfm_share_end(struct pfm_share *share)
{
	pfm_parts_end(share);
	pfm_share_put(share);
}

void pfm_share_reset(struct pfm_share *share)
{
	struct pfm_part *part;
	unsigned int cpu;

	pfm_for_each_part(share, cpu, part) {
		part->full = false;
		part->untold = false;
		part->limited = false;
		part->rate = (struct pfm_rate){};
		part->credit = 0;
		/* Pairs with the cmpxchg() in pfm_share_take(). */
		xchg(&part->read, part->told);
		part->done = part->told;
	}
}

struct pfm_part *pfm_share_at(const struct pfm_share *share,
			      unsigned long pgoff)
{
	unsigned long pages = share->buf_size >> PAGE_SHIFT;
	unsigned long cpu = pgoff / pages;

	if (pgoff % pages || cpu >= nr_cpu_ids)
		return NULL;
	return share->parts[array_index_nospec(cpu, nr_cpu_ids)];
}

static __always_inline bool pfm_part_own(struct pfm_part *part)
{
	/* Pairs with pfm_part_disown(). */
	return !cmpxchg_acquire(&part->busy, 0, 1);
}

static __always_inline void pfm_part_disown(struct pfm_part *part)
{
	/* Pairs with pfm_part_own(). */
	smp_store_release(&part->busy, 0);
}

static void pfm_part_set_msg(struct pfm_part *part, const pfm_ovfl_msg_t *msg)
{
	raw_write_seqcount_begin(&part->seq);
	/* A reader that sees an incomplete message reads the message again. */
	data_race(part->msg = *msg);
	raw_write_seqcount_end(&part->seq);
	/* Pairs with the acquire in pfm_part_has_msg(). */
	smp_store_release(&part->told, part->told + 1);
}

/* Context: the caller owns the part. */
static void pfm_part_tell(struct pfm_share *share, struct pfm_part *part,
			  const pfm_ovfl_msg_t *msg)
{
	part->untold = false;
	if (share->root->flags & PFM_FL_OVFL_NO_MSG)
		/* No one will read the message: count it as read. */
		WRITE_ONCE(part->read, ++part->told);
	else if (part->told - READ_ONCE(part->read) < share->depth)
		pfm_part_set_msg(part, msg);
	else
		WRITE_ONCE(part->dropped, part->dropped + 1);
	pfm_irq_work_queue(&share->tell);
}

/* Use up one overflow of credit (rate.c). Context: the caller owns the part. */
static __always_inline void pfm_part_spend(struct pfm_part *part,
					   struct pfm_ovfl_data *data)
{
	if (likely(part->credit > 1))
		part->credit--;
	else
		container_of(data, struct pfm_context, data)->credit = 1;
}

/*
 * Send a message, as the format requests. If the PMD lacks
 * PFM_REGFL_OVFL_NOTIFY, do not send it; but if the part is full, note that a
 * later overflow must send it. Context: the caller owns the part.
 */
static void pfm_part_notify(struct pfm_share *share, struct pfm_part *part,
			    const pfm_ovfl_arg_t *arg,
			    const struct pfm_ovfl_data *data)
{
	pfm_ovfl_msg_t msg = {
		.msg_type = PFM_MSG_OVFL,
		.msg_ovfl_pid = data->tgid,
		.msg_ovfl_cpu = raw_smp_processor_id(),
		.msg_ovfl_tid = data->tid,
		.msg_ovfl_ip = data->ip,
	};

	if (!arg->ovfl_notify) {
		part->untold = part->full;
		return;
	}
	pfm_bv_set(msg.msg_ovfl_pmds, arg->ovfl_pmd);
	pfm_part_tell(share, part, &msg);
}

/*
 * Count an overflow as lost. @lost: pfm_part.lost or, if the CPU has no part,
 * pfm_share.lost.
 */
static noinline notrace void pfm_share_lose(atomic64_t *lost,
					    pfm_ovfl_arg_t *arg,
					    struct pfm_ovfl_data *data)
{
	atomic64_inc(lost);
	*data->state = (struct pfm_ovfl_state){};
	arg->ovfl_ctrl.val = PFM_OVFL_CTRL_RESET;
}

/*
 * Count an overflow as lost because its part is full. Context: the caller owns
 * the part.
 */
static noinline notrace void pfm_part_refuse(struct pfm_share *share,
					     struct pfm_part *part,
					     pfm_ovfl_arg_t *arg,
					     struct pfm_ovfl_data *data)
{
	pfm_share_lose(&part->lost, arg, data);
	if (part->untold)
		pfm_part_notify(share, part, arg, data);
}

/*
 * Handle an error of the format's handler, or do what it has requested if this
 * is not "reset and continue". Context: the caller owns the part.
 */
static noinline notrace void pfm_part_conclude(struct pfm_share *share,
					       struct pfm_part *part, int err,
					       pfm_ovfl_arg_t *arg,
					       const struct pfm_ovfl_data *data)
{
	pfm_ovfl_ctrl_t ctrl = arg->ovfl_ctrl;

	pfm_count_odd(&part->odd, err, ctrl.val);
	if (err)
		atomic64_inc(&part->lost);
	if (err || ctrl.val & ~PFM_OVFL_CTRL_ALL)
		ctrl.val = PFM_OVFL_CTRL_HOLD;
	/* Threads are not masked here: reset PMDs now, not at PFM_RESTART. */
	if (ctrl.mask_monitoring) {
		part->full = true;
		ctrl.reset_ovfl_pmds = 1;
	}
	if (ctrl.notify_user)
		pfm_part_notify(share, part, arg, data);
	arg->ovfl_ctrl.val = ctrl.val & PFM_OVFL_CTRL_RESET;
}

int notrace pfm_share_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
			      struct pfm_ovfl_data *data)
{
	struct pfm_share *share = buf;
	struct pfm_part *part = share->parts[raw_smp_processor_id()];
	int err;

	if (unlikely(!part || !pfm_part_own(part))) {
		pfm_share_lose(part ? &part->lost : &share->lost, arg, data);
		return 0;
	}
	pfm_part_spend(part, data);
	if (unlikely(part->full)) {
		pfm_part_refuse(share, part, arg, data);
	} else {
		err = share->fmt->fmt_handler(part->buf, arg, tstamp, data);
		if (unlikely(err || arg->ovfl_ctrl.val != PFM_OVFL_CTRL_RESET))
			pfm_part_conclude(share, part, err, arg, data);
	}
	pfm_part_disown(part);
	return 0;
}

void pfm_share_tell(struct pfm_share *share, const pfm_ovfl_msg_t *msg)
{
	struct pfm_part *part = share->parts[raw_smp_processor_id()];

	if (!part || !pfm_part_own(part))
		return;
	if (part->untold)
		pfm_part_tell(share, part, msg);
	pfm_part_disown(part);
}

/* Is a message unread? @read: pfm_part.read, which the caller has loaded. */
static bool pfm_part_has_msg(const struct pfm_part *part, u32 read)
{
	/* Pairs with the release in pfm_part_set_msg(). */
	return smp_load_acquire(&part->told) != read;
}

bool pfm_share_has_msg(const struct pfm_share *share)
{
	const struct pfm_part *part;
	unsigned int cpu;
	u32 read;

	pfm_for_each_part(share, cpu, part) {
		/* Pairs with the cmpxchg() in pfm_share_take(). */
		read = smp_load_acquire(&part->read);
		if (pfm_part_has_msg(part, read))
			return true;
	}
	return false;
}

static void pfm_part_copy_msg(const struct pfm_part *part, pfm_ovfl_msg_t *msg)
{
	unsigned int seq;

	do {
		seq = read_seqcount_begin(&part->seq);
		/* This may race with pfm_part_set_msg(): then copy again. */
		data_race(*msg = part->msg);
	} while (read_seqcount_retry(&part->seq, seq));
}

bool pfm_share_peek(struct pfm_share *share, pfm_ovfl_msg_t *msg,
		    struct pfm_share_pos *pos)
{
	unsigned int cpu;

	for_each_cpu_wrap(cpu, cpu_possible_mask, READ_ONCE(share->last) + 1) {
		struct pfm_part *part = share->parts[cpu];

		if (!part)
			continue;
		*pos = (struct pfm_share_pos){
			/* Pairs with the cmpxchg() in pfm_share_take(). */
			part, smp_load_acquire(&part->read),
		};
		if (!pfm_part_has_msg(part, pos->read))
			continue;
		pfm_part_copy_msg(part, msg);
		WRITE_ONCE(share->last, cpu);
		return true;
	}
	return false;
}

bool pfm_share_take(const struct pfm_share_pos *pos)
{
	return cmpxchg(&pos->part->read, pos->read, pos->read + 1) == pos->read;
}

/**
 * struct pfm_part_call - a function to call for a part
 * @share: the parts
 * @part:  the part
 * @func:  called by the owner of the part, interrupts off
 * @arg:   for @func
 * @ret:   result of @func
 * @done:  @func was called; false if the part was owned
 */
struct pfm_part_call {
	struct pfm_share	*share;
	struct pfm_part		*part;
	int			(*func)(struct pfm_share *share,
					struct pfm_part *part, const void *arg);
	const void		*arg;
	int			ret;
	bool			done;
};

static void pfm_part_run(void *info)
{
	struct pfm_part_call *call = info;

	if (!pfm_part_own(call->part))
		return;
	call->ret = call->func(call->share, call->part, call->arg);
	call->done = true;
	pfm_part_disown(call->part);
}

/* Call the function on this CPU, because the part's CPU is offline. */
static void pfm_part_run_here(struct pfm_part_call *call)
{
	unsigned long flags;

	local_irq_save(flags);
	pfm_part_run(call);
	local_irq_restore(flags);
}

/* Call a function on the part's CPU; try again if the part is owned. */
static int pfm_part_call(struct pfm_part_call call, unsigned int cpu)
{
	might_sleep();
	for (;;) {
		if (smp_call_function_single(cpu, pfm_part_run, &call, true))
			pfm_part_run_here(&call);
		if (call.done)
			return call.ret;
		cond_resched();
	}
}

/*
 * Return how many times this PFM_RESTART restarts the part: once for each
 * message read since the last restart. A format can notify without waiting for
 * restarts, so there may be any number of such messages. The restarts run in an
 * interrupt, so limit their number to pfm_share.depth. If no message was read
 * and none is unread, restart the part once if it is full or, with @all, in any
 * case.
 */
static u32 pfm_part_restarts(const struct pfm_share *share,
			     const struct pfm_part *part, bool all)
{
	u32 read = READ_ONCE(part->read);

	if (read != part->done)
		return min(read - part->done, share->depth);
	return (all || READ_ONCE(part->full)) && READ_ONCE(part->told) == read;
}

static int pfm_part_restart_once(struct pfm_share *share, struct pfm_part *part)
{
	const pfm_buffer_fmt_t *fmt = share->fmt;
	pfm_ovfl_ctrl_t ctrl = { .val = 0 };
	int ret = 0;

	if (fmt->fmt_restart)
		ret = fmt->fmt_restart(part->buf, !part->full, &ctrl);
	if (ret)
		return ret;
	part->full = ctrl.mask_monitoring;
	part->untold = false;
	part->limited = false;
	if (part->done != READ_ONCE(part->read))
		part->done++;
	return 0;
}

static int pfm_part_restart(struct pfm_share *share, struct pfm_part *part,
			    const void *all)
{
	u32 n = pfm_part_restarts(share, part, *(const bool *)all);
	int ret = 0;

	while (n-- && !ret)
		ret = pfm_part_restart_once(share, part);
	return ret;
}

/* Has a message been read since the last restart? */
static bool pfm_share_was_read(const struct pfm_share *share)
{
	const struct pfm_part *part;
	unsigned int cpu;

	pfm_for_each_part(share, cpu, part)
		if (READ_ONCE(part->read) != READ_ONCE(part->done))
			return true;
	return false;
}

int pfm_share_restart(struct pfm_share *share, bool stopped)
{
	bool all = stopped && !pfm_share_was_read(share);
	struct pfm_part *part;
	unsigned int cpu;
	int ret = 0;

	pfm_for_each_part(share, cpu, part) {
		struct pfm_part_call call = {
			.share = share, .part = part, .func = pfm_part_restart,
			.arg = &all,
		};
		int err = pfm_part_restarts(share, part, all) ?
				  pfm_part_call(call, cpu) : 0;

		ret = ret ?: err;
	}
	/*
	 * perfmon's own errors are valid errnos. Only fmt_restart may have
	 * returned another value, so the message blames the format.
	 */
	return ret ? pfm_fmt_result(share->fmt, "fmt_restart", ret) : 0;
}

static int pfm_part_set_arg(struct pfm_share *share, struct pfm_part *part,
			    const void *arg)
{
	share->fmt->fmt_set_arg(part->buf, arg);
	return 0;
}

void pfm_share_set_arg(struct pfm_share *share, const void *arg)
{
	struct pfm_part *part;
	unsigned int cpu;

	pfm_for_each_part(share, cpu, part) {
		struct pfm_part_call call = {
			.share = share, .part = part, .func = pfm_part_set_arg,
			.arg = arg,
		};

		pfm_part_call(call, cpu);
	}
}

struct pfm_share_counts pfm_share_count(const struct pfm_share *share)
{
	struct pfm_share_counts sum = { .lost = atomic64_read(&share->lost) };
	const struct pfm_part *part;
	unsigned int cpu;

	pfm_for_each_part(share, cpu, part) {
		sum.lost += atomic64_read(&part->lost);
		sum.dropped += READ_ONCE(part->dropped);
		sum.odd.errors += READ_ONCE(part->odd.errors);
		sum.odd.no_ctrl += READ_ONCE(part->odd.no_ctrl);
		sum.odd.bad_ctrl += READ_ONCE(part->odd.bad_ctrl);
		sum.odd.last_error = READ_ONCE(part->odd.last_error) ?:
				     sum.odd.last_error;
	}
	return sum;
}
