// SPDX-License-Identifier: GPL-2.0
/*
 * attach.c - attachments; exit and exec of monitored threads
 *
 * There can be one context per thread, or one system-wide context per CPU, but
 * not both kinds at the same time (3.1.7; Eranian 2006, 4.1). Probes at
 * tracepoints detect the exit of a monitored thread. They also detect two kinds
 * of exec: one that has removed the thread's perf events, and one for which the
 * context waits (pfm_context.start_at_exec). The probes must not sleep, so they
 * queue a task work. After an exit the task work runs before another process
 * can reap the thread; after an exec, before the thread returns to user mode.
 *
 * A monitored thread must not wait for a command, which may take arbitrarily
 * long. If the context is locked when the task work runs, the thread leaves a
 * note and queues a work item. The next command (pfm_lock()) or the work item
 * acts on the note, whichever comes first. When a CPU goes offline, its context
 * is stopped.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/fdtable.h>
#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <perfmon/perfmon_work.h>
#include "attach.h"
#include "block.h"
#include "compat.h"
#include "context.h"
#include "thread_work.h"
#include "tracepoint.h"

/**
 * struct pfm_attachment - a thread and the context that is attached to it
 * @ref:     held by the attached context, and by a queued or running task work
 *           or work item
 * @ctx:     the context, with a reference
 * @task: the thread, without a reference: used only for comparison
 * @changed: called after an exit or exec of the thread
 * @note:    PFM_NOTE_* bits that the context has not yet acted on
 * @queued:  the task work is queued; used only by the thread
 * @lost:    an exec has removed the thread's events; used only by the thread
 * @work:    the task work
 * @later:   acts on @note if the context was locked
 * @node:    in pfm_threads
 * @rcu:     frees the attachment
 *
 * Each attachment has its own structure: a context may already be attached to
 * another thread while its former thread is still exiting.
 */
struct pfm_attachment {
	struct kref		ref;
	struct pfm_context	*ctx;
	struct task_struct	*task;
	pfm_changed_t		changed;
	atomic_t		note;
	bool			queued;
	bool			lost;
	struct callback_head	work;
	struct work_struct	later;
	struct hlist_node	node;
	struct rcu_head		rcu;
};

#ifdef CONFIG_LOCKDEP
/*
 * Not a lock: lockdep uses this to check the rule of pfm_begin_hurry().
 * pfm_lock() acquires the map while it holds pfm_context.mutex. So lockdep
 * reports a lock inversion if code that holds the map waits for the mutex.
 */
static struct lockdep_map pfm_hurry =
	STATIC_LOCKDEP_MAP_INIT("pfm_hurry", &pfm_hurry);
#endif

static DEFINE_SPINLOCK(pfm_attach_lock);
/* Changed under pfm_attach_lock, read by the tracepoints under RCU. */
static DEFINE_HASHTABLE(pfm_threads, 12);
static unsigned int pfm_num_threads;
static DEFINE_PER_CPU(struct pfm_context *, pfm_cpu_ctx);
static unsigned int pfm_num_cpus;

/* Context: under RCU, or pfm_attach_lock held. */
static struct pfm_attachment *pfm_attach_find(const struct task_struct *task)
{
	struct pfm_attachment *a;

	hash_for_each_possible_rcu(pfm_threads, a, node, (unsigned long)task,
				   lockdep_is_held(&pfm_attach_lock))
		if (a->task == task)
			return a;
	return NULL;
}

static void pfm_attachment_free(struct kref *ref)
{
	struct pfm_attachment *a =
		container_of(ref, struct pfm_attachment, ref);

	pfm_context_put(a->ctx);
	kfree_rcu(a, rcu);
}

/* Act on the thread's note, if any. Context: pfm_context.mutex held. */
static void pfm_attach_follow(struct pfm_context *ctx)
{
	struct pfm_attachment *a = ctx->attachment;
	int note;

	lockdep_assert_held(&ctx->mutex);
	note = a && atomic_read(&a->note) ? atomic_xchg(&a->note, 0) : 0;
	if (note)
		a->changed(ctx, note);
}

void pfm_begin_hurry(void)
{
	lock_map_acquire(&pfm_hurry);
}

void pfm_end_hurry(void)
{
	lock_map_release(&pfm_hurry);
}

