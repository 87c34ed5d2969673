// SPDX-License-Identifier: GPL-2.0
/*
 * reader.c - samples on their way from the overflows to the event buffer
 */
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <perfmon/perfmon_fmt_callers.h>
#include <perfmon/perfmon_irq_work.h>
#include <perfmon/perfmon_oprofile_smpl.h>
#include "compat.h"
#include "mapping.h"
#include "reader.h"
#include "stats.h"

#define SYNC_PERIOD	(HZ / 10)
/* Number of times that a sync may wait for mmap_locks: about 0.1 s in all */
#define SYNC_PATIENCE	1000

/* State kept for consecutive samples of the same process */
struct sync_process {
	struct mm_struct	*mm;
	unsigned long		app;
};

static struct pfm_op_reader __rcu *op_reader;
static DEFINE_MUTEX(op_open_lock);
static atomic_t op_contexts = ATOMIC_INIT(0);

/*
 * The overflow side
 */

static bool sample_is_user(const struct pfm_ovfl_data *data)
{
	/* A deferred overflow has no registers. */
	return data->regs ? user_mode(data->regs) : data->ip < TASK_SIZE_MAX;
}

static void sample_fill(struct pfm_op_sample *sample,
			const struct pfm_ovfl_data *data, u64 event,
			unsigned int depth)
{
	struct mm_struct *mm = current->mm;

	/* A deferred overflow may be handled while another thread runs. */
	if (!data->regs && data->tid != current->pid)
		mm = NULL;
	sample->mm = mm && mmget_not_zero(mm) ? mm : NULL;
	sample->ip = data->ip;
	sample->event = event;
	sample->tid = data->tid;
	sample->tgid = data->tgid;
	sample->user = sample_is_user(data);
	sample->num_callers = 0;
	if (depth && sample->user && data->regs)
		sample->num_callers = pfm_user_frames(data->regs,
						      sample->callers, depth);
}

void notrace pfm_op_add_sample(const struct pfm_ovfl_data *data, u64 event)
{
	struct pfm_op_reader *rd = rcu_dereference_sched(op_reader);
	struct pfm_ring *ring = rd ? this_cpu_ptr(rd->cpus) : NULL;
	struct pfm_op_sample *sample = NULL;
	unsigned long pos;

	pfm_op_count(PFM_OP_RECEIVED);
	if (likely(ring))
		sample = pfm_ring_reserve(ring, &pos);
	if (unlikely(!sample)) {
		pfm_op_count(PFM_OP_LOST_OVERFLOW);
		return;
	}
	sample_fill(sample, data, event, rd->depth);
	pfm_ring_publish(&sample->slot, pos);
	if (unlikely(pfm_ring_pending(ring, pos) == (ring->mask + 1) / 2))
		irq_work_queue(&rd->irq_work);
}

static void reader_irq_work(struct irq_work *work)
{
	struct pfm_op_reader *rd =
		container_of(work, struct pfm_op_reader, irq_work);

	mod_delayed_work(system_dfl_wq, &rd->work, 0);
}

/*
 * The sync
 */

/*
 * Take over the sample's reference to @mm, and drop that of the previous
 * sample. Look up the program only if @mm has changed.
 */
static void sync_enter(struct pfm_op_reader *rd, struct sync_process *p,
		       struct mm_struct *mm)
{
	bool same = p->mm == mm;

	if (p->mm)
		mmput(p->mm);
	p->mm = mm;
	if (!same)
		p->app = mm ? pfm_op_program(&rd->cookies, mm) :
			      PFM_OPROFILE_NO_COOKIE;
}

static void sync_callers(struct pfm_op_reader *rd, struct mm_struct *mm,
			 const struct pfm_op_sample *sample,
			 struct pfm_op_record *r)
{
	unsigned int i;

	for (i = 0; i < sample->num_callers; i++)
		if (pfm_op_locate(&rd->cookies, mm, sample->callers[i],
				  &rd->callers[i], &rd->patience)) {
			pfm_op_count(PFM_OP_BT_LOST_NO_MAPPING);
			break;
		}
	r->callers = rd->callers;
	r->num_callers = i;
}

/* Add a sample to the stream. Return: the counter to increment. */
static enum pfm_op_stat sync_sample(struct pfm_op_reader *rd, u32 cpu,
				    const struct pfm_op_sample *sample,
				    const struct sync_process *p)
{
	struct pfm_op_record r = {
		.cpu = cpu, .tid = sample->tid, .tgid = sample->tgid,
		.user = sample->user, .app = p->app, .event = sample->event,
		.at.offset = sample->ip,
	};

	if (r.user) {
		if (!p->mm)
			return PFM_OP_LOST_NO_MM;
		if (pfm_op_locate(&rd->cookies, p->mm, sample->ip, &r.at,
				  &rd->patience))
			return PFM_OP_LOST_NO_MAPPING;
		sync_callers(rd, p->mm, sample, &r);
	} else if (r.at.offset == PFM_OPROFILE_ESC) {
		return PFM_OP_LOST_NO_MAPPING;
	}
	return pfm_op_stream_add(&rd->stream, &r) ? PFM_OP_DELIVERED :
						   PFM_OP_EVENT_LOST_OVERFLOW;
}

/* Sync the samples that a CPU has now; later ones wait for the next sync. */
static void sync_cpu(struct pfm_op_reader *rd, u32 cpu, struct sync_process *p)
{
	struct pfm_ring *ring = per_cpu_ptr(rd->cpus, cpu);
	unsigned long end = READ_ONCE(ring->head);
	const struct pfm_op_sample *sample;

	while (ring->tail != end) {
		sample = pfm_ring_next(ring);
		if (!sample)
			return;
		sync_enter(rd, p, sample->mm);
		pfm_op_count(sync_sample(rd, cpu, sample, p));
		pfm_ring_consume(ring);
		cond_resched();
	}
}

