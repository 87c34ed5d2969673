// SPDX-License-Identifier: GPL-2.0
/*
 * ctxfile.c - the descriptor that identifies a context: commands, messages,
 *	       mapping, close (3.1, 3.3, 3.5.4)
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include "attach.h"
#include "block.h"
#include "buffer.h"
#include "context.h"
#include "ctxfile.h"
#include "evtset.h"
#include "evtset_page.h"
#include "load.h"
#include "msgq.h"
#include "perm.h"
#include "regs.h"
#include "restart.h"
#include "switch.h"
#include "vector.h"

/* What a command does to one element of its vector. */
typedef int (*pfm_one_t)(struct pfm_context *ctx, void *elem);

/* Treat an element: on the right CPU if it may touch the PMU. */
static int pfm_one_reg(struct pfm_context *ctx, void *elem, pfm_one_t one)
{
	int ret = ctx->loaded ? pfm_check_cpu(ctx) : 0;

	return ret ?: one(ctx, elem);
}

static struct task_struct *pfm_attached_task(struct pfm_context *ctx)
{
	struct task_struct *task;

	mutex_lock(&ctx->mutex);
	task = ctx->target.task;
	if (task)
		get_task_struct(task);
	mutex_unlock(&ctx->mutex);
	return task;
}

/*
 * A write may make the PMU attach to the thread anew: the right to do so is
 * checked again, and no exec of the thread comes between.
 */
static int pfm_one_write(struct pfm_context *ctx, void *elem, pfm_one_t one)
{
	struct task_struct *task = pfm_attached_task(ctx);
	int ret = task ? pfm_may_attach_begin(task) : 0;

	if (ret)
		goto put;
	mutex_lock(&ctx->mutex);
	/* Another command may have attached or detached it meanwhile. */
	ret = ctx->target.task == task ? pfm_one_reg(ctx, elem, one) : -EBUSY;
	mutex_unlock(&ctx->mutex);
	if (task)
		pfm_may_attach_end(task);
put:
	if (task)
		put_task_struct(task);
	return ret;
}

static int pfm_one_write_pmc(void *ctx, void *elem)
{
	return pfm_one_write(ctx, elem, pfm_write_pmc);
}

static int pfm_one_write_pmd(void *ctx, void *elem)
{
	return pfm_one_write(ctx, elem, pfm_write_pmd);
}

/* An element of a command that changes nothing in the PMU. */
static int pfm_one_locked(struct pfm_context *ctx, void *elem, pfm_one_t one)
{
	int ret;

	mutex_lock(&ctx->mutex);
	ret = one(ctx, elem);
	mutex_unlock(&ctx->mutex);
	return ret;
}

static int pfm_read_pmd_here(struct pfm_context *ctx, void *elem)
{
	return pfm_one_reg(ctx, elem, pfm_read_pmd);
}

static int pfm_one_read_pmd(void *ctx, void *elem)
{
	return pfm_one_locked(ctx, elem, pfm_read_pmd_here);
}

static int pfm_one_create_evtset(void *ctx, void *elem)
{
	return pfm_one_locked(ctx, elem, pfm_create_evtset);
}

static int pfm_one_delete_evtset(void *ctx, void *elem)
{
	return pfm_one_locked(ctx, elem, pfm_delete_evtset);
}

static int pfm_one_getinfo_evtset(void *ctx, void *elem)
{
	return pfm_one_locked(ctx, elem, pfm_getinfo_evtset);
}

static int pfm_locked(struct pfm_context *ctx,
		      int (*cmd)(struct pfm_context *ctx))
{
	int ret;

	mutex_lock(&ctx->mutex);
	ret = cmd(ctx);
	mutex_unlock(&ctx->mutex);
	return ret;
}

static long pfm_load_cmd(struct pfm_context *ctx, const struct pfm_ioc *ioc)
{
	pfarg_load_t req;

	if (ioc->narg != 1 ||
	    copy_from_user(&req, u64_to_user_ptr(ioc->arg), sizeof(req)))
		return -EFAULT;
	return pfm_load_context(ctx, &req);
}

