// SPDX-License-Identifier: GPL-2.0
/*
 * ctxfile.c - the descriptor that identifies a context: messages, mapping,
 *	       close (3.1.15, 3.3, 3.5.4); its commands are in command.c
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mman.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include "attach.h"
#include "block.h"
#include "buffer.h"
#include "command.h"
#include "compat.h"
#include "context.h"
#include "create.h"
#include "ctxfile.h"
#include "evtset_page.h"
#include "family.h"
#include "inherit.h"
#include "msgq.h"
#include "share.h"

static long pfm_ctx_ioctl(struct file *file, unsigned int cmd,
			  unsigned long arg)
{
	struct pfm_context *ctx = file->private_data;
	struct pfm_ioc ioc;

	if (_IOC_TYPE(cmd) != PFM_IOC_MAGIC)
		return -ENOTTY;
	if (copy_from_user(&ioc, (void __user *)arg, sizeof(ioc)))
		return -EFAULT;
	if (ioc.reserved || ioc.fmt_arg || ioc.fmt_arg_size)
		return -EINVAL;
	return pfm_command(ctx, cmd, &ioc);
}

/* A copy of a message, and the message's position */
struct pfm_next_msg {
	pfm_msg_t		msg;
	bool			queued;
	unsigned long		pos;
	struct pfm_share_pos	shared;
};

/*
 * Copy the next message: from the queue, or else from a family's buffers.
 * Return: false if there is none.
 */
static bool pfm_peek_msg(struct pfm_context *ctx, struct pfm_next_msg *next)
{
	next->queued = pfm_msgq_peek(&ctx->msgq, &next->msg, &next->pos);
	return next->queued ||
	       (ctx->share && pfm_share_peek(ctx->share, &next->msg.ovfl,
					     &next->shared));
}

static bool pfm_take_msg(struct pfm_context *ctx,
			 const struct pfm_next_msg *next)
{
	return next->queued ? pfm_msgq_take(&ctx->msgq, next->pos) :
			      pfm_share_take(&next->shared);
}

static bool pfm_has_msg(const struct pfm_context *ctx)
{
	return !pfm_msgq_empty(&ctx->msgq) ||
	       (ctx->share && pfm_share_has_msg(ctx->share));
}

/* Copy messages to the reader. Remove each only after it has been copied. */
static ssize_t pfm_copy_msgs(struct pfm_context *ctx, char __user *buf,
			     size_t size)
{
	struct pfm_next_msg next;
	size_t done = 0;

	lockdep_assert_not_held(&ctx->mutex);
	while (done < size && pfm_peek_msg(ctx, &next)) {
		if (copy_to_user(buf + done, &next.msg, sizeof(next.msg)))
			return done ?: -EFAULT;
		if (pfm_take_msg(ctx, &next))
			done += sizeof(next.msg);
	}
	return done;
}

/* Read whole messages. Wait only for the first one (3.3.3). */
static ssize_t pfm_ctx_read(struct file *file, char __user *buf, size_t size,
			    loff_t *pos)
{
	struct pfm_context *ctx = file->private_data;
	ssize_t ret;

	if (size % sizeof(pfm_msg_t))
		return -EINVAL;
	if (!size)
		return 0;
	for (;;) {
		pfm_attach_catch_up(ctx);
		ret = pfm_copy_msgs(ctx, buf, size);
		if (ret)
			return ret;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = wait_event_interruptible(ctx->msgq.wait,
					       pfm_has_msg(ctx));
		if (ret)
			return ret;
	}
}

static __poll_t pfm_ctx_poll(struct file *file, poll_table *wait)
{
	struct pfm_context *ctx = file->private_data;

	poll_wait(file, &ctx->msgq.wait, wait);
	pfm_attach_catch_up(ctx);
	return pfm_has_msg(ctx) ? EPOLLIN | EPOLLRDNORM : 0;
}

static int pfm_ctx_fasync(int fd, struct file *file, int on)
{
	struct pfm_context *ctx = file->private_data;

	return fasync_helper(fd, file, on, &ctx->msgq.fasync);
}

/*
 * Get the sampling buffer, or the page of an event set, at a mapping offset
 * (docs/readings.md, B7). Return: the buffer with a reference, or NULL.
 */
