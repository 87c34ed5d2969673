// SPDX-License-Identifier: GPL-2.0
/*
 * command.c - commands on a context: arguments and access rights (3.1)
 */
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "arg.h"
#include "attach.h"
#include "command.h"
#include "context.h"
#include "evtset.h"
#include "evtset_switch.h"
#include "family.h"
#include "inherit.h"
#include "load.h"
#include "pause.h"
#include "perm.h"
#include "regs.h"
#include "release.h"
#include "vector.h"

/*
 * Preparations for a command. pfm_check_cpu() is called before each element,
 * and only if the context is attached.
 */
enum pfm_access {
	PFM_BY_ITSELF,	/* none: the command itself checks and locks */
	PFM_LOCKED,	/* lock pfm_context.mutex */
	PFM_TO_READ,	/* lock, sum the family's values, pfm_check_cpu() */
	PFM_TO_WRITE,	/* lock, pfm_check_cpu() */
};

/* Kinds of arguments */
enum pfm_takes {
	PFM_NOTHING,
	PFM_ARG,
	PFM_ARG_OR_NULL,
	PFM_VECTOR,
	PFM_FORMAT_ARG,	/* narg is its size in bytes */
};

/**
 * struct pfm_ctx_cmd - a command on a context
 * @takes:  kind of its argument
 * @access: preparations that it needs
 * @size:   size of the argument, or of an element of the vector, in bytes
 * @plain:  implementation of a command without an argument
 * @with:   implementation of a command with an argument, or for one element of
 *          the vector
 */
struct pfm_ctx_cmd {
	enum pfm_takes	takes;
	enum pfm_access	access;
	size_t		size;
	union {
		int	(*plain)(struct pfm_context *ctx);
		int	(*with)(struct pfm_context *ctx, void *arg);
	};
};

/* All arguments other than vectors */
union pfm_ctx_arg {
	pfarg_load_t	load;
	pfarg_start_t	start;
};

#define PFM_PLAIN(access_, run)						\
	{ .takes = PFM_NOTHING, .access = access_, .plain = run }
#define PFM_WITH(takes_, member, access_, run)				\
	{ .takes = takes_, .access = access_, .with = run,		\
	  .size = sizeof_field(union pfm_ctx_arg, member) }
#define PFM_EACH(type, access_, run)					\
	{ .takes = PFM_VECTOR, .access = access_, .with = run,		\
	  .size = sizeof(type) }

static const struct pfm_ctx_cmd pfm_ctx_cmds[] = {
	[PFM_WRITE_PMCS] =
		PFM_EACH(pfarg_pmc_t, PFM_TO_WRITE, pfm_write_pmc),
	[PFM_WRITE_PMDS] =
		PFM_EACH(pfarg_pmd_t, PFM_TO_WRITE, pfm_write_family_pmd),
	[PFM_READ_PMDS] =
		PFM_EACH(pfarg_pmd_t, PFM_TO_READ, pfm_read_pmd),
	[PFM_CREATE_EVTSETS] =
		PFM_EACH(pfarg_setdesc_t, PFM_LOCKED, pfm_create_evtset),
	[PFM_DELETE_EVTSETS] =
		PFM_EACH(pfarg_setdesc_t, PFM_LOCKED, pfm_delete_evtset),
	[PFM_GETINFO_EVTSETS] =
		PFM_EACH(pfarg_setinfo_t, PFM_LOCKED, pfm_getinfo_evtset),
	[PFM_LOAD_CONTEXT] =
		PFM_WITH(PFM_ARG, load, PFM_BY_ITSELF, pfm_load_family),
	[PFM_START] =
		PFM_WITH(PFM_ARG_OR_NULL, start, PFM_LOCKED,
			 pfm_start_family),
	[PFM_STOP] = PFM_PLAIN(PFM_LOCKED, pfm_stop_family),
	[PFM_RESTART] = PFM_PLAIN(PFM_LOCKED, pfm_restart_family),
	[PFM_UNLOAD_CONTEXT] = PFM_PLAIN(PFM_BY_ITSELF, pfm_unload_family),
	[PFM_SET_FMT_ARG] = { .takes = PFM_FORMAT_ARG, .access = PFM_BY_ITSELF,
			      .with = pfm_arg_set },
};

