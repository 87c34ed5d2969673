// SPDX-License-Identifier: GPL-2.0
/*
 * command.c - commands on a context: what they take, who may give them (3.1)
 */
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/sched/task.h>
#include <linux/uaccess.h>
#include "command.h"
#include "context.h"
#include "evtset.h"
#include "evtset_switch.h"
#include "load.h"
#include "pause.h"
#include "perm.h"
#include "regs.h"
#include "restart.h"
#include "vector.h"

/* Who may give a command, and what is held while it, or an element, runs. */
enum pfm_access {
	PFM_BY_ITSELF,	/* the command checks, and takes pfm_context.mutex */
	PFM_LOCKED,	/* anybody; the mutex is held */
	PFM_ON_CPU,	/* the same; if attached, where the PMU can be read */
};

/* What a command takes. */
enum pfm_takes {
	PFM_NOTHING,
	PFM_ARG,
	PFM_ARG_OR_NULL,
	PFM_VECTOR,
};

/**
 * struct pfm_ctx_cmd - a command on a context
 * @takes:  its argument
 * @access: who may give it
 * @size:   size of the argument, or of an element of the vector, in bytes
 * @plain:  what it does, with no argument
 * @with:   what it does with its argument, or to one element
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

/* Any argument that is not a vector. */
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
		PFM_EACH(pfarg_pmc_t, PFM_ON_CPU, pfm_write_pmc),
	[PFM_WRITE_PMDS] =
		PFM_EACH(pfarg_pmd_t, PFM_ON_CPU, pfm_write_pmd),
	[PFM_READ_PMDS] =
		PFM_EACH(pfarg_pmd_t, PFM_ON_CPU, pfm_read_pmd),
	[PFM_CREATE_EVTSETS] =
		PFM_EACH(pfarg_setdesc_t, PFM_LOCKED, pfm_create_evtset),
	[PFM_DELETE_EVTSETS] =
		PFM_EACH(pfarg_setdesc_t, PFM_LOCKED, pfm_delete_evtset),
	[PFM_GETINFO_EVTSETS] =
		PFM_EACH(pfarg_setinfo_t, PFM_LOCKED, pfm_getinfo_evtset),
	[PFM_LOAD_CONTEXT] =
		PFM_WITH(PFM_ARG, load, PFM_BY_ITSELF, pfm_load_context),
	[PFM_START] =
		PFM_WITH(PFM_ARG_OR_NULL, start, PFM_LOCKED,
			 pfm_start_monitoring),
	[PFM_STOP] = PFM_PLAIN(PFM_LOCKED, pfm_stop_monitoring),
	[PFM_RESTART] = PFM_PLAIN(PFM_LOCKED, pfm_restart_context),
	[PFM_UNLOAD_CONTEXT] = PFM_PLAIN(PFM_LOCKED, pfm_unload_context),
};

/* Return: what @cmd, an ioctl's number, stands for, or NULL. */
static const struct pfm_ctx_cmd *pfm_find_ctx_cmd(unsigned int cmd)
{
	unsigned int nr = _IOC_NR(cmd);

	if (cmd != PFM_IOC(nr) || nr >= ARRAY_SIZE(pfm_ctx_cmds))
		return NULL;
	nr = array_index_nospec(nr, ARRAY_SIZE(pfm_ctx_cmds));
	return pfm_ctx_cmds[nr].plain ? &pfm_ctx_cmds[nr] : NULL;
}

/* Is this the CPU for a command that may touch the PMU? */
static int pfm_check_access(const struct pfm_context *ctx,
			    const struct pfm_ctx_cmd *cmd)
{
	return cmd->access == PFM_ON_CPU && ctx->loaded ? pfm_check_cpu(ctx) :
							  0;
}

/*
 * Treat elements until one fails, in one pause at most. The one for which the
 * caller is to be asked remains.
 * Context: process, pfm_context.mutex held.
 */
static int pfm_call_each(struct pfm_context *ctx, const struct pfm_ctx_cmd *cmd,
			 struct pfm_elems *todo)
{
	int ret = 0, err;