void pfm_lock(struct pfm_context *ctx)
{
	mutex_lock(&ctx->mutex);
	WRITE_ONCE(ctx->commanded, true);
	pfm_begin_hurry();
	pfm_end_hurry();
	pfm_attach_follow(ctx);
}

void pfm_unlock(struct pfm_context *ctx)
{
	WRITE_ONCE(ctx->commanded, false);
	mutex_unlock(&ctx->mutex);
}

void pfm_attach_catch_up(struct pfm_context *ctx)
{
	/*
	 * Pairs with pfm_attachment_later(): 0 means that all notes have been
	 * acted on.
	 */
	if (likely(!atomic_read_acquire(&ctx->behind)))
		return;
	pfm_lock(ctx);
	pfm_unlock(ctx);
}

/*
 * Drop the references that a finished task work or work item held: to @a and to
 * this module.
 */
static void pfm_attachment_put_work(struct pfm_attachment *a)
{
	kref_put(&a->ref, pfm_attachment_free);
	pfm_thread_work_done();
}

static void pfm_attachment_later(struct work_struct *work)
{
	struct pfm_attachment *a =
		container_of(work, struct pfm_attachment, later);

	pfm_lock(a->ctx);
	pfm_unlock(a->ctx);
	/*
	 * A command that has taken the note has also acted on it by now: the
	 * command held the mutex until it had done so, and pfm_lock() above has
	 * waited for the mutex.
	 */
	atomic_fetch_dec_release(&a->ctx->behind);
	pfm_attachment_put_work(a);
}

/* Context: the caller has a reference to @a and to this module. */
static void pfm_attachment_queue_later(struct pfm_attachment *a)
{
	atomic_inc(&a->ctx->behind);
	kref_get(&a->ref);
	__module_get(THIS_MODULE);
	if (queue_work(pfm_wq, &a->later))
		return;
	/* The work item was already queued, and will see the new note, too. */
	atomic_dec(&a->ctx->behind);
	pfm_attachment_put_work(a);
}

/*
 * Leave a note, and act on it unless the context is locked. Context: the
 * monitored thread, which holds a reference to @a and to this module.
 */
static void pfm_attachment_note(struct pfm_attachment *a, int note)
{
	struct pfm_context *ctx = a->ctx;

	atomic_or(note, &a->note);
	pfm_begin_hurry();
	if (mutex_trylock(&ctx->mutex)) {
		pfm_attach_follow(ctx);
		mutex_unlock(&ctx->mutex);
	} else {
		pfm_attachment_queue_later(a);
	}
	pfm_end_hurry();
}

/* Add PFM_NOTE_LOST to @note if an exec has removed the thread's events. */
static int pfm_add_lost(struct pfm_attachment *a, int note)
{
	bool lost = a->lost;

	/* a->changed() reloads the events of a trusted context. */
	if (a->ctx->trusted)
		a->lost = false;
	return lost ? note | PFM_NOTE_LOST : note;
}

/* Context: the monitored thread. */
static void pfm_attachment_work(struct callback_head *work)
{
	struct pfm_attachment *a =
		container_of(work, struct pfm_attachment, work);

	a->queued = false;
	pfm_attachment_note(a, pfm_add_lost(a, current->flags & PF_EXITING ?
					       PFM_NOTE_EXIT : PFM_NOTE_EXEC));
	pfm_attachment_put_work(a);
}

void pfm_attach_exit_quietly(const struct pfm_context *ctx)
{
	struct pfm_attachment *a;

	rcu_read_lock();
	a = pfm_attach_find(current);
	if (a && (a->ctx != ctx || !kref_get_unless_zero(&a->ref)))
		a = NULL;
	rcu_read_unlock();
	if (!a)
		return;
	pfm_attachment_note(a, pfm_add_lost(a, PFM_NOTE_EXIT | PFM_NOTE_QUIET));
	kref_put(&a->ref, pfm_attachment_free);
}

static struct pfm_attachment *pfm_attachment_alloc(struct pfm_context *ctx,
						   pfm_changed_t changed)
{
	struct pfm_attachment *a = kzalloc(sizeof(*a), PFM_GFP);

	if (!a)
		return NULL;
	kref_init(&a->ref);
	kref_get(&ctx->ref);
	a->ctx = ctx;
	a->task = ctx->target.task;
	a->changed = changed;
	init_task_work(&a->work, pfm_attachment_work);
	INIT_WORK(&a->later, pfm_attachment_later);
	return a;
}

