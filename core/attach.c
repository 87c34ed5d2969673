// SPDX-License-Identifier: GPL-2.0
/*
 * attach.c - who is attached to what, and what becomes of the thread
 *
 * One context per thread, one system-wide context per CPU, and the two kinds
 * exclude each other (3.1.7; 2006 paper, 4.1). A thread's exit, and an exec
 * that took the PMU away from it, detach its context: the tracepoints that tell
 * us may not sleep, so a work item does it. A CPU that goes offline stops its
 * one.
 */
#include <linux/cpumask.h>
#include <linux/fdtable.h>
#include <linux/hashtable.h>
#include <linux/percpu.h>
#include <linux/sched/coredump.h>
#include <linux/sched/signal.h>
#include <linux/tracepoint.h>
#include "attach.h"
#include "context.h"
#include "tracepoint.h"

static DEFINE_SPINLOCK(pfm_attach_lock);
static DEFINE_HASHTABLE(pfm_threads, 8);
static DEFINE_PER_CPU(struct pfm_context *, pfm_cpu_ctx);
static unsigned int pfm_num_threads;
static unsigned int pfm_num_cpus;

static struct pfm_context *pfm_attach_find(const struct task_struct *task)
{
	struct pfm_context *ctx;

	lockdep_assert_held(&pfm_attach_lock);
	hash_for_each_possible(pfm_threads, ctx, node, (unsigned long)task)
		if (ctx->target.task == task)
			return ctx;
	return NULL;
}

static int pfm_reserve_cpu(struct pfm_context *ctx)
{
	int cpu = ctx->target.cpu;

	lockdep_assert_held(&pfm_attach_lock);
	if (pfm_num_threads || per_cpu(pfm_cpu_ctx, cpu))
		return -EBUSY;
	/* If an active one goes later, pfm_attach_cpu_gone() is called. */
	if (!cpu_active(cpu))
		return -ENODEV;
	per_cpu(pfm_cpu_ctx, cpu) = ctx;
	pfm_num_cpus++;
	return 0;
}

static int pfm_reserve_thread(struct pfm_context *ctx)
{
	struct task_struct *task = ctx->target.task;

	lockdep_assert_held(&pfm_attach_lock);
	if (pfm_num_cpus || pfm_attach_find(task))
		return -EBUSY;
	if (READ_ONCE(task->flags) & PF_EXITING)
		return -ESRCH;
	hash_add(pfm_threads, &ctx->node, (unsigned long)task);
	pfm_num_threads++;
	return 0;
}

int pfm_attach_claim(struct pfm_context *ctx)
{
	int ret;

	lockdep_assert_held(&ctx->mutex);
	spin_lock(&pfm_attach_lock);
	WRITE_ONCE(ctx->gone, false);
	if (ctx->target.task)
		ret = pfm_reserve_thread(ctx);
	else
		ret = pfm_reserve_cpu(ctx);
	spin_unlock(&pfm_attach_lock);
	return ret;
}

void pfm_attach_release(struct pfm_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	spin_lock(&pfm_attach_lock);
	if (ctx->target.task) {
		hash_del(&ctx->node);
		pfm_num_threads--;
	} else {
		per_cpu(pfm_cpu_ctx, ctx->target.cpu) = NULL;
		pfm_num_cpus--;
	}
	spin_unlock(&pfm_attach_lock);
}

bool pfm_attach_is_gone(struct pfm_context *ctx, bool *tell)
{
	bool gone;

	spin_lock(&pfm_attach_lock);
	gone = ctx->gone;
	*tell = ctx->tell;
	spin_unlock(&pfm_attach_lock);
	return gone;
}

struct pfm_context *pfm_attach_get(int cpu)
{
	struct pfm_context *ctx;

	spin_lock(&pfm_attach_lock);
	ctx = cpu < 0 ? pfm_attach_find(current) : per_cpu(pfm_cpu_ctx, cpu);
	if (ctx)
		kref_get(&ctx->ref);
	spin_unlock(&pfm_attach_lock);
	return ctx;
}

void pfm_attach_cpu_gone(unsigned int cpu)
{
	struct pfm_context *ctx;

	spin_lock(&pfm_attach_lock);
	ctx = per_cpu(pfm_cpu_ctx, cpu);
	if (ctx) {
		WRITE_ONCE(ctx->gone, true);
		queue_work(system_unbound_wq, &ctx->stop);
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

/* Context: tracepoint in the thread that goes; preemption disabled. */
static void pfm_attach_thread_gone(struct task_struct *task)
{
	struct pfm_context *ctx;

	spin_lock(&pfm_attach_lock);
	ctx = pfm_attach_find(task);
	if (ctx) {
		WRITE_ONCE(ctx->gone, true);
		/* One that monitors itself gets no message (3.3.6). */
		ctx->tell = !pfm_holds_descriptor(ctx);
		schedule_work(&ctx->detach);
	}
	spin_unlock(&pfm_attach_lock);
}

static void pfm_probe_exit(void *unused, struct task_struct *task)
{
	pfm_attach_thread_gone(task);
}

/*
 * An exec that changes credentials removes the thread's perf events in core
 * code; the context has nothing to count with any more.
 */
static void pfm_probe_exec(void *unused, struct task_struct *task,
			   pid_t old_pid, struct linux_binprm *bprm)
{
	if (get_dumpable(task->mm) != SUID_DUMP_USER)
		pfm_attach_thread_gone(task);
}

static struct pfm_probe {
	const char		*name;
	void			*func;
	struct tracepoint	*tp;
} pfm_probes[] = {
	{ .name = "sched_process_exit", .func = pfm_probe_exit },
	{ .name = "sched_process_exec", .func = pfm_probe_exec },
};

static void pfm_remove_probes(int n)
{
	while (n-- > 0)
		tracepoint_probe_unregister(pfm_probes[n].tp,
					    pfm_probes[n].func, NULL);
	tracepoint_synchronize_unregister();
}

int pfm_attach_init(void)
{
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(pfm_probes); i++) {
		pfm_probes[i].tp = pfm_find_tracepoint(pfm_probes[i].name);
		ret = -ENOENT;
		if (pfm_probes[i].tp)
			ret = tracepoint_probe_register(pfm_probes[i].tp,
							pfm_probes[i].func,
							NULL);
		if (ret) {
			pr_err("perfmon: no tracepoint %s\n",
			       pfm_probes[i].name);
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
