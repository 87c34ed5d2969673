// SPDX-License-Identifier: GPL-2.0
/*
 * dev.c - /dev/perfmon: commands that need no context, and their creation
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <perfmon/perfmon_fmt_sdk.h>
#include "config.h"
#include "context.h"
#include "ctxfile.h"
#include "dev.h"
#include "fmt.h"
#include "pmu.h"
#include "regs.h"
#include "vector.h"

/* Size of the format's argument: as given, or as the format declares it. */
static int pfm_fmt_arg_size(const struct pfm_ioc *ioc, const pfarg_ctx_t *req,
			    size_t *size)
{
	const pfm_buffer_fmt_t *fmt;

	*size = ioc->fmt_arg_size;
	if (ioc->fmt_arg_size == PFM_FMT_ARG_IMPLICIT) {
		*size = 0;
		if (pfm_uuid_is_null(req->ctx_smpl_buf_id))
			return 0;
		fmt = pfm_fmt_get(req->ctx_smpl_buf_id);
		if (fmt) {
			*size = fmt->fmt_arg_size;
			pfm_fmt_put(fmt);
		}
	} else if (ioc->fmt_arg_size > PFM_FMT_MAX_ARG_SIZE) {
		return -E2BIG;
	}
	return 0;
}

static void *pfm_copy_fmt_arg(const struct pfm_ioc *ioc, size_t size)
{
	return size ? memdup_user(u64_to_user_ptr(ioc->fmt_arg), size) : NULL;
}

/* The descriptor is published last, when nothing can fail any more. */
static long pfm_create_fd(pfarg_ctx_t *req, void *fmt_arg, size_t size,
			  void __user *user)
{
	struct pfm_context *ctx;
	struct file *file;
	int fd;

	ctx = pfm_context_create(req, fmt_arg, size);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	file = anon_inode_getfile("[perfmon]", &pfm_context_fops, ctx, O_RDWR);
	if (IS_ERR(file)) {
		pfm_context_destroy(ctx);
		return PTR_ERR(file);
	}
	/* From here on the file owns the context. */
	ctx->file = file;
	fd = get_unused_fd_flags(0);
	if (fd < 0) {
		fput(file);
		return fd;
	}
	req->ctx_fd = fd;
	if (copy_to_user(user, req, sizeof(*req))) {
		put_unused_fd(fd);
		fput(file);
		return -EFAULT;
	}
	fd_install(fd, file);
	return 0;
}

static long pfm_create_cmd(const struct pfm_ioc *ioc)
{
	void __user *user = u64_to_user_ptr(ioc->arg);
	pfarg_ctx_t req;
	bool user_only;
	void *fmt_arg;
	size_t size;
	long ret;

	if (ioc->narg != 1)
		return -EINVAL;
	if (copy_from_user(&req, user, sizeof(req)))
		return -EFAULT;
	req.ctx_smpl_buf_size = 0;
	ret = pfm_check_ctx(&req, &user_only);
	if (!ret)
		ret = pfm_fmt_arg_size(ioc, &req, &size);
	if (ret)
		return ret;
	fmt_arg = pfm_copy_fmt_arg(ioc, size);
	if (IS_ERR(fmt_arg))
		return PTR_ERR(fmt_arg);
	ret = pfm_create_fd(&req, fmt_arg, size, user);
	kfree(fmt_arg);
	return ret;
}

static int pfm_one_pmcinfo(void *pmu, void *elem)
{
	return pfm_getinfo_pmc(pmu, elem);
}

static int pfm_one_pmdinfo(void *pmu, void *elem)
{
	return pfm_getinfo_pmd(pmu, elem);
}

static long pfm_getinfo_cmd(const struct pfm_ioc *ioc,
			    int (*one)(void *ctx, void *elem))
{
	const struct pfm_pmu *pmu = pfm_pmu_get();
	long ret;

	if (!pmu)
		return -ENODEV;
	ret = pfm_vector(ioc, sizeof(pfarg_pmcinfo_t), (void *)pmu, one);
	pfm_pmu_put(pmu);
	return ret;
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
	switch (cmd) {
	case PFM_IOC(PFM_CREATE_CONTEXT):
		return pfm_create_cmd(&ioc);
	case PFM_IOC(PFM_GETINFO_PMCS):
		return pfm_getinfo_cmd(&ioc, pfm_one_pmcinfo);
	case PFM_IOC(PFM_GETINFO_PMDS):
		return pfm_getinfo_cmd(&ioc, pfm_one_pmdinfo);
	case PFM_IOC(PFM_SET_CONFIG):
		return pfm_set_config_cmd(&ioc);
	case PFM_IOC(PFM_GET_CONFIG):
		return pfm_get_config_cmd(&ioc);
	default:
		return -ENOTTY;
	}
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
	.mode	= 0660,
};

int pfm_dev_init(void)
{
	return misc_register(&pfm_dev);
}

void pfm_dev_exit(void)
{
	misc_deregister(&pfm_dev);
}