void pfm_op_sync(struct pfm_op_reader *rd)
{
	struct sync_process process = { .app = PFM_OPROFILE_NO_COOKIE };
	u32 cpu;

	mutex_lock(&rd->sync_lock);
	rd->patience = SYNC_PATIENCE;
	for_each_possible_cpu(cpu)
		sync_cpu(rd, cpu, &process);
	mutex_unlock(&rd->sync_lock);
	if (process.mm)
		mmput(process.mm);
	if (pfm_op_stream_has_words(&rd->stream))
		wake_up_interruptible(&rd->wait);
}

static void reader_work(struct work_struct *work)
{
	struct pfm_op_reader *rd = container_of(to_delayed_work(work),
						struct pfm_op_reader, work);

	pfm_op_sync(rd);
	if (atomic_read(&op_contexts))
		queue_delayed_work(system_dfl_wq, &rd->work, SYNC_PERIOD);
}

/*
 * Start a sync, because a context was added or removed, or the device was
 * opened. The work item repeats itself while there are contexts.
 */
static void reader_kick(void)
{
	struct pfm_op_reader *rd;

	rcu_read_lock();
	rd = rcu_dereference(op_reader);
	if (rd)
		mod_delayed_work(system_dfl_wq, &rd->work, 0);
	rcu_read_unlock();
}

int pfm_op_begin(u32 ctx_flags, void *arg, void *buf)
{
	atomic_inc(&op_contexts);
	reader_kick();
	return 0;
}

int pfm_op_end(void *buf)
{
	atomic_dec(&op_contexts);
	reader_kick();
	return 0;
}

/*
 * Opening and closing
 */

/* Free a reader, which may be only partly allocated. */
static void reader_free(struct pfm_op_reader *rd)
{
	int cpu;

	if (rd->cpus)
		for_each_possible_cpu(cpu)
			pfm_ring_free(per_cpu_ptr(rd->cpus, cpu));
	free_percpu(rd->cpus);
	pfm_op_stream_free(&rd->stream);
	kfree(rd->callers);
	kfree(rd);
}

static int reader_alloc_cpus(struct pfm_op_reader *rd,
			     const struct pfm_op_sizes *sizes)
{
	int cpu, ret;

	rd->cpus = alloc_percpu(struct pfm_ring);
	if (!rd->cpus)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		ret = pfm_ring_init(per_cpu_ptr(rd->cpus, cpu), sizes->samples,
				    struct_size_t(struct pfm_op_sample, callers,
						  sizes->depth),
				    cpu_to_node(cpu));
		if (ret)
			return ret;
	}
	return 0;
}

static int reader_alloc(struct pfm_op_reader *rd,
			const struct pfm_op_sizes *sizes)
{
	int ret = reader_alloc_cpus(rd, sizes);

	if (ret)
		return ret;
	rd->callers = kcalloc(sizes->depth, sizeof(*rd->callers), GFP_KERNEL);
	if (!rd->callers)
		return -ENOMEM;
	return pfm_op_stream_init(&rd->stream, sizes->words);
}

static struct pfm_op_reader *reader_new(const struct pfm_op_sizes *sizes)
{
	struct pfm_op_reader *rd = kzalloc(sizeof(*rd), GFP_KERNEL);
	int ret;

	if (!rd)
		return ERR_PTR(-ENOMEM);
	ret = reader_alloc(rd, sizes);
	if (ret) {
		reader_free(rd);
		return ERR_PTR(ret);
	}
	rd->depth = sizes->depth;
	mutex_init(&rd->sync_lock);
	mutex_init(&rd->read_lock);
	pfm_op_cookies_init(&rd->cookies);
	init_waitqueue_head(&rd->wait);
	rd->irq_work = PFM_IRQ_WORK_INIT(reader_irq_work);
	INIT_DELAYED_WORK(&rd->work, reader_work);
	return rd;
}

struct pfm_op_reader *pfm_op_reader_open(const struct pfm_op_sizes *sizes)
{
	struct pfm_op_reader *rd = ERR_PTR(-EBUSY);

	mutex_lock(&op_open_lock);
	if (!rcu_access_pointer(op_reader)) {
		rd = reader_new(sizes);
		if (!IS_ERR(rd))
			rcu_assign_pointer(op_reader, rd);
	}
	mutex_unlock(&op_open_lock);
	reader_kick();
	return rd;
}

/* Discard the unread samples and count them as lost. */
static void reader_discard(struct pfm_ring *ring)
{
	const struct pfm_op_sample *sample;

	while ((sample = pfm_ring_next(ring))) {
		if (sample->mm)
			mmput(sample->mm);
		pfm_op_count(PFM_OP_LOST_OVERFLOW);
		pfm_ring_consume(ring);
	}
}

void pfm_op_reader_close(struct pfm_op_reader *rd)
{
	int cpu;

	RCU_INIT_POINTER(op_reader, NULL);
	/* Overflows run with preemption off: wait for them. */
	synchronize_rcu();
	irq_work_sync(&rd->irq_work);
	/*
	 * irq_work_sync() waits for the latest run only; an earlier one may
	 * still be running on another CPU.
	 */
	synchronize_rcu();
	cancel_delayed_work_sync(&rd->work);
	for_each_possible_cpu(cpu)
		reader_discard(per_cpu_ptr(rd->cpus, cpu));
	pfm_op_cookies_drop(&rd->cookies);
	reader_free(rd);
}
