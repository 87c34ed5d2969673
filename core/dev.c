// SPDX-License-Identifier: GPL-2.0
/*
 * dev.c - /dev/perfmon: creating contexts, and commands without a context
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/nospec.h>
#include <linux/pm.h>
#include <linux/pm_domain.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "config.h"
#include "context.h"
#include "create.h"
#include "ctxfile.h"
#include "dev.h"
#include "pmu.h"
#include "regs.h"
#include "stamp.h"
#include "vector.h"

/*
 * Get the size of the format's argument. If the caller leaves it open
 * (PFM_FMT_ARG_IMPLICIT), the format determines it.
 */
static u64 pfm_fmt_arg_size(const struct pfm_ioc *ioc,
			    const pfm_buffer_fmt_t *fmt)
{
	if (ioc->fmt_arg_size != PFM_FMT_ARG_IMPLICIT)
		return ioc->fmt_arg_size;
	return fmt ? fmt->fmt_arg_size : 0;
}

/* Copy the format's argument. Return: 0, -E2BIG, -EFAULT or -ENOMEM. */
static int pfm_copy_fmt_arg(const struct pfm_ioc *ioc, struct pfm_creation *new)
{
	u64 size = pfm_fmt_arg_size(ioc, new->fmt);
	void *arg = NULL;

	if (size > PFM_FMT_MAX_ARG_SIZE ||
	    size > READ_ONCE(pfm_config.arg_size_max))
		return -E2BIG;
	if (size)
		arg = memdup_user(u64_to_user_ptr(ioc->fmt_arg), size);
	if (IS_ERR(arg))
		return PTR_ERR(arg);
	new->fmt_arg = arg;
	new->fmt_arg_size = size;
	return 0;
}

/*
 * Create a context and its descriptor. Install the descriptor last, when
 * nothing can fail any more.
 */
static long pfm_create_fd(struct pfm_creation *new, void __user *user)
{
	struct pfm_context *ctx;
	struct file *file;
	int fd;

	ctx = pfm_context_create(new);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	file = anon_inode_getfile("[perfmon]", &pfm_context_fops, ctx, O_RDWR);
	if (IS_ERR(file)) {
		pfm_context_destroy(ctx);
		return PTR_ERR(file);
	}
	/* The file owns the context now. */
	ctx->file = file;
	fd = get_unused_fd_flags(0);
	if (fd < 0) {
		fput(file);
		return fd;
	}
	new->req.ctx_fd = fd;
	if (copy_to_user(user, &new->req, sizeof(new->req))) {
		put_unused_fd(fd);
		fput(file);
		return -EFAULT;
	}
	fd_install(fd, file);
	return 0;
}

/* Create a context; the caller frees what is left in @new. */
static long pfm_create(const struct pfm_ioc *ioc, struct pfm_creation *new)
{
	long ret = pfm_creation_check(new);

	if (ret)
		return ret;
	pfm_creation_find_fmt(new);
	ret = pfm_copy_fmt_arg(ioc, new);
	return ret ?: pfm_create_fd(new, u64_to_user_ptr(ioc->arg));
}

static long pfm_create_cmd(const struct pfm_ioc *ioc)
{
	struct pfm_creation new = {};
	long ret;

	if (ioc->narg != 1)
		return -EINVAL;
	if (copy_from_user(&new.req, u64_to_user_ptr(ioc->arg),
			   sizeof(new.req)))
		return -EFAULT;
	new.req.ctx_smpl_buf_size = 0;
	ret = pfm_create(ioc, &new);
	kfree(new.fmt_arg);
	pfm_creation_end(&new);
	return ret;
}

/**
 * struct pfm_dev_cmd - a command without a context
 * @admin: requires CAP_SYS_ADMIN
 * @size:  size of an element of its vector in bytes
 * @one:   processes one element, with the registered PMU; or NULL
 * @all:   runs a command that takes no vector
 */
struct pfm_dev_cmd {
	bool		admin;
	size_t		size;
	int		(*one)(const struct pfm_pmu *pmu, void *elem);
	long		(*all)(const struct pfm_ioc *ioc);
};