static long pfm_start_cmd(struct pfm_context *ctx, const struct pfm_ioc *ioc)
{
	pfarg_start_t req;
	bool given = ioc->arg || ioc->narg;
	int ret;

	if (given &&
	    (ioc->narg != 1 ||
	     copy_from_user(&req, u64_to_user_ptr(ioc->arg), sizeof(req))))
		return -EFAULT;
	mutex_lock(&ctx->mutex);
	ret = pfm_start_monitoring(ctx, given ? &req : NULL);
	mutex_unlock(&ctx->mutex);
	return ret;
}

static long pfm_ctx_cmd(struct pfm_context *ctx, unsigned int cmd,
			const struct pfm_ioc *ioc)
{
	switch (cmd) {
	case PFM_IOC(PFM_WRITE_PMCS):
		return pfm_vector(ioc, sizeof(pfarg_pmc_t), ctx,
				  pfm_one_write_pmc);
	case PFM_IOC(PFM_WRITE_PMDS):
		return pfm_vector(ioc, sizeof(pfarg_pmd_t), ctx,
				  pfm_one_write_pmd);
	case PFM_IOC(PFM_READ_PMDS):
		return pfm_vector(ioc, sizeof(pfarg_pmd_t), ctx,
				  pfm_one_read_pmd);
	case PFM_IOC(PFM_CREATE_EVTSETS):
		return pfm_vector(ioc, sizeof(pfarg_setdesc_t), ctx,
				  pfm_one_create_evtset);
	case PFM_IOC(PFM_DELETE_EVTSETS):
		return pfm_vector(ioc, sizeof(pfarg_setdesc_t), ctx,
				  pfm_one_delete_evtset);
	case PFM_IOC(PFM_GETINFO_EVTSETS):
		return pfm_vector(ioc, sizeof(pfarg_setinfo_t), ctx,
				  pfm_one_getinfo_evtset);
	case PFM_IOC(PFM_LOAD_CONTEXT):
		return pfm_load_cmd(ctx, ioc);
	case PFM_IOC(PFM_START):
		return pfm_start_cmd(ctx, ioc);
	case PFM_IOC(PFM_STOP):
		return pfm_locked(ctx, pfm_stop_monitoring);
	case PFM_IOC(PFM_RESTART):
		return pfm_locked(ctx, pfm_restart_context);
	case PFM_IOC(PFM_UNLOAD_CONTEXT):
		return pfm_locked(ctx, pfm_unload_context);
	default:
		return -ENOTTY;
	}
}

/*
 * While its thread calls the interface, a context's sets are not switched by time
 * (3.7.7). There is one such thread at most.
 */
static long pfm_call(struct pfm_context *ctx, unsigned int cmd,
		     const struct pfm_ioc *ioc)
{
	bool self = READ_ONCE(ctx->target.task) == current;
	long ret;

	/* The PMU may still have to follow the last switch. */
	if (READ_ONCE(ctx->frozen) & PFM_SWITCHING)
		pfm_finish_switch(ctx);
	if (self)
		WRITE_ONCE(ctx->in_call, current);
	ret = pfm_ctx_cmd(ctx, cmd, ioc);
	if (self)
		WRITE_ONCE(ctx->in_call, NULL);
	return ret;
}

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
	return pfm_call(ctx, cmd, &ioc);
}

/* A message is taken out once it has reached the reader. */
static ssize_t pfm_copy_msgs(struct pfm_context *ctx, char __user *buf,
			     size_t size)
{
	struct pfm_msgq *q = &ctx->msgq;
	ssize_t err = 0;
	size_t done = 0;
	pfm_msg_t msg;
	u32 pos;

	mutex_lock(&q->lock);
	while (done < size && pfm_msgq_peek(q, &msg, &pos)) {
		if (copy_to_user(buf + done, &msg, sizeof(msg))) {
			err = -EFAULT;
			break;
		}
		pfm_msgq_consume(q, pos);
		done += sizeof(msg);
	}
	mutex_unlock(&q->lock);
	return done ?: err;
}