static int pfm_reserve_cpu(struct pfm_context *ctx)
{
	int cpu = ctx->target.cpu;

	lockdep_assert_held(&pfm_attach_lock);
	if (pfm_num_threads || per_cpu(pfm_cpu_ctx, cpu))
		return -EBUSY;
	/* An active CPU calls pfm_attach_cpu_gone() if it goes offline. */
	if (!cpu_active(cpu))
		return -ENODEV;
	per_cpu(pfm_cpu_ctx, cpu) = ctx;
	pfm_num_cpus++;
	return 0;
}

static void pfm_unhash_thread(struct pfm_attachment *a)
{
	lockdep_assert_held(&pfm_attach_lock);
	hash_del_rcu(&a->node);
	WRITE_ONCE(pfm_num_threads, pfm_num_threads - 1);
}

static int pfm_reserve_thread(struct pfm_attachment *a)
{
	lockdep_assert_held(&pfm_attach_lock);
	if (pfm_num_cpus || pfm_attach_find(a->task))
		return -EBUSY;
	hash_add_rcu(pfm_threads, &a->node, (unsigned long)a->task);
	WRITE_ONCE(pfm_num_threads, pfm_num_threads + 1);
	/*
	 * Pairs with pfm_probe_exit(): at least one side sees the other's
	 * write.
	 */
	smp_mb();
	if (!(READ_ONCE(a->task->flags) & PF_EXITING))
		return 0;
	pfm_unhash_thread(a);
	return -ESRCH;
}

int pfm_attach_claim(struct pfm_context *ctx, pfm_changed_t changed)
{
	struct pfm_attachment *a = NULL;
	int ret;

	lockdep_assert_held(&ctx->mutex);
	if (ctx->target.task) {
		a = pfm_attachment_alloc(ctx, changed);
		if (!a)
			return -ENOMEM;
	}
	spin_lock(&pfm_attach_lock);
	WRITE_ONCE(ctx->gone, false);
	ret = a ? pfm_reserve_thread(a) : pfm_reserve_cpu(ctx);
	spin_unlock(&pfm_attach_lock);
	if (!ret)
		ctx->attachment = a;
	else if (a)
		kref_put(&a->ref, pfm_attachment_free);
	return ret;
}

void pfm_attach_release(struct pfm_context *ctx)
{
	struct pfm_attachment *a = ctx->attachment;

	lockdep_assert_held(&ctx->mutex);
	spin_lock(&pfm_attach_lock);
	if (a) {
		pfm_unhash_thread(a);
	} else {
		per_cpu(pfm_cpu_ctx, ctx->target.cpu) = NULL;
		pfm_num_cpus--;
	}
	spin_unlock(&pfm_attach_lock);
	ctx->attachment = NULL;
	if (a)
		kref_put(&a->ref, pfm_attachment_free);
}

struct pfm_context *pfm_attach_get_cpu(unsigned int cpu)
{
	struct pfm_context *ctx;

	spin_lock(&pfm_attach_lock);
	ctx = per_cpu(pfm_cpu_ctx, cpu);
	if (ctx)
		kref_get(&ctx->ref);
	spin_unlock(&pfm_attach_lock);
	return ctx;
}

struct pfm_context *pfm_attach_get_thread(const struct task_struct *task)
{
	struct pfm_context *ctx = NULL;
	struct pfm_attachment *a;

	spin_lock(&pfm_attach_lock);
	a = pfm_attach_find(task);
	if (a) {
		ctx = a->ctx;
		kref_get(&ctx->ref);
	}
	spin_unlock(&pfm_attach_lock);
	return ctx;
}

struct pfm_context *pfm_attach_here(void)
{
	const struct pfm_attachment *a = pfm_attach_find(current);

	return a ? a->ctx : NULL;
}

struct pfm_context *pfm_attach_to_inherit(void)
{
	const struct pfm_attachment *a = pfm_attach_find(current);

	/*
	 * If the context was locked during the exec, it may still be attached,
	 * although the exec has removed its events.
	 */
	return a && (!a->lost || a->ctx->trusted) ? a->ctx : NULL;
}

