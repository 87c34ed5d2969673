// SPDX-License-Identifier: GPL-2.0
/*
 * session.c - from overflows to the event buffer
 */
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <perfmon/perfmon_fmt.h>
#include <perfmon/perfmon_oprofile_smpl.h>
#include "mapping.h"
#include "session.h"
#include "stats.h"
#include "trace.h"

#define SYNC_PERIOD	(HZ / 10)

/* What is the same for samples of one process that follow each other. */
struct sync_process {
	struct mm_struct	*mm;
	unsigned long		app;
};

static struct pfm_op_session __rcu *op_session;
static DEFINE_MUTEX(op_open_lock);
static atomic_t op_contexts = ATOMIC_INIT(0);

/*
 * The overflow's side
 */

static bool sample_is_user(const struct pfm_ovfl_data *data)
{
	/* Without registers it is an overflow that had to wait. */
	return data->regs ? user_mode(data->regs) : data->ip < TASK_SIZE_MAX;
}

static void sample_fill(struct pfm_op_sample *sample,
			const struct pfm_ovfl_data *data, u64 event,
			unsigned int depth)
{
	struct mm_struct *mm = current->mm;

	sample->mm = mm && mmget_not_zero(mm) ? mm : NULL;
	sample->ip = data->ip;
	sample->event = event;
	sample->tid = data->tid;
	sample->tgid = data->tgid;
	sample->user = sample_is_user(data);
	sample->num_callers = 0;
	if (depth && sample->user && data->regs)
		sample->num_callers = pfm_op_user_callers(data->regs,
							  sample->callers,
							  depth);
}

void notrace pfm_op_add_sample(const struct pfm_ovfl_data *data, u64 event)
{
	struct pfm_op_session *s = rcu_dereference_sched(op_session);
	struct pfm_op_cpu_buffer *b = s ? this_cpu_ptr(s->cpus) : NULL;
	struct pfm_op_sample *sample = NULL;
	unsigned long pos;

	pfm_op_count(PFM_OP_RECEIVED);
	if (likely(b))
		sample = pfm_op_reserve(b, &pos);
	if (unlikely(!sample)) {
		pfm_op_count(PFM_OP_LOST_OVERFLOW);
		return;
	}
	sample_fill(sample, data, event, s->depth);
	pfm_op_publish(sample, pos);
	if (unlikely(pfm_op_pending(b, pos) == (b->mask + 1) / 2))
		irq_work_queue(&s->irq_work);
}

static void session_irq_work(struct irq_work *work)
{
	struct pfm_op_session *s =
		container_of(work, struct pfm_op_session, irq_work);

	mod_delayed_work(system_unbound_wq, &s->work, 0);
}

/*
 * The sync
 */

/* Take over the reference to @mm; of samples in a row one is kept. */
static void sync_enter(struct pfm_op_session *s, struct sync_process *p,
		       struct mm_struct *mm)
{
	bool same = p->mm == mm;

	if (p->mm)
		mmput(p->mm);
	p->mm = mm;
	if (!same)
		p->app = mm ? pfm_op_program(&s->cookies, mm) :
			      PFM_OPROFILE_NO_COOKIE;
}

static void sync_callers(struct pfm_op_session *s, struct mm_struct *mm,
			 const struct pfm_op_sample *sample,
			 struct pfm_op_record *r)
{
	unsigned int i;

	for (i = 0; i < sample->num_callers; i++)
		if (pfm_op_locate(&s->cookies, mm, sample->callers[i],
				  &s->callers[i])) {
			pfm_op_count(PFM_OP_BT_LOST_NO_MAPPING);
			break;
		}
	r->callers = s->callers;
	r->num_callers = i;
}

/* Put a sample into the stream. Return: what became of it. */
static enum pfm_op_stat sync_sample(struct pfm_op_session *s, u32 cpu,
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
		if (pfm_op_locate(&s->cookies, p->mm, sample->ip, &r.at))
			return PFM_OP_LOST_NO_MAPPING;
		sync_callers(s, p->mm, sample, &r);
	} else if (r.at.offset == PFM_OPROFILE_ESC) {
		return PFM_OP_LOST_NO_MAPPING;
	}
	return pfm_op_stream_add(&s->stream, &r) ? PFM_OP_DELIVERED :
						   PFM_OP_EVENT_LOST_OVERFLOW;
}

/* What is there now; what comes meanwhile is for the next time. */
static void sync_cpu(struct pfm_op_session *s, u32 cpu, struct sync_process *p)
{
	struct pfm_op_cpu_buffer *b = per_cpu_ptr(s->cpus, cpu);
	unsigned long end = READ_ONCE(b->head);
	const struct pfm_op_sample *sample;

	while (b->tail != end) {
		sample = pfm_op_next(b);
		if (!sample)
			return;
		sync_enter(s, p, sample->mm);
		pfm_op_count(sync_sample(s, cpu, sample, p));
		pfm_op_consume(b);
		cond_resched();
	}
}

