// SPDX-License-Identifier: GPL-2.0
/*
 * load.c - attaching a context, detaching it, starting and stopping
 *	    (3.1.5-3.1.8)
 */
#include <linux/capability.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include "attach.h"
#include "block.h"
#include "compat.h"
#include "context.h"
#include "evtset.h"
#include "evtset_switch.h"
#include "family.h"
#include "freeze.h"
#include "exclude.h"
#include "instant.h"
#include "last.h"
#include "load.h"
#include "msgq.h"
#include "owner.h"
#include "pause.h"
#include "perm.h"
#include "rate.h"
#include "regs.h"
#include "release.h"
#include "value.h"

int pfm_check_cpu(const struct pfm_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	if (pfm_is_offline(ctx))
		return -ENODEV;
	if (!ctx->loaded)
		return -EBUSY;
	if (!pfm_is_syswide(ctx))
		return 0;
	return ctx->target.cpu == raw_smp_processor_id() ? 0 : -EBUSY;
}

/*
 * Is this a thread of the calling process (self-monitoring; docs/readings.md,
 * A21)?
 */
static bool pfm_is_self(const struct task_struct *task)
{
	return same_thread_group((struct task_struct *)task, current);
}

/*
 * Can the thread be blocked? Threads are blocked on their way back to user
 * space, so threads of the kernel cannot be blocked. Threads of the calling
 * process must not be: PFM_RESTART, which ends the blocking, is to come from
 * another process.
 */
static bool pfm_can_be_blocked(const struct task_struct *task)
{
	return !(task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)) &&
	       !pfm_is_self(task);
}

static struct task_struct *pfm_get_task(pid_t vpid)
{
	struct pid *pid = find_get_pid(vpid);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);

	put_pid(pid);
	return task;
}

/*
 * Unload from the PMU the sets that precede @end, or all sets if @end is NULL.
 */
static void pfm_unload_evtsets(struct pfm_context *ctx,
			       const struct pfm_evtset *end)
{
	struct pfm_evtset *set;
	unsigned long id;

	pfm_for_each_evtset(ctx, id, set) {
		if (set == end)
			break;
		ctx->pmu->unload(&set->pmu_set);
	}
}

/* Let the PMU see the target of @set; keep the PMDs that were denied so far. */
static void pfm_aim_evtset(struct pfm_evtset *set,
			   const struct pfm_pmu_set *target)
{
	struct pfm_pmu_set aimed = *target;

	bitmap_copy(aimed.denied, set->pmu_set.denied, PFM_MAX_PMDS);
	set->pmu_set = aimed;
}

/* Load all sets in advance, so that a switch cannot fail for lack of memory. */
static int pfm_load_evtsets(struct pfm_context *ctx)
{
	struct pfm_evtset *set;
	unsigned long id;
	int ret;

	pfm_for_each_evtset(ctx, id, set) {
		pfm_prepare_evtset(set);
		pfm_aim_evtset(set, &ctx->target);
		ret = ctx->pmu->load(&set->pmu_set, set->regs);
		if (ret) {
			pfm_unload_evtsets(ctx, set);
			return ret;
		}
	}
	return 0;
}

/* Forget what has happened to the sets in an earlier attachment. */
static void pfm_forget_events(struct pfm_context *ctx)
{
	struct pfm_evtset *set;
	unsigned long id;

	pfm_for_each_evtset(ctx, id, set) {
		bitmap_zero(set->to_reset, PFM_MAX_PMDS);
		bitmap_zero(set->switch_pmds, PFM_MAX_PMDS);
		bitmap_zero(set->pmu_set.denied, PFM_MAX_PMDS);
	}
}

/* Load all sets, and program the registers of @set. */
static int pfm_load_registers(struct pfm_context *ctx, struct pfm_evtset *set)
{
	int ret = pfm_load_evtsets(ctx);

	if (ret)
		return ret;
	ctx->set = set;
	ret = pfm_program_regs(ctx) ?: pfm_exclusion_attach(ctx);
	if (ret)
		pfm_unload_evtsets(ctx, NULL);
	return ret;
}

/**
 * struct pfm_rights - the caller's rights to the thread or CPU to attach to
 * @user_only: no event may count in the kernel
 * @trusted:   pfm_context.trusted
 * @can_read:  the thread may read its counters itself
 * @program:   the program that the caller may monitor
 */
struct pfm_rights {
	bool			user_only;
	bool			trusted;
	bool			can_read;
	struct pfm_program	program;
};

/*
 * Load the PMU. perf may take long to create the events, and an exec must not
 * wait for that. So exec_update_lock is not held meanwhile. Instead, check
 * afterwards that the thread still runs the program that the caller may
 * monitor. Return: 0; PFM_ASK_FIRST if the thread has executed another program;
 * an error of the PMU.
 */
