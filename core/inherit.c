// SPDX-License-Identifier: GPL-2.0
/*
 * inherit.c - PFM_FL_INHERIT: contexts for new threads, and commands on a
 *	       context and its family
 *
 * The tool creates one context, the root, and attaches it to a thread. Each
 * thread that descends from that thread gets a context of its own, a member of
 * the root's family (family.c). The birth of a member goes as follows:
 *
 * A probe at the tracepoint of forks finds the parent's context, and queues a
 * task work in the child. The task work runs before the child's first
 * instruction in user mode. In it the child creates a context for itself, loads
 * it and, if the family is started, starts it. perf's inherited events work in
 * a similar way, but here each thread has a context of its own. No access right
 * is checked, because the child begins as a copy of its parent.
 *
 * The task work adds the context to the family's list, then loads and starts
 * it, all with the context's mutex held. So a PFM_STOP or close() that finds
 * the context on the list waits until the task work is done. A PFM_STOP or
 * close() that does not find it there changed the family's state before the
 * context was added, and the task work sees the new state.
 */
#include <linux/atomic.h>
#include <linux/lockdep.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include "attach.h"
#include "create.h"
#include "family.h"
#include "heritage.h"
#include "inherit.h"
#include "load.h"
#include "regs.h"
#include "release.h"
#include "restart.h"
#include "share.h"
#include "thread_work.h"
#include "tracepoint.h"

/**
 * struct pfm_birth - a member that is to be created for a new thread
 * @work:   task work in that thread
 * @family: the family; the birth holds a reference and a reserved place
 * @parent: settings that the member inherits
 */
struct pfm_birth {
	struct callback_head	work;
	struct pfm_family	*family;
	struct pfm_parent	parent;
};

/*
 * Lock class of the members' mutexes: a command locks them while it holds the
 * root's mutex, so lockdep must tell them from the root's.
 */
static struct lock_class_key pfm_member_key;

/* Context: mutex of @ctx held. */
static void pfm_end_member(struct pfm_context *ctx)
{
	if (ctx->loaded)
		pfm_detach(ctx);
	pfm_family_leave(ctx);
}

static void pfm_free_member(struct pfm_context *ctx)
{
	pfm_context_destroy(ctx);
	/*
	 * A work item may run this code after the last descriptor was closed,
	 * and without this reference the module can be unloaded. But the
	 * module's exit waits for work items, so the code is not freed while it
	 * runs.
	 */
	module_put(THIS_MODULE);
}

/* Free the members kept for reuse. Context: the family is over. */
static void pfm_free_spares(struct pfm_family *family)
{
	struct pfm_context *ctx;

	while ((ctx = pfm_family_take(family)))
		pfm_free_member(ctx);
}

static void pfm_bury(struct work_struct *work)
{
	struct pfm_family *family =
		container_of(work, struct pfm_family, bury.work);
	struct pfm_context *ctx, *next;

	kref_get(&family->ref);
	llist_for_each_entry_safe(ctx, next, llist_del_all(&family->dead),
				  member.dead) {
		pfm_release_all(ctx);
		if (!pfm_family_keep(ctx))
			pfm_free_member(ctx);
		pfm_family_unreserve(family);
		cond_resched();
	}
	pfm_family_put(family);
}

/*
 * Get a context for a new member: one that was kept for reuse, or a new one,
 * which is charged to the family's payer. Return: the context, or an ERR_PTR.
 */
static struct pfm_context *pfm_get_member(struct pfm_family *family)
{
	struct pfm_creation new = {
		.req.ctx_flags = PFM_FL_INHERIT, .family = family,
	};
	struct pfm_context *ctx = pfm_family_take(family);

	if (ctx)
		return ctx;
	ctx = pfm_context_create(&new);
	if (IS_ERR(ctx))
		return ctx;
	lockdep_set_class(&ctx->mutex, &pfm_member_key);
	/*
	 * pfm_free_member() drops this reference, perhaps after the root was
	 * closed.
	 */
	__module_get(THIS_MODULE);
	return ctx;
}

/* Context: mutex of @ctx held. Return: 0 or an errno. */
static int pfm_attach_member(struct pfm_context *ctx,
			     const struct pfm_parent *parent)
{
	int ret = pfm_heritage_equip(ctx) ?: pfm_family_join(ctx);

	if (!ret) {
		/*
		 * If a PFM_WRITE_PMDS was already visiting the members, it may
		 * have missed this one: get the new reset values now.
		 */
		pfm_heritage_update(ctx);
		ret = pfm_load_member(ctx, parent->user_only, parent->trusted);
	}
	if (ret)
		pfm_end_member(ctx);
	else if (READ_ONCE(ctx->family->started))
		pfm_start_or_deny(ctx);
	return ret;
}

