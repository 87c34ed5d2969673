// SPDX-License-Identifier: GPL-2.0
/*
 * block.c - PFM_FL_NOTIFY_BLOCK: the monitored thread waits for PFM_RESTART
 *
 * The overflow path starts an irq_work. This queues a task work, which holds
 * the thread on its way back to user mode.
 *
 * If there is a signal, or a tracer or the freezer wants to stop the thread,
 * the thread leaves the task work, so that the kernel can act on this. The
 * thread must return to the task work before it reaches user mode. It cannot
 * queue the task work itself: the kernel runs task works until none is left,
 * and only then looks for signals. However, the task work was queued with
 * TIF_NOTIFY_RESUME. Before user mode the kernel clears this flag, runs the
 * task works that are left, and calls PFM_LAST_CALL. So this call follows the
 * task work, wherever that has run; a kprobe there queues the task work again.
 * If a test has found that the kprobe does not fire, the thread does not leave
 * for signals: it waits until PFM_RESTART or a fatal signal.
 *
 * Each attachment has its own struct pfm_block: the context may be attached to
 * another thread before its previous thread has ended the task work.
 */
#include <linux/atomic.h>
#include <linux/freezer.h>
#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/wait.h>
#include <perfmon/perfmon_defect.h>
#include <perfmon/perfmon_irq_work.h>
#include <perfmon/perfmon_kprobe.h>
#include "block.h"
#include "compat.h"
#include "context.h"

#define PFM_LAST_CALL	"blkcg_maybe_throttle_current"

/**
 * struct pfm_block - the blocking of one attached thread
 * @ref:    held by the attached context, and by a task work that is queued,
 *          running or to be queued again
 * @task:   the thread
 * @returns: the kprobe brings the thread back after it has left for a signal
 * @wanted: the thread must block
 * @queued: bit 0: @work is queued, running or to be queued again; @work then
 *          also pins this module
 * @left:   the thread has left the task work and must come back
 * @work:   the task work
 * @again:  queues @work if the kprobe's handler runs in NMI context
 * @wait:   where the thread waits
 * @node:   in pfm_blocks while attached
 * @rcu:    frees the structure
 */
struct pfm_block {
	struct kref		ref;
	struct task_struct	*task;
	bool			returns;
	bool			wanted;
	unsigned long		queued;
	u32			left;
	struct callback_head	work;
	struct irq_work		again;
	wait_queue_head_t	wait;
	struct hlist_node	node;
	struct rcu_head		rcu;
};

static DEFINE_HASHTABLE(pfm_blocks, 6);
static DEFINE_SPINLOCK(pfm_blocks_lock);
/*
 * Number of threads whose pfm_block.left is set. This is usually 0, so the
 * kprobe's handler checks it first.
 */
static atomic_t pfm_num_left;

/*
 * Number of tests begun so far; a test checks whether the kprobe fires. The
 * kernel may have registered the kprobe without arming it, or may no longer
 * call the probed function. So a thread that creates a context that may block
 * makes one more round on its way to user mode. The kprobe must fire in that
 * round, before the thread can attach the context.
 */
static atomic_t pfm_trials;
/* Value of pfm_trials when the kprobe last fired */
static atomic_t pfm_trials_seen;

/* Record that the kprobe has fired. */
static void pfm_trial_passes(void)
{
	int trials = atomic_read(&pfm_trials);
	int seen = atomic_read(&pfm_trials_seen);

	while (seen - trials < 0 &&
	       !atomic_try_cmpxchg(&pfm_trials_seen, &seen, trials))
		;
}

static void pfm_block_free(struct kref *ref)
{
	struct pfm_block *b = container_of(ref, struct pfm_block, ref);

	put_task_struct(b->task);
	kfree_rcu(b, rcu);
}

/* Drop the references that a task work held. Context: any but NMI. */
static void pfm_block_put_work(struct pfm_block *b)
{
	kref_put(&b->ref, pfm_block_free);
	module_put(THIS_MODULE);
}

/* Context: any but NMI. */
static void pfm_block_queue(struct pfm_block *b)
{
	if (!pfm_task_work_add(b->task, &b->work, TWA_RESUME))
		return;
	/* The thread is exiting: it is not blocked. */
	clear_bit_unlock(0, &b->queued);
	pfm_block_put_work(b);
}

static void pfm_block_queue_again(struct irq_work *work)
{
	pfm_block_queue(container_of(work, struct pfm_block, again));
}

/*
 * Clear @left. Return: true if it was set; the caller then owns the task work.
 */
static bool pfm_block_take_left(struct pfm_block *b)
{
	if (!READ_ONCE(b->left) || !xchg(&b->left, 0))
		return false;
	atomic_dec(&pfm_num_left);
	return true;
}

/* The kprobe's handler: queue the task work that the thread has left. */
static int pfm_block_come_back(struct kprobe *p, struct pt_regs *regs)
{
	struct pfm_block *b;

	pfm_trial_passes();
	if (!atomic_read(&pfm_num_left))
		return 0;
	rcu_read_lock();
	hash_for_each_possible_rcu(pfm_blocks, b, node,
				   (unsigned long)current) {
		if (b->task != current || !pfm_block_take_left(b))
			continue;
		if (in_nmi())
			irq_work_queue(&b->again);
		else
			pfm_block_queue(b);
		break;
	}
	rcu_read_unlock();
	return 0;
}

/*
 * Registered while there are contexts that may block. The kprobe can be removed
 * safely: when the last of these contexts is gone, no overflow blocks a thread,
 * and pfm_block_detach() has cleared pfm_block.left. A thread that sets @left
 * after that sees that @wanted is clear, and clears @left itself.
 */