static int pfm_load_pmu(struct pfm_context *ctx, struct pfm_evtset *set,
			const struct pfm_rights *may)
{
	int ret = pfm_load_registers(ctx, set);

	if (ret)
		return ret;
	if (ctx->target.task &&
	    !pfm_runs_still(ctx->target.task, &may->program)) {
		pfm_unload_evtsets(ctx, NULL);
		return PFM_ASK_FIRST;
	}
	pfm_forget_events(ctx);
	pfm_begin_evtset(ctx, set, false);
	ctx->on_pmu = set;
	ctx->loaded = true;
	pfm_publish_active(ctx);
	return 0;
}

static int pfm_check_load(struct pfm_context *ctx, const pfarg_load_t *req,
			  const struct task_struct *task)
{
	if (ctx->loaded)
		return -EBUSY;
	if (req->reserved1 ||
	    req->load_flags & ~PFM_LOADFL_CGROUP ||
	    (req->load_flags ? task != NULL : req->load_cgroup) ||
	    memchr_inv(req->reserved2, 0, sizeof(req->reserved2)))
		return -EINVAL;
	if (!task && req->load_pid != task_pid_vnr(current))
		return -EINVAL;
	return pfm_evtset_find(ctx, req->load_set) ? pfm_switch_link(ctx) :
						     -EINVAL;
}

/*
 * May the thread read its counters in user mode? It must be the caller itself,
 * the context must have pages for user space (PFM_FL_MAP_SETS), and the
 * administrator must allow it.
 */
static bool pfm_can_read_counters(const struct pfm_context *ctx,
				  const struct task_struct *task)
{
	return task == current && ctx->flags & PFM_FL_MAP_SETS &&
	       pfm_may_read_counters();
}

/* Record the calling thread if it may read its counters. */
static void pfm_set_reader(struct pfm_context *ctx, bool can_read)
{
	ctx->target.user_read = can_read;
	ctx->reader = (struct pfm_reader){};
	if (!can_read)
		return;
	ctx->reader.tid = task_pid_vnr(current);
	ctx->reader.pid_ns = task_active_pid_ns(current)->ns.inum;
}

/* Set the target: @task, or this CPU if it is NULL. Return: 0 or an errno. */
static int pfm_set_target(struct pfm_context *ctx, const pfarg_load_t *req,
			  struct task_struct *task)
{
	struct cgroup *cgroup = NULL;

	if (req->load_flags & PFM_LOADFL_CGROUP)
		cgroup = pfm_cgroup_get(req->load_cgroup);
	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	ctx->cgroup = cgroup;
	if (task)
		ctx->target.task = get_task_struct(task);
	else
		ctx->target.cpu = raw_smp_processor_id();
	ctx->pid_ns = get_pid_ns(pfm_is_member(ctx) ?
					 ctx->family->pid_ns :
					 task_active_pid_ns(current));
	ctx->translated = ctx->pid_ns != &init_pid_ns;
	pfm_note_ids(ctx, task ?: current);
	return 0;
}

static void pfm_put_target(struct pfm_context *ctx)
{
	if (ctx->target.task)
		put_task_struct(ctx->target.task);
	ctx->target.task = NULL;
	ctx->target.cpu = -1;
	put_pid_ns(ctx->pid_ns);
	ctx->pid_ns = NULL;
	pfm_cgroup_put(ctx->cgroup);
	ctx->cgroup = NULL;
}

/*
 * Stop the PMU, save the values, and unload the event sets. @exits: the thread
 * is exiting, so take its last samples.
 */
static void pfm_unload_pmu(struct pfm_context *ctx, bool exits)
{
	struct pfm_pmd *pmd;
	u16 i;

	pfm_exclusion_detach(ctx);
	pfm_pause(ctx);
	if (exits && ctx->started)
		pfm_sample_exit(ctx);
	pfm_for_each_pmd(ctx->set, i, pmd)
		pmd->value = pfm_value_read(pmd);
	ctx->loaded = false;
	/*
	 * If the context is masked, pfm_pause() has not waited for overflows,
	 * and one may still be reading registers.
	 */
	pfm_wait_overflows(ctx);
	pfm_unload_evtsets(ctx, NULL);
	pfm_wait_kicks(ctx);
}

/* Release the thread or CPU after the PMU was unloaded. */
static void pfm_let_go(struct pfm_context *ctx)
{
	ctx->started = false;
	WRITE_ONCE(ctx->start_at_exec, false);
	WRITE_ONCE(ctx->self, NULL);
	pfm_set_reader(ctx, false);
	pfm_end_evtset(ctx->set);
	ctx->frozen = 0;
	pfm_publish(ctx->set);
	pfm_block_detach(ctx);
	pfm_attach_release(ctx);
	pfm_put_target(ctx);
}