/* Whole messages; what is there, but at least one (3.3.3). */
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
		ret = pfm_copy_msgs(ctx, buf, size);
		if (ret)
			return ret;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = wait_event_interruptible(ctx->wait,
					       !pfm_msgq_empty(&ctx->msgq));
		if (ret)
			return ret;
	}
}

static __poll_t pfm_ctx_poll(struct file *file, poll_table *wait)
{
	struct pfm_context *ctx = file->private_data;

	poll_wait(file, &ctx->wait, wait);
	return pfm_msgq_empty(&ctx->msgq) ? 0 : EPOLLIN | EPOLLRDNORM;
}

static int pfm_ctx_fasync(int fd, struct file *file, int on)
{
	struct pfm_context *ctx = file->private_data;

	return fasync_helper(fd, file, on, &ctx->fasync);
}

/* What is mapped at an offset (B7), a reference; or NULL. */
static struct file *pfm_file_at(struct pfm_context *ctx, unsigned long pgoff)
{
	if (pgoff)
		return pfm_page_at(ctx, pgoff);
	return ctx->buffer ? get_file(ctx->buffer) : NULL;
}

static int pfm_ctx_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct pfm_context *ctx = file->private_data;
	struct file *buffer = pfm_file_at(ctx, vma->vm_pgoff);
	int ret;

	if (!buffer)
		return -EINVAL;
	ret = pfm_buffer_mmap(buffer, vma);
	fput(buffer);
	return ret;
}

/*
 * A process closes a descriptor. If that was its last one and it monitors itself
 * with it, the context is unloaded even though others still control it (3.1.15,
 * figure 3.10).
 */
static int pfm_ctx_flush(struct file *file, fl_owner_t id)
{
	struct pfm_context *ctx = file->private_data;

	if (pfm_holds_descriptor(ctx))
		return 0;
	mutex_lock(&ctx->mutex);
	if (ctx->loaded && ctx->self &&
	    same_thread_group(ctx->target.task, current))
		pfm_detach(ctx);
	mutex_unlock(&ctx->mutex);
	return 0;
}

static int pfm_ctx_release(struct inode *inode, struct file *file)
{
	pfm_context_destroy(file->private_data);
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

/* Set and number of each PMD that got no counter, of those seen so far. */
static void pfm_show_denied(struct seq_file *m, struct pfm_context *ctx)
{
	struct pfm_evtset *set;
	unsigned long id;
	unsigned int slot;

	seq_puts(m, "pfm_denied_pmds:\t");
	xa_for_each(&ctx->sets, id, set)
		for_each_set_bit(slot, set->pmu_set.denied, ctx->pmu->num_pmds)
			seq_printf(m, "%u:%u ", set->id,
				   ctx->pmu->pmds[slot].num);
	seq_putc(m, '\n');
}

static void pfm_ctx_show_fdinfo(struct seq_file *m, struct file *file)
{
	struct pfm_context *ctx = file->private_data;

	mutex_lock(&ctx->mutex);
	seq_printf(m, "pfm_state:\t%s\n", pfm_state_name(ctx));
	seq_printf(m, "pfm_blocked:\t%d\n", pfm_is_blocked(ctx));
	seq_printf(m, "pfm_lost:\t%llu\n", READ_ONCE(ctx->lost));
	seq_printf(m, "pfm_throttled:\t%llu\n", READ_ONCE(ctx->throttled));
	seq_printf(m, "pfm_sets_denied:\t%llu\n", ctx->sets_denied);
	pfm_show_denied(m, ctx);
	seq_printf(m, "pfm_msgs_dropped:\t%llu\n",
		   READ_ONCE(ctx->msgq.dropped));
	mutex_unlock(&ctx->mutex);
}

const struct file_operations pfm_context_fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= pfm_ctx_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.read		= pfm_ctx_read,
	.poll		= pfm_ctx_poll,
	.fasync		= pfm_ctx_fasync,
	.mmap		= pfm_ctx_mmap,
	.flush		= pfm_ctx_flush,
	.release	= pfm_ctx_release,
	.show_fdinfo	= pfm_ctx_show_fdinfo,
};