static struct pfm_buffer *pfm_buffer_at(struct pfm_context *ctx,
					unsigned long pgoff)
{
	if (ctx->share) {
		const struct pfm_part *part = pfm_share_at(ctx->share, pgoff);

		return part ? pfm_buffer_get(part->buffer) : NULL;
	}
	if (pgoff)
		return pfm_page_at(ctx, pgoff);
	return ctx->buffer ? pfm_buffer_get(ctx->buffer) : NULL;
}

/* Reject MAP_EXECUTABLE (3.5.4), which pfm_ctx_mmap() does not see. */
static unsigned long pfm_ctx_get_unmapped_area(struct file *file,
					       unsigned long addr,
					       unsigned long len,
					       unsigned long pgoff,
					       unsigned long flags)
{
	if (flags & MAP_EXECUTABLE)
		return -EINVAL;
	return pfm_get_unmapped_area(file, addr, len, pgoff, flags);
}

static int pfm_ctx_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct pfm_context *ctx = file->private_data;
	struct pfm_buffer *buffer = pfm_buffer_at(ctx, vma->vm_pgoff);
	int ret = -EBADF;

	if (!buffer)
		return -EINVAL;
	/*
	 * Pairs with pfm_close_mappings(): either the close of the last
	 * descriptor sees @areas and waits for mmap_lock, or we see that
	 * the descriptor is closed.
	 */
	atomic_inc(&ctx->areas);
	if (pfm_holds_descriptor(ctx))
		ret = pfm_buffer_mmap(ctx, buffer, vma);
	atomic_dec(&ctx->areas);
	pfm_buffer_put(buffer);
	return ret;
}

/* Is the caller a child of vfork() that runs in its parent's memory? */
static bool pfm_borrows_memory(void)
{
	const struct task_struct *parent;
	bool borrows;

	/* CLONE_VFORK does not imply shared memory: compare the mm, too. */
	if (!current->vfork_done)
		return false;
	rcu_read_lock();
	parent = rcu_dereference(current->real_parent);
	borrows = READ_ONCE(parent->mm) == current->mm;
	rcu_read_unlock();
	return borrows;
}

/*
 * Does the calling process, which is closing a descriptor, hold another one? It
 * does not if close() has the only reference to the file.
 */
static bool pfm_keeps_descriptor(const struct pfm_context *ctx)
{
	return file_count(ctx->file) > 1 && pfm_holds_descriptor(ctx);
}

/*
 * Remove the mappings (3.5.4) if the process closes its last descriptor. An
 * exiting process no longer has an mm.
 */
static void pfm_close_mappings(struct pfm_context *ctx)
{
	if (atomic_read(&ctx->areas) && current->mm && !pfm_borrows_memory() &&
	    !pfm_keeps_descriptor(ctx))
		pfm_buffer_unmap_all(ctx);
}

/* Does the calling process monitor itself? */
static bool pfm_monitors_itself(const struct pfm_context *ctx)
{
	return READ_ONCE(ctx->self) == current->signal;
}

/* Unload the context unless the process holds another descriptor. */
static void pfm_end_self_monitoring(struct pfm_context *ctx)
{
	struct pfm_family *ended = NULL;

	pfm_lock(ctx);
	if (ctx->loaded && pfm_monitors_itself(ctx) &&
	    !pfm_keeps_descriptor(ctx))
		ended = pfm_detach_family(ctx);
	pfm_unlock(ctx);
	pfm_release_family(ctx, ended);
}

/*
 * If a process that monitors itself closes its last descriptor, the context is
 * unloaded even if other processes still hold descriptors (3.1.15, figure
 * 3.10). A monitored thread that exits while its process holds a descriptor
 * counts as self-monitoring (3.3.6). Only the close by a process that monitors
 * itself may wait for commands.
 */
static int pfm_ctx_flush(struct file *file, fl_owner_t id)
{
	struct pfm_context *ctx = file->private_data;

	pfm_close_mappings(ctx);
	if (READ_ONCE(ctx->target.task) == current &&
	    current->flags & PF_EXITING)
		pfm_attach_exit_quietly(ctx);
	else if (pfm_monitors_itself(ctx))
		pfm_end_self_monitoring(ctx);
	return 0;
}

static int pfm_ctx_release(struct inode *inode, struct file *file)
{
	struct pfm_context *ctx = file->private_data;

	if (ctx->family)
		pfm_unload_family(ctx);
	pfm_context_destroy(ctx);
	return 0;
}