void pfm_detach(struct pfm_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	pfm_unload_pmu(ctx, false);
	pfm_let_go(ctx);
}

/* Load the PMU again after pfm_unload_pmu(), and continue counting. */
static int pfm_reload_pmu(struct pfm_context *ctx)
{
	int ret = pfm_load_registers(ctx, ctx->set);

	if (ret)
		return ret;
	ctx->fmt_state = (struct pfm_ovfl_state){};
	ctx->loaded = true;
	if (pfm_resume(ctx))
		ctx->sets_denied++;
	return 0;
}

/*
 * Unload the PMU of a thread that has exited, or whose perf events an exec has
 * removed (3.1.7). After an exec load the PMU again, but only if the attaching
 * process may monitor any program.
 */
static void pfm_events_lost(struct pfm_context *ctx, int note)
{
	bool self = ctx->self, exits = note & PFM_NOTE_EXIT;

	lockdep_assert_held(&ctx->mutex);
	/*
	 * Take no last samples if an exec has removed the events: the tool may
	 * lack the right to monitor the new program.
	 */
	pfm_unload_pmu(ctx, exits && !(note & PFM_NOTE_LOST));
	pfm_set_reader(ctx, false);
	if (exits || !ctx->trusted || pfm_reload_pmu(ctx)) {
		pfm_let_go(ctx);
		if (pfm_is_member(ctx)) {
			if (!exits)
				atomic64_inc(&ctx->family->failed);
			pfm_family_leave(ctx);
			return;
		}
		ctx->exec_detached = !exits;
		/*
		 * Queue no PFM_MSG_END for the exit of a thread that its own
		 * process monitors.
		 */
		if (!(note & PFM_NOTE_QUIET) && !(exits && self)) {
			pfm_msgq_put_end(&ctx->msgq);
			pfm_msgq_tell_readers(&ctx->msgq);
		}
	}
	pfm_release_soon(ctx);
}

void pfm_start_or_deny(struct pfm_context *ctx)
{
	ctx->started = true;
	if (pfm_resume(ctx))
		ctx->sets_denied++;
}

/*
 * Start the context at an exec of its thread, and let new members start at
 * birth. Existing members are not started: the thread, which is in the exec,
 * must not wait for their mutexes.
 */
static void pfm_start_after_exec(struct pfm_context *ctx)
{
	WRITE_ONCE(ctx->start_at_exec, false);
	pfm_start_or_deny(ctx);
	if (ctx->family)
		WRITE_ONCE(ctx->family->started, true);
}

void pfm_thread_changed(struct pfm_context *ctx, int note)
{
	if (note & (PFM_NOTE_EXIT | PFM_NOTE_LOST))
		pfm_events_lost(ctx, note);
	if (ctx->start_at_exec)
		pfm_start_after_exec(ctx);
}

/* Attach to @task, or to this CPU if it is NULL. */
static int pfm_load_locked(struct pfm_context *ctx, const pfarg_load_t *req,
			   struct task_struct *task,
			   const struct pfm_rights *may)
{
	int ret = pfm_check_load(ctx, req, task) ?:
		  pfm_set_target(ctx, req, task);

	if (ret)
		return ret;
	ctx->fmt_state = (struct pfm_ovfl_state){};
	ctx->target.user_only = may->user_only;
	ctx->trusted = may->trusted;
	pfm_set_reader(ctx, may->can_read);
	ret = pfm_attach_claim(ctx, pfm_thread_changed);
	if (ret)
		goto err_put;
	ret = pfm_block_attach(ctx) ?:
	      pfm_load_pmu(ctx, pfm_evtset_find(ctx, req->load_set), may);
	if (!ret) {
		WRITE_ONCE(ctx->self, task && pfm_is_self(task) ?
					      task->signal : NULL);
		ctx->exec_detached = false;
		pfm_rate_init(ctx);
		pfm_msgq_reset(&ctx->msgq);
		if (ctx->family && !pfm_is_member(ctx))
			WRITE_ONCE(ctx->family->ready, true);
		return 0;
	}
	pfm_block_detach(ctx);
	pfm_attach_release(ctx);
err_put:
	pfm_set_reader(ctx, false);
	pfm_put_target(ctx);
	return ret;
}

static int pfm_load_target(struct pfm_context *ctx, const pfarg_load_t *req,
			   struct task_struct *task,
			   const struct pfm_rights *may)
{
	int ret;

	pfm_lock(ctx);
	ret = pfm_load_locked(ctx, req, task, may);
	pfm_unlock(ctx);
	return ret;
}

static int pfm_load_thread(struct pfm_context *ctx, const pfarg_load_t *req,
			   struct task_struct *task, struct pfm_rights *may)
{
	int ret;