/*
 * The caller has interrupts off, so it may use the set without a reference: a
 * context is detached only after an interrupt on this CPU has stopped its
 * events.
 */
struct pfm_pmu_set *pfm_set_here(void)
{
	struct pfm_context *ctx = this_cpu_read(pfm_cpu_ctx);

	rcu_read_lock();
	ctx = ctx ?: pfm_attach_here();
	rcu_read_unlock();
	return ctx ? &ctx->on_pmu->pmu_set : NULL;
}
EXPORT_SYMBOL_GPL(pfm_set_here);

void pfm_attach_cpu_gone(unsigned int cpu)
{
	struct pfm_context *ctx;

	spin_lock(&pfm_attach_lock);
	ctx = per_cpu(pfm_cpu_ctx, cpu);
	if (ctx) {
		WRITE_ONCE(ctx->gone, true);
		pfm_queue_work(&ctx->stop);
	}
	spin_unlock(&pfm_attach_lock);
}

static int pfm_is_file(const void *file, struct file *other, unsigned int fd)
{
	return file == other;
}

bool pfm_holds_descriptor(const struct pfm_context *ctx)
{
	return current->files &&
	       iterate_fd(current->files, 0, pfm_is_file, ctx->file);
}

/* Context: the monitored thread; under RCU. */
static void pfm_attachment_queue(struct pfm_attachment *a,
				 enum task_work_notify_mode notify)
{
	if (a->queued || !kref_get_unless_zero(&a->ref))
		return;
	a->queued = true;
	/*
	 * After an exec, the tool may lack the right to block the new program,
	 * so stop blocking.
	 */
	pfm_block_end(a->ctx);
	/*
	 * The thread still runs task works. So this fails only if the module is
	 * being unloaded, after the context's last descriptor was closed.
	 */
	if (!pfm_thread_work_add(current, &a->work, notify))
		kref_put(&a->ref, pfm_attachment_free);
}

/*
 * Handle an exit or exec of the calling thread. @lost: the exec has removed its
 * perf events. Context: a tracepoint in the monitored thread. Preemption may be
 * on: some kernels, such as 7.3, run probes under SRCU.
 */
static void pfm_thread_changes(bool exits, bool lost)
{
	struct pfm_attachment *a;

	if (!READ_ONCE(pfm_num_threads))
		return;
	rcu_read_lock();
	a = pfm_attach_find(current);
	if (a && (exits || lost || READ_ONCE(a->ctx->start_at_exec))) {
		a->lost |= lost;
		pfm_attachment_queue(a, exits ? TWA_NONE : TWA_RESUME);
	}
	rcu_read_unlock();
}

/*
 * The exiting thread closes its descriptors and runs its last task works later.
 */
static void pfm_probe_exit(PFM_PROBE_EXIT_ARGS)
{
	/* PF_EXITING is set. Pairs with pfm_reserve_thread(). */
	smp_mb();
	pfm_thread_changes(true, false);
}

/*
 * An exec removes the thread's perf events if the new program is not dumpable.
 */
static void pfm_probe_exec(void *unused, struct task_struct *task,
			   pid_t old_pid, struct linux_binprm *bprm)
{
	bool dumpable;

	rcu_read_lock();
	dumpable = pfm_is_dumpable(task, task->mm);
	rcu_read_unlock();
	pfm_thread_changes(false, !dumpable);
}

static struct pfm_probe pfm_probes[] = {
	{ .name = "sched_process_exit", .func = pfm_probe_exit },
	{ .name = "sched_process_exec", .func = pfm_probe_exec },
};

static void pfm_remove_probes(int n)
{
	while (n-- > 0)
		pfm_probe_put(&pfm_probes[n]);
	tracepoint_synchronize_unregister();
}

int pfm_attach_init(void)
{
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(pfm_probes); i++) {
		ret = pfm_probe_get(&pfm_probes[i]);
		if (ret) {
			pr_err("perfmon: cannot use the tracepoint %s: error %d\n",
			       pfm_probes[i].name, ret);
			pfm_remove_probes(i);
			return ret;
		}
	}
	return 0;
}

void pfm_attach_exit(void)
{
	pfm_remove_probes(ARRAY_SIZE(pfm_probes));
}