static int pfm_try_birth(struct pfm_family *family,
			 const struct pfm_parent *parent)
{
	struct pfm_context *ctx = pfm_get_member(family);
	int ret;

	if (IS_ERR(ctx)) {
		pfm_family_unreserve(family);
		return PTR_ERR(ctx);
	}
	mutex_lock(&ctx->mutex);
	ret = pfm_attach_member(ctx, parent);
	mutex_unlock(&ctx->mutex);
	pfm_member_put(ctx);
	return ret;
}

void pfm_bear_member(struct pfm_family *family,
		     const struct pfm_parent *parent)
{
	struct mem_cgroup *before = set_active_memcg(family->memcg);
	int ret = pfm_try_birth(family, parent);

	set_active_memcg(before);
	if (!ret)
		atomic64_inc(&family->born);
	else if (ret != -ESHUTDOWN)
		atomic64_inc(&family->failed);
}

static void pfm_birth_work(struct callback_head *work)
{
	struct pfm_birth *birth = container_of(work, struct pfm_birth, work);

	/* The thread may be killed before it reaches user mode. */
	if (current->flags & PF_EXITING)
		pfm_family_unreserve(birth->family);
	else
		pfm_bear_member(birth->family, &birth->parent);
	pfm_family_put(birth->family);
	kfree(birth);
	pfm_thread_work_done();
}

/*
 * Queue the task work in @child. On success it takes over the caller's
 * reference to @family. Context: as pfm_probe_fork().
 */
static bool pfm_queue_birth(struct pfm_family *family,
			    struct task_struct *child,
			    struct pfm_parent parent)
{
	struct pfm_birth *birth = kmalloc(sizeof(*birth),
					  GFP_ATOMIC | __GFP_NOWARN);

	if (!birth)
		return false;
	init_task_work(&birth->work, pfm_birth_work);
	birth->family = family;
	birth->parent = parent;
	if (pfm_thread_work_add(child, &birth->work, TWA_RESUME))
		return true;
	kfree(birth);
	return false;
}

static void pfm_expect_birth(struct pfm_family *family,
			     struct task_struct *child,
			     struct pfm_parent parent)
{
	bool reserved = pfm_family_reserve(family);

	if (reserved && pfm_queue_birth(family, child, parent))
		return;
	if (reserved) {
		pfm_family_unreserve(family);
		atomic64_inc(&family->failed);
	}
	pfm_family_put(family);
}

/*
 * Handle a fork. The child does not run yet. Context: a tracepoint in the
 * parent. On kernels that do not run probes under SRCU, such as 6.12,
 * preemption is off. On PREEMPT_RT memory cannot be allocated then, so
 * PFM_FL_INHERIT is not supported there.
 */
static void pfm_probe_fork(void *unused, struct task_struct *task,
			   struct task_struct *child)
{
	struct pfm_family *family = NULL;
	struct pfm_parent parent;
	struct pfm_context *ctx;

	rcu_read_lock();
	ctx = pfm_attach_to_inherit();
	if (ctx)
		family = READ_ONCE(ctx->family);
	if (family && READ_ONCE(family->ready) &&
	    kref_get_unless_zero(&family->ref)) {
		parent.user_only = ctx->target.user_only;
		parent.trusted = ctx->trusted;
		pfm_expect_birth(family, child, parent);
	}
	rcu_read_unlock();
}

/*
 * The probe slows down each fork on the machine, so it is present only while
 * a family exists.
 */
static struct pfm_probe pfm_forks = {
	.name = "sched_process_fork", .func = pfm_probe_fork,
};

static int pfm_watch_forks(struct pfm_family *family)
{
	int ret = pfm_probe_get(&pfm_forks);

	family->watching = !ret;
	return ret == -ENOENT ? -EOPNOTSUPP : ret;
}

static void pfm_unwatch_forks(struct pfm_family *family)
{
	if (family->watching)
		pfm_probe_put(&pfm_forks);
	family->watching = false;
}

static int pfm_begin_family(struct pfm_context *ctx)
{
	struct pfm_family *family, *last = ctx->family;
	int ret;

	if (ctx->loaded || pfm_has_family(ctx))
		return -EBUSY;
	family = pfm_heritage_begin(ctx, pfm_bury);
	if (!family)
		return -ENOMEM;
	ret = pfm_watch_forks(family);
	if (ret) {
		pfm_family_put(family);
		return ret;
	}
	WRITE_ONCE(ctx->family, family);
	pfm_family_put(last);
	if (ctx->share)
		pfm_share_reset(ctx->share);
	return 0;
}