static const struct pfm_dev_cmd pfm_dev_cmds[] = {
	[PFM_CREATE_CONTEXT] = { .all = pfm_create_cmd },
	[PFM_GETINFO_PMCS] = { .size = sizeof(pfarg_pmcinfo_t),
			       .one = pfm_getinfo_pmc },
	[PFM_GETINFO_PMDS] = { .size = sizeof(pfarg_pmdinfo_t),
			       .one = pfm_getinfo_pmd },
	[PFM_SET_CONFIG] = { .admin = true, .all = pfm_set_config_cmd },
	[PFM_GET_CONFIG] = { .all = pfm_get_config_cmd },
};

/* PFM_GETINFO_PMCS or PFM_GETINFO_PMDS in progress */
struct pfm_dev_call {
	const struct pfm_dev_cmd	*cmd;
	const struct pfm_pmu		*pmu;
};

static int pfm_ask_each(const void *with, struct pfm_elems *todo)
{
	const struct pfm_dev_call *call = with;
	int ret = 0;

	for (; !ret && todo->next < todo->end; todo->next += todo->size)
		ret = call->cmd->one(call->pmu, todo->next);
	return ret;
}

static long pfm_ask_pmu(const struct pfm_ioc *ioc,
			const struct pfm_dev_cmd *cmd)
{
	struct pfm_dev_call call = { cmd, pfm_pmu_get() };
	long ret;

	if (!call.pmu)
		return -ENODEV;
	ret = pfm_vector(ioc, cmd->size, pfm_ask_each, &call);
	pfm_pmu_put(call.pmu);
	return ret;
}

static long pfm_dev_run(unsigned int nr, const struct pfm_ioc *ioc)
{
	const struct pfm_dev_cmd *cmd;

	if (nr >= ARRAY_SIZE(pfm_dev_cmds))
		return -ENOTTY;
	cmd = &pfm_dev_cmds[array_index_nospec(nr, ARRAY_SIZE(pfm_dev_cmds))];
	if (cmd->admin && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (cmd->one)
		return pfm_ask_pmu(ioc, cmd);
	return cmd->all ? cmd->all(ioc) : -ENOTTY;
}

static long pfm_dev_ioctl(struct file *file, unsigned int cmd,
			  unsigned long arg)
{
	struct pfm_ioc ioc;

	if (_IOC_TYPE(cmd) != PFM_IOC_MAGIC)
		return -ENOTTY;
	if (copy_from_user(&ioc, (void __user *)arg, sizeof(ioc)))
		return -EFAULT;
	if (ioc.reserved)
		return -EINVAL;
	if (cmd != PFM_IOC(_IOC_NR(cmd)))
		return -ENOTTY;
	/*
	 * The node exists a moment before udev sets its group and mode. Check
	 * again here for callers that opened it in between.
	 */
	if (file_permission(file, MAY_READ))
		return -EPERM;
	return pfm_dev_run(_IOC_NR(cmd), &ioc);
}

static const struct file_operations pfm_dev_fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= pfm_dev_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static struct miscdevice pfm_dev = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "perfmon",
	.fops	= &pfm_dev_fops,
	/* Each command checks the rights that it requires. */
	.mode	= 0666,
};

/*
 * Called while threads are frozen. The notifier in suspend.c is called before
 * they are frozen, and after they have been thawed.
 */
static int pfm_dev_suspend(struct device *dev)
{
	pfm_stamps_suspend();
	return 0;
}

static int pfm_dev_resume(struct device *dev)
{
	pfm_stamps_resume();
	return 0;
}

static struct dev_pm_domain pfm_dev_power = {
	.ops = { SYSTEM_SLEEP_PM_OPS(pfm_dev_suspend, pfm_dev_resume) },
};

int pfm_dev_init(void)
{
	int ret = misc_register(&pfm_dev);

	if (!ret)
		dev_pm_domain_set(pfm_dev.this_device, &pfm_dev_power);
	return ret;
}

void pfm_dev_exit(void)
{
	misc_deregister(&pfm_dev);
}