void pfm_op_sync(struct pfm_op_session *s)
{
	struct sync_process process = { .app = PFM_OPROFILE_NO_COOKIE };
	u32 cpu;

	mutex_lock(&s->sync_lock);
	for_each_possible_cpu(cpu)
		sync_cpu(s, cpu, &process);
	mutex_unlock(&s->sync_lock);
	if (process.mm)
		mmput(process.mm);
	if (pfm_op_stream_has_words(&s->stream))
		wake_up_interruptible(&s->wait);
}

static void session_work(struct work_struct *work)
{
	struct pfm_op_session *s = container_of(to_delayed_work(work),
						struct pfm_op_session, work);

	pfm_op_sync(s);
	if (atomic_read(&op_contexts))
		queue_delayed_work(system_unbound_wq, &s->work, SYNC_PERIOD);
}

/* Contexts have come or gone: sync, and look whether to go on with it. */
static void session_kick(void)
{
	struct pfm_op_session *s;

	rcu_read_lock();
	s = rcu_dereference(op_session);
	if (s)
		mod_delayed_work(system_unbound_wq, &s->work, 0);
	rcu_read_unlock();
}

int pfm_op_begin(u32 ctx_flags, void *arg, void *buf)
{
	atomic_inc(&op_contexts);
	session_kick();
	return 0;
}

int pfm_op_end(void *buf)
{
	atomic_dec(&op_contexts);
	session_kick();
	return 0;
}

/*
 * Beginning and end
 */

/* Also of a session that is half made. */
static void session_free(struct pfm_op_session *s)
{
	int cpu;

	if (s->cpus)
		for_each_possible_cpu(cpu)
			pfm_op_cpu_buffer_free(per_cpu_ptr(s->cpus, cpu));
	free_percpu(s->cpus);
	pfm_op_stream_free(&s->stream);
	kfree(s->callers);
	kfree(s);
}

static int session_alloc_cpus(struct pfm_op_session *s,
			      const struct pfm_op_sizes *sizes)
{
	int cpu, ret;

	s->cpus = alloc_percpu(struct pfm_op_cpu_buffer);
	if (!s->cpus)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		ret = pfm_op_cpu_buffer_init(per_cpu_ptr(s->cpus, cpu),
					     sizes->samples, sizes->depth,
					     cpu_to_node(cpu));
		if (ret)
			return ret;
	}
	return 0;
}

static int session_alloc(struct pfm_op_session *s,
			 const struct pfm_op_sizes *sizes)
{
	int ret = session_alloc_cpus(s, sizes);

	if (ret)
		return ret;
	s->callers = kcalloc(sizes->depth, sizeof(*s->callers), GFP_KERNEL);
	if (!s->callers)
		return -ENOMEM;
	return pfm_op_stream_init(&s->stream, sizes->words);
}

static struct pfm_op_session *session_new(const struct pfm_op_sizes *sizes)
{
	struct pfm_op_session *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int ret;

	if (!s)
		return ERR_PTR(-ENOMEM);
	ret = session_alloc(s, sizes);
	if (ret) {
		session_free(s);
		return ERR_PTR(ret);
	}
	s->depth = sizes->depth;
	mutex_init(&s->sync_lock);
	mutex_init(&s->read_lock);
	pfm_op_cookies_init(&s->cookies);
	init_waitqueue_head(&s->wait);
	s->irq_work = IRQ_WORK_INIT(session_irq_work);
	INIT_DELAYED_WORK(&s->work, session_work);
	return s;
}

struct pfm_op_session *pfm_op_session_open(const struct pfm_op_sizes *sizes)
{
	struct pfm_op_session *s = ERR_PTR(-EBUSY);

	mutex_lock(&op_open_lock);
	if (!rcu_access_pointer(op_session)) {
		s = session_new(sizes);
		if (!IS_ERR(s))
			rcu_assign_pointer(op_session, s);
	}
	mutex_unlock(&op_open_lock);
	session_kick();
	return s;
}

/* Nobody will want what is left. */
static void session_discard(struct pfm_op_cpu_buffer *b)
{
	const struct pfm_op_sample *sample;

	while ((sample = pfm_op_next(b))) {
		if (sample->mm)
			mmput(sample->mm);
		pfm_op_count(PFM_OP_LOST_OVERFLOW);
		pfm_op_consume(b);
	}
}

void pfm_op_session_close(struct pfm_op_session *s)
{
	int cpu;

	RCU_INIT_POINTER(op_session, NULL);
	/* Overflows run with preemption disabled: none uses it after this. */
	synchronize_rcu();
	irq_work_sync(&s->irq_work);
	cancel_delayed_work_sync(&s->work);
	for_each_possible_cpu(cpu)
		session_discard(per_cpu_ptr(s->cpus, cpu));
	pfm_op_cookies_drop(&s->cookies);
	session_free(s);
}