struct pfm_family *pfm_detach_family(struct pfm_context *ctx)
{
	if (ctx->loaded)
		pfm_detach(ctx);
	if (!pfm_has_family(ctx))
		return NULL;
	pfm_family_finish(ctx, pfm_end_member);
	kref_get(&ctx->family->ref);
	return ctx->family;
}

void pfm_release_family(struct pfm_context *ctx, struct pfm_family *ended)
{
	pfm_release_all(ctx);
	if (!ended)
		return;
	pfm_unwatch_forks(ended);
	flush_delayed_work(&ended->bury);
	pfm_free_spares(ended);
	pfm_family_put(ended);
}

static void pfm_end_family(struct pfm_context *ctx)
{
	struct pfm_family *ended;

	pfm_lock(ctx);
	ended = pfm_detach_family(ctx);
	pfm_unlock(ctx);
	pfm_release_family(ctx, ended);
}

int pfm_load_family(struct pfm_context *ctx, void *arg)
{
	int ret;

	if (!(ctx->flags & PFM_FL_INHERIT))
		return pfm_load_context(ctx, arg);
	pfm_lock(ctx);
	ret = pfm_begin_family(ctx);
	pfm_unlock(ctx);
	if (ret)
		return ret;
	ret = pfm_load_context(ctx, arg);
	if (ret)
		pfm_end_family(ctx);
	return ret;
}

/* Has the root's thread ended, while the family still exists? */
static bool pfm_is_orphaned(const struct pfm_context *ctx)
{
	return !ctx->loaded && pfm_has_family(ctx) && ctx->family->ready;
}

int pfm_unload_family(struct pfm_context *ctx)
{
	struct pfm_family *ended = NULL;
	int ret = 0;

	if (!(ctx->flags & PFM_FL_INHERIT))
		return pfm_unload_context(ctx);
	pfm_lock(ctx);
	if (ctx->loaded || pfm_is_orphaned(ctx))
		ended = pfm_detach_family(ctx);
	else
		ret = -EBUSY;
	pfm_unlock(ctx);
	pfm_release_family(ctx, ended);
	return ret;
}

int pfm_write_family_pmd(struct pfm_context *ctx, void *elem)
{
	return pfm_has_family(ctx) ? pfm_heritage_write(ctx, elem) :
				     pfm_write_pmd(ctx, elem);
}

static void pfm_start_member(struct pfm_context *ctx)
{
	if (ctx->loaded && !ctx->started)
		pfm_start_or_deny(ctx);
}

static void pfm_stop_member(struct pfm_context *ctx)
{
	if (ctx->loaded)
		pfm_stop_monitoring(ctx);
}

/* Set whether new members start at birth, then start or stop existing ones. */
static void pfm_set_started(struct pfm_context *ctx, bool started)
{
	WRITE_ONCE(ctx->family->started, started);
	pfm_family_walk(ctx->family,
			started ? pfm_start_member : pfm_stop_member);
}

int pfm_start_family(struct pfm_context *ctx, void *arg)
{
	bool at_exec = pfm_starts_at_exec(arg);
	int ret = pfm_is_orphaned(ctx) && !at_exec ?
			  0 : pfm_start_monitoring(ctx, arg);

	if (!ret && pfm_has_family(ctx) && !at_exec)
		pfm_set_started(ctx, true);
	return ret;
}

int pfm_stop_family(struct pfm_context *ctx)
{
	int ret = pfm_is_orphaned(ctx) ? 0 : pfm_stop_monitoring(ctx);

	if (!ret && pfm_has_family(ctx))
		pfm_set_started(ctx, false);
	return ret;
}

static int pfm_unmask_thread(struct pfm_context *ctx)
{
	return ctx->loaded && pfm_is_masked(ctx) ? pfm_restart_context(ctx) : 0;
}

static void pfm_unmask_member(struct pfm_context *ctx)
{
	if (pfm_unmask_thread(ctx))
		ctx->sets_denied++;
}

/* Unmask the threads that a limit on overflows has masked. */
static int pfm_unmask_family(struct pfm_context *ctx)
{
	if (!xchg(&ctx->share->masked, false))
		return 0;
	pfm_family_walk(ctx->family, pfm_unmask_member);
	return pfm_unmask_thread(ctx);
}

/* Are the root and its family, including members yet to be born, stopped? */
static bool pfm_is_stopped(const struct pfm_context *ctx)
{
	return !ctx->started && !ctx->family->started;
}

int pfm_restart_family(struct pfm_context *ctx)
{
	int ret, err;

	if (!ctx->share)
		return pfm_restart_context(ctx);
	if (!ctx->loaded && !pfm_is_orphaned(ctx))
		return -EBUSY;
	ret = pfm_share_restart(ctx->share, pfm_is_stopped(ctx));
	err = pfm_unmask_family(ctx);
	return ret ?: err;
}