static PFM_KPROBE(pfm_last_call, PFM_LAST_CALL, pfm_block_come_back);

void pfm_block_init(struct pfm_context *ctx)
{
	if (!pfm_may_block(ctx))
		return;
	pfm_kprobe_get(&pfm_last_call);
	ctx->block_trial = atomic_inc_return(&pfm_trials);
	set_thread_flag(TIF_NOTIFY_RESUME);
}

/* Has the kprobe fired since the context was created? */
static bool pfm_block_is_tried(const struct pfm_context *ctx)
{
	bool passed = atomic_read(&pfm_trials_seen) - ctx->block_trial >= 0;

	pfm_set_defect(PFM_DEFECT_BLOCK,
		       passed ? NULL :
		       "the kprobe on " PFM_LAST_CALL " does not fire: blocked threads can be killed, but not stopped or traced");
	return passed;
}

void pfm_block_gone(const struct pfm_context *ctx)
{
	if (pfm_may_block(ctx))
		pfm_kprobe_put(&pfm_last_call);
}

void pfm_block_exit(void)
{
	pfm_kprobe_end(&pfm_last_call);
}

/*
 * Leave the task work for a signal. Context: the thread. Return: false if the
 * block has ended meanwhile, so that the thread need not come back.
 */
static bool pfm_block_leave(struct pfm_block *b)
{
	/*
	 * Pairs with pfm_block_detach(): at least one side sees the other's
	 * write.
	 */
	atomic_inc(&pfm_num_left);
	xchg(&b->left, 1);
	return READ_ONCE(b->wanted) || !pfm_block_take_left(b);
}

static bool pfm_block_is_wanted(const struct pfm_block *b)
{
	return READ_ONCE(b->wanted) && !(current->flags & PF_EXITING) &&
	       !fatal_signal_pending(current);
}

/*
 * Wait as long as the thread must block. Return: 0; an error if a signal has
 * interrupted the wait.
 */
static int pfm_block_wait(struct pfm_block *b)
{
	unsigned int state = b->returns ? TASK_INTERRUPTIBLE : TASK_KILLABLE;

	return wait_event_state(b->wait, !pfm_block_is_wanted(b),
				(state | TASK_FREEZABLE));
}

static void pfm_block_here(struct callback_head *work)
{
	struct pfm_block *b = container_of(work, struct pfm_block, work);

	do {
		if (pfm_block_wait(b) && pfm_block_is_wanted(b) &&
		    pfm_block_leave(b))
			return;
		clear_bit_unlock(0, &b->queued);
		/*
		 * An overflow that found the bit set did not queue the task
		 * work, so check @wanted again.
		 */
		smp_mb__after_atomic();
	} while (pfm_block_is_wanted(b) &&
		 !test_and_set_bit_lock(0, &b->queued));
	pfm_block_put_work(b);
}

int pfm_block_attach(struct pfm_context *ctx)
{
	struct pfm_block *b;

	lockdep_assert_held(&ctx->mutex);
	if (!pfm_may_block(ctx))
		return 0;
	b = kzalloc(sizeof(*b), PFM_GFP);
	if (!b)
		return -ENOMEM;
	kref_init(&b->ref);
	b->task = get_task_struct(ctx->target.task);
	b->returns = pfm_block_is_tried(ctx);
	init_task_work(&b->work, pfm_block_here);
	b->again = PFM_IRQ_WORK_INIT(pfm_block_queue_again);
	init_waitqueue_head(&b->wait);
	spin_lock(&pfm_blocks_lock);
	hash_add_rcu(pfm_blocks, &b->node, (unsigned long)b->task);
	spin_unlock(&pfm_blocks_lock);
	ctx->block = b;
	return 0;
}

void pfm_block_detach(struct pfm_context *ctx)
{
	struct pfm_block *b = ctx->block;

	lockdep_assert_held(&ctx->mutex);
	if (!b)
		return;
	WRITE_ONCE(ctx->block, NULL);
	spin_lock(&pfm_blocks_lock);
	hash_del_rcu(&b->node);
	spin_unlock(&pfm_blocks_lock);
	WRITE_ONCE(b->wanted, false);
	wake_up(&b->wait);
	/* Pairs with pfm_block_leave(). */
	smp_mb();
	if (pfm_block_take_left(b))
		pfm_block_put_work(b);
	kref_put(&b->ref, pfm_block_free);
}

void pfm_block_want(struct pfm_context *ctx)
{
	WRITE_ONCE(ctx->block->wanted, true);
	/*
	 * An irq_work queues the task work: the scheduler may hold locks here.
	 */
	set_bit(PFM_END_BLOCK, &ctx->ovfl_end);
}

void pfm_block_request(struct pfm_context *ctx)
{
	struct pfm_block *b = ctx->block;

	if (test_and_set_bit_lock(0, &b->queued))
		return;
	kref_get(&b->ref);
	__module_get(THIS_MODULE);
	pfm_block_queue(b);
}

void pfm_block_end(struct pfm_context *ctx)
{
	struct pfm_block *b = READ_ONCE(ctx->block);

	if (b)
		WRITE_ONCE(b->wanted, false);
}

bool pfm_is_blocked(const struct pfm_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	return ctx->block && READ_ONCE(ctx->block->wanted);
}

void pfm_block_wake(struct pfm_context *ctx)
{
	if (ctx->block)
		wake_up(&ctx->block->wait);
}