	pfm_begin_many(ctx);
	while (todo->next < todo->end && !ret) {
		ret = pfm_check_access(ctx, cmd) ?: cmd->with(ctx, todo->next);
		if (ret != PFM_ASK_FIRST)
			todo->next += todo->size;
	}
	err = pfm_end_many(ctx);
	/* The caller learns of one error. */
	if (ret && err)
		ctx->sets_denied++;
	return ret ?: err;
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
 * The same for a caller who may attach to @task, or to a CPU. Whoever may see
 * less than who attached the context gives it no events, not even such as he
 * may: what it may see holds for all of them.
 */
static int pfm_call_on(struct pfm_context *ctx, const struct pfm_ctx_cmd *cmd,
		       struct pfm_elems *todo, const struct task_struct *task,
		       bool user_only)
{
	int ret;

	mutex_lock(&ctx->mutex);
	/* Another command may have attached or detached it meanwhile. */
	if (ctx->target.task != task)
		ret = -EBUSY;
	else if (ctx->loaded && user_only && !ctx->target.user_only)
		ret = -EPERM;
	else
		ret = pfm_call_each(ctx, cmd, todo);
	mutex_unlock(&ctx->mutex);
	return ret;
}

/* The right to attach to the thread holds while the command runs. */
static int pfm_call_with_right(struct pfm_context *ctx,
			       const struct pfm_ctx_cmd *cmd,
			       struct pfm_elems *todo)
{
	struct task_struct *task = pfm_attached_task(ctx);
	bool user_only;
	int ret = pfm_may_measure(ctx->flags, &user_only);

	if (!ret && task)
		ret = pfm_may_attach_begin(task, pfm_may_block(ctx));
	if (!ret) {
		ret = pfm_call_on(ctx, cmd, todo, task, user_only);
		if (task)
			pfm_may_attach_end(task);
	}
	if (task)
		put_task_struct(task);
	return ret;
}

/* A command in progress. */
struct pfm_ctx_call {
	struct pfm_context		*ctx;
	const struct pfm_ctx_cmd	*cmd;
};

/*
 * Whoever has the descriptor may write (3.1.1). But if that makes the PMU
 * attach to the thread or the CPU anew, the right to do so is checked again,
 * and no exec of the thread comes between.
 */
static int pfm_run_each(const void *with, struct pfm_elems *todo)
{
	const struct pfm_ctx_call *call = with;
	struct pfm_context *ctx = call->ctx;
	int ret;

	mutex_lock(&ctx->mutex);
	ctx->ask_first = true;
	ret = pfm_call_each(ctx, call->cmd, todo);
	ctx->ask_first = false;
	mutex_unlock(&ctx->mutex);
	if (ret != PFM_ASK_FIRST)
		return ret;
	return pfm_call_with_right(ctx, call->cmd, todo);
}

/* Run a command that takes no vector, if the caller may. */
static int pfm_run(struct pfm_context *ctx, const struct pfm_ctx_cmd *cmd,
		   void *arg)
{
	bool lock = cmd->access != PFM_BY_ITSELF;
	int ret;

	if (lock)
		mutex_lock(&ctx->mutex);
	ret = cmd->takes == PFM_NOTHING ? cmd->plain(ctx) : cmd->with(ctx, arg);
	if (lock)
		mutex_unlock(&ctx->mutex);
	return ret;
}

/* Run a command with its argument; with NULL if none is given or needed. */
static int pfm_run_arg(struct pfm_context *ctx, const struct pfm_ctx_cmd *cmd,
		       const struct pfm_ioc *ioc)
{
	bool given = cmd->takes == PFM_ARG || ioc->arg || ioc->narg;
	union pfm_ctx_arg arg;

	if (given &&
	    (ioc->narg != 1 ||
	     copy_from_user(&arg, u64_to_user_ptr(ioc->arg), cmd->size)))
		return -EFAULT;
	return pfm_run(ctx, cmd, given ? &arg : NULL);
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
	/* The PMU may still have to follow the last switch. */
	if (READ_ONCE(ctx->frozen) & PFM_SWITCHING)
		pfm_finish_switch(ctx);
	/* There is one such thread at most. */
	if (self)
		WRITE_ONCE(ctx->in_call, current);
	ret = pfm_run_cmd(ctx, cmd, ioc);
	if (self)
		WRITE_ONCE(ctx->in_call, NULL);
	return ret;
}