/* Look up the command of an ioctl number. Return: the command or NULL. */
static const struct pfm_ctx_cmd *pfm_find_ctx_cmd(unsigned int cmd)
{
	unsigned int nr = _IOC_NR(cmd);

	if (cmd != PFM_IOC(nr) || nr >= ARRAY_SIZE(pfm_ctx_cmds))
		return NULL;
	nr = array_index_nospec(nr, ARRAY_SIZE(pfm_ctx_cmds));
	return pfm_ctx_cmds[nr].plain ? &pfm_ctx_cmds[nr] : NULL;
}

/*
 * Check whether the caller is on a CPU where the command can access the PMU.
 * Return: 0 or an errno.
 */
static int pfm_check_access(const struct pfm_context *ctx,
			    const struct pfm_ctx_cmd *cmd)
{
	return cmd->access >= PFM_TO_READ && ctx->loaded ? pfm_check_cpu(ctx) :
							   0;
}

/*
 * Process elements until one fails, with at most one pause (pause.c) for all of
 * them. With @ask_first, stop before a write that needs the right to attach
 * (pfm_run_each()), and return PFM_ASK_FIRST; @todo then begins with that
 * element.
 * Context: process, pfm_context.mutex held.
 */
static int pfm_call_each(struct pfm_context *ctx, const struct pfm_ctx_cmd *cmd,
			 struct pfm_elems *todo, bool ask_first)
{
	const struct pfm_many many = { .ask_first = ask_first };
	int ret = 0, err;

	if (cmd->access == PFM_TO_READ)
		pfm_family_collect(ctx);
	pfm_begin_many(ctx, &many);
	while (todo->next < todo->end && !ret) {
		ret = pfm_check_access(ctx, cmd) ?: cmd->with(ctx, todo->next);
		if (ret != PFM_ASK_FIRST)
			todo->next += todo->size;
	}
	err = pfm_end_many(ctx);
	/* The tool gets only one error, @ret: count the other one. */
	if (ret && err)
		ctx->sets_denied++;
	return ret ?: err;
}

static struct task_struct *pfm_attached_task(struct pfm_context *ctx)
{
	struct task_struct *task;

	pfm_lock(ctx);
	task = ctx->target.task;
	if (task)
		get_task_struct(task);
	pfm_unlock(ctx);
	return task;
}

/*
 * Process elements for a caller with the right to attach to @task or, if it is
 * NULL, to a CPU.
 * @user_only: the right covers only user space. Such a caller cannot add events
 * to a context that was attached by a process with the right to monitor the
 * kernel.
 */
static int pfm_call_on(struct pfm_context *ctx, const struct pfm_ctx_cmd *cmd,
		       struct pfm_elems *todo, const struct task_struct *task,
		       bool user_only)
{
	int ret;

	pfm_lock(ctx);
	/* Another command may have attached or detached the context. */
	if (ctx->target.task != task)
		ret = -EBUSY;
	else if (ctx->loaded && user_only && !ctx->target.user_only)
		ret = -EPERM;
	else
		ret = pfm_call_each(ctx, cmd, todo, false);
	pfm_unlock(ctx);
	return ret;
}

/*
 * Process elements if the caller has the right to attach. No exec of the thread
 * can revoke the right meanwhile.
 */
static int pfm_call_with_right(struct pfm_context *ctx,
			       const struct pfm_ctx_cmd *cmd,
			       struct pfm_elems *todo)
{
	struct task_struct *task = pfm_attached_task(ctx);
	struct pfm_program program;
	bool user_only;
	int ret = pfm_may_measure(ctx->flags, &user_only);

	if (!ret && task)
		ret = pfm_may_attach_begin(task, pfm_may_block(ctx), &program);
	if (!ret) {
		ret = pfm_call_on(ctx, cmd, todo, task, user_only);
		if (task)
			pfm_may_attach_end(task);
	}
	if (task)
		put_task_struct(task);
	return ret;
}

