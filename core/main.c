// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - initialization and exit of the core
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include "attach.h"
#include "block.h"
#include "config.h"
#include "cpu.h"
#include "defect.h"
#include "dev.h"
#include "owner.h"
#include "pmd.h"
#include "proc.h"
#include "stamp.h"
#include "suspend.h"
#include "sysfs.h"
#include "work.h"

static int __init pfm_init(void)
{
	int ret;

	ret = pfm_work_init();
	if (ret)
		return ret;
	ret = pfm_proc_init();
	if (ret)
		goto err_work;
	ret = pfm_sysfs_init();
	if (ret)
		goto err_proc;
	ret = pfm_config_init() ?: pfm_defect_init();
	if (ret)
		goto err_sysfs;
	pfm_owner_init();
	ret = pfm_pmd_init();
	if (ret)
		goto err_sysfs;
	ret = pfm_attach_init();
	if (ret)
		goto err_pmd;
	ret = pfm_cpu_init();
	if (ret)
		goto err_attach;
	ret = pfm_suspend_init();
	if (ret)
		goto err_cpu;
	pfm_stamps_init();
	ret = pfm_dev_init();
	if (ret)
		goto err_stamps;
	return 0;
err_stamps:
	pfm_stamps_exit();
	pfm_suspend_exit();
err_cpu:
	pfm_cpu_exit();
err_attach:
	pfm_attach_exit();
err_pmd:
	pfm_pmd_exit();
err_sysfs:
	pfm_sysfs_exit();
err_proc:
	pfm_proc_exit();
err_work:
	pfm_work_exit();
	return ret;
}

static void __exit pfm_exit(void)
{
	pfm_dev_exit();
	pfm_block_exit();
	pfm_stamps_exit();
	pfm_suspend_exit();
	pfm_cpu_exit();
	pfm_attach_exit();
	pfm_pmd_exit();
	pfm_sysfs_exit();
	pfm_proc_exit();
	pfm_work_exit();
	/* A thread may still be returning from one of our task works. */
	synchronize_rcu_tasks();
}

module_init(pfm_init);
module_exit(pfm_exit);
MODULE_DESCRIPTION("perfmon2: performance monitoring with sampling formats");
MODULE_VERSION(PFM_PROJECT_VERSION);
MODULE_LICENSE("GPL v2");