static const char *pfm_state_name(const struct pfm_context *ctx)
{
	if (!ctx->loaded)
		return "unloaded";
	if (pfm_is_offline(ctx))
		return "offline";
	if (pfm_is_masked(ctx))
		return "masked";
	return ctx->started ? "started" : "stopped";
}

/* Show each PMD that was denied a counter so far, as set:PMD. */
static void pfm_show_denied(struct seq_file *m, struct pfm_context *ctx)
{
	DECLARE_BITMAP(denied, PFM_MAX_PMDS);
	struct pfm_evtset *set;
	unsigned long id;
	unsigned int slot;

	seq_puts(m, "pfm_denied_pmds:\t");
	pfm_for_each_evtset(ctx, id, set) {
		bitmap_copy(denied, set->pmu_set.denied, PFM_MAX_PMDS);
		/* A family has only set0. */
		if (ctx->family)
			bitmap_or(denied, denied, ctx->family->denied,
				  PFM_MAX_PMDS);
		for_each_set_bit(slot, denied, set->pmu_set.num_regs - 1)
			seq_printf(m, "%u:%u ", set->id,
				   ctx->pmu->pmds[slot].num);
	}
	seq_putc(m, '\n');
}

static void pfm_show_family(struct seq_file *m, const struct pfm_family *family)
{
	seq_printf(m, "pfm_members:\t%u\n", READ_ONCE(family->living));
	seq_printf(m, "pfm_births:\t%llu\n",
		   (u64)atomic64_read(&family->born));
	seq_printf(m, "pfm_births_refused:\t%llu\n",
		   (u64)atomic64_read(&family->refused));
	seq_printf(m, "pfm_births_failed:\t%llu\n",
		   (u64)atomic64_read(&family->failed));
}

static void pfm_show_odd(struct seq_file *m, const struct pfm_odd_answers *odd)
{
	seq_printf(m, "pfm_handler_errors:\t%llu\n", READ_ONCE(odd->errors));
	seq_printf(m, "pfm_handler_errno:\t%d\n",
		   -READ_ONCE(odd->last_error));
	seq_printf(m, "pfm_handler_no_ctrl:\t%llu\n",
		   READ_ONCE(odd->no_ctrl));
	seq_printf(m, "pfm_handler_bad_ctrl:\t%llu\n",
		   READ_ONCE(odd->bad_ctrl));
}

/* Show losses. @lost: overflows that a family's buffers have lost. */
static void pfm_show_losses(struct seq_file *m, struct pfm_context *ctx,
			    u64 lost)
{
	struct pfm_losses losses = pfm_family_losses(ctx);

	seq_printf(m, "pfm_lost:\t%llu\n", losses.lost + lost);
	seq_printf(m, "pfm_throttled:\t%llu\n", losses.throttled);
	seq_printf(m, "pfm_pmu_throttled:\t%llu\n", losses.pmu_throttled);
}

static void pfm_ctx_show_fdinfo(struct seq_file *m, struct file *file)
{
	struct pfm_context *ctx = file->private_data;
	struct pfm_share_counts shared = {};

	if (ctx->share)
		shared = pfm_share_count(ctx->share);
	pfm_lock(ctx);
	seq_printf(m, "pfm_state:\t%s\n", pfm_state_name(ctx));
	seq_printf(m, "pfm_blocked:\t%d\n", pfm_is_blocked(ctx));
	seq_printf(m, "pfm_exec_detached:\t%d\n", ctx->exec_detached);
	pfm_show_losses(m, ctx, shared.lost);
	seq_printf(m, "pfm_sets_denied:\t%llu\n",
		   ctx->sets_denied +
			   (ctx->family ? ctx->family->sets_denied : 0));
	pfm_show_denied(m, ctx);
	seq_printf(m, "pfm_msgs_dropped:\t%llu\n",
		   READ_ONCE(ctx->msgq.dropped) + shared.dropped);
	pfm_show_odd(m, ctx->share ? &shared.odd : &ctx->odd);
	if (ctx->family)
		pfm_show_family(m, ctx->family);
	pfm_unlock(ctx);
}

const struct file_operations pfm_context_fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= pfm_ctx_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.read		= pfm_ctx_read,
	.poll		= pfm_ctx_poll,
	.fasync		= pfm_ctx_fasync,
	.get_unmapped_area = pfm_ctx_get_unmapped_area,
	.mmap		= pfm_ctx_mmap,
	.flush		= pfm_ctx_flush,
	.release	= pfm_ctx_release,
	.show_fdinfo	= pfm_ctx_show_fdinfo,
};