	may->can_read = pfm_can_read_counters(ctx, task);
	if (pfm_may_block(ctx) && !pfm_can_be_blocked(task))
		return -EINVAL;
	do {
		ret = pfm_may_attach_begin(task, pfm_may_block(ctx),
					   &may->program);
		if (ret)
			return ret;
		pfm_may_attach_end(task);
		ret = pfm_load_target(ctx, req, task, may);
		/* A failed attempt leaves events to be released. */
		pfm_release_after(ctx);
	} while (ret == PFM_ASK_FIRST && !fatal_signal_pending(current));
	return ret == PFM_ASK_FIRST ? -EINTR : ret;
}

/* The rights of the caller count, not those of the context's creator. */
int pfm_load_context(struct pfm_context *ctx, void *arg)
{
	const pfarg_load_t *req = arg;
	struct pfm_rights may = {};
	struct task_struct *task;
	int ret = pfm_may_measure(ctx->flags, &may.user_only);

	if (ret)
		return ret;
	if (pfm_is_syswide(ctx))
		return pfm_load_target(ctx, req, NULL, &may);
	may.trusted = perfmon_capable() && !pfm_may_block(ctx);
	task = pfm_get_task(req->load_pid);
	if (!task)
		return -ESRCH;
	ret = pfm_load_thread(ctx, req, task, &may);
	put_task_struct(task);
	return ret;
}

int pfm_load_member(struct pfm_context *ctx, bool user_only, bool trusted)
{
	const pfarg_load_t req = {};
	const struct pfm_rights may = {
		.user_only = user_only, .trusted = trusted,
		.program.any = true,
	};

	return pfm_load_locked(ctx, &req, current, &may);
}

int pfm_unload_context(struct pfm_context *ctx)
{
	int ret;

	pfm_lock(ctx);
	ret = pfm_is_offline(ctx) ? 0 : pfm_check_cpu(ctx);
	if (!ret)
		pfm_detach(ctx);
	pfm_unlock(ctx);
	pfm_release_all(ctx);
	return ret;
}

/*
 * Find the set to start: the requested one, or the active set if @req is NULL.
 * Return: the set; NULL if it does not exist, or the request is invalid.
 */
static struct pfm_evtset *pfm_evtset_to_start(struct pfm_context *ctx,
					      const pfarg_start_t *req)
{
	if (!req)
		return ctx->set;
	if (req->start_flags & ~PFM_STARTFL_EXEC ||
	    (req->start_flags && pfm_is_syswide(ctx)) || req->reserved2 ||
	    memchr_inv(req->reserved3, 0, sizeof(req->reserved3)))
		return NULL;
	return pfm_evtset_find(ctx, req->start_set);
}

/* Make @set the active set of a stopped context, which may be masked. */
static int pfm_designate(struct pfm_context *ctx, struct pfm_evtset *set)
{
	int ret;

	pfm_pause(ctx);
	/* A late overflow of the previous set may still be in progress. */
	pfm_wait_overflows(ctx);
	if (!(ctx->frozen & ~PFM_EXCLUDED))
		pfm_freeze(ctx, PFM_SWITCHING, pfm_value_read);
	pfm_end_evtset(ctx->set);
	pfm_begin_evtset(ctx, set, false);
	if (pfm_is_masked(ctx))
		return 0;
	set_mask_bits(&ctx->frozen, PFM_SWITCHING, 0);
	ret = pfm_program_regs(ctx);
	pfm_publish(set);
	return ret;
}

bool pfm_starts_at_exec(const pfarg_start_t *req)
{
	return req && req->start_flags & PFM_STARTFL_EXEC;
}

int pfm_start_monitoring(struct pfm_context *ctx, void *arg)
{
	struct pfm_evtset *set = pfm_evtset_to_start(ctx, arg);
	int ret = pfm_check_cpu(ctx);

	if (ret)
		return ret;
	if (!set)
		return -EINVAL;
	if (ctx->started)
		return 0;
	if (set != ctx->set)
		ret = pfm_designate(ctx, set);
	if (ret)
		return ret;
	WRITE_ONCE(ctx->start_at_exec, pfm_starts_at_exec(arg));
	ctx->started = !ctx->start_at_exec;
	ret = pfm_resume(ctx);
	if (ret) {
		pfm_pause(ctx);
		ctx->started = false;
		pfm_publish_active(ctx);
	}
	return ret;
}

int pfm_stop_monitoring(struct pfm_context *ctx)
{
	int ret = pfm_check_cpu(ctx);

	if (ret)
		return ret;
	pfm_pause(ctx);
	WRITE_ONCE(ctx->start_at_exec, false);
	ctx->started = false;
	ctx->fmt_state = (struct pfm_ovfl_state){};
	return pfm_resume(ctx);
}