/* A command in progress */
struct pfm_ctx_call {
	struct pfm_context		*ctx;
	const struct pfm_ctx_cmd	*cmd;
};

/*
 * Anyone with the descriptor may write registers (3.1.1). But a write that
 * makes the PMU attach to the thread or CPU again needs the right to attach,
 * and an exec of the thread must wait until the write is complete.
 */
static int pfm_run_each(const void *with, struct pfm_elems *todo)
{
	const struct pfm_ctx_call *call = with;
	struct pfm_context *ctx = call->ctx;
	int ret;

	pfm_lock(ctx);
	ret = pfm_call_each(ctx, call->cmd, todo, true);
	pfm_unlock(ctx);
	if (ret == PFM_ASK_FIRST)
		ret = pfm_call_with_right(ctx, call->cmd, todo);
	/* The caller writes user memory next, which may take long. */
	lockdep_assert_not_held(&ctx->mutex);
	return ret;
}

/* Run a command that does not take a vector. */
static int pfm_run(struct pfm_context *ctx, const struct pfm_ctx_cmd *cmd,
		   void *arg)
{
	bool lock = cmd->access != PFM_BY_ITSELF;
	int ret;

	if (lock)
		pfm_lock(ctx);
	ret = cmd->takes == PFM_NOTHING ? cmd->plain(ctx) : cmd->with(ctx, arg);
	if (lock)
		pfm_unlock(ctx);
	return ret;
}

/* Run a command with its argument, which is NULL if the caller passes none. */
static int pfm_run_arg(struct pfm_context *ctx, const struct pfm_ctx_cmd *cmd,
		       const struct pfm_ioc *ioc)
{
	bool given = cmd->takes == PFM_ARG || ioc->arg || ioc->narg;
	union pfm_ctx_arg arg;

	lockdep_assert_not_held(&ctx->mutex);
	if (given &&
	    (ioc->narg != 1 ||
	     copy_from_user(&arg, u64_to_user_ptr(ioc->arg), cmd->size)))
		return -EFAULT;
	return pfm_run(ctx, cmd, given ? &arg : NULL);
}

/* Run a command that takes the format's argument. */
static int pfm_run_fmt_arg(struct pfm_context *ctx,
			   const struct pfm_ctx_cmd *cmd,
			   const struct pfm_ioc *ioc)
{
	int ret = pfm_arg_may_set(ctx, ioc->narg);
	void *arg;

	if (ret)
		return ret;
	arg = memdup_user(u64_to_user_ptr(ioc->arg), ioc->narg);
	if (IS_ERR(arg))
		return PTR_ERR(arg);
	ret = pfm_run(ctx, cmd, arg);
	kfree(arg);
	return ret;
}

static long pfm_run_cmd(struct pfm_context *ctx, const struct pfm_ctx_cmd *cmd,
			const struct pfm_ioc *ioc)
{
	struct pfm_ctx_call call = { ctx, cmd };

	switch (cmd->takes) {
	case PFM_NOTHING:
		return pfm_run(ctx, cmd, NULL);
	case PFM_VECTOR:
		return pfm_vector(ioc, cmd->size, pfm_run_each, &call);
	case PFM_FORMAT_ARG:
		return pfm_run_fmt_arg(ctx, cmd, ioc);
	default:
		return pfm_run_arg(ctx, cmd, ioc);
	}
}

long pfm_command(struct pfm_context *ctx, unsigned int nr,
		 const struct pfm_ioc *ioc)
{
	const struct pfm_ctx_cmd *cmd = pfm_find_ctx_cmd(nr);
	bool self = READ_ONCE(ctx->target.task) == current;
	long ret;

	if (!cmd)
		return -ENOTTY;
	/* If the PMU still runs the previous set, finish the switch first. */
	if (READ_ONCE(ctx->frozen) & PFM_SWITCHING)
		pfm_finish_switch(ctx);
	/* Only the monitored thread writes in_call: there is no race. */
	if (self)
		WRITE_ONCE(ctx->in_call, current);
	ret = pfm_run_cmd(ctx, cmd, ioc);
	if (self)
		WRITE_ONCE(ctx->in_call, NULL);
	pfm_release_after(ctx);
	return ret;
}
