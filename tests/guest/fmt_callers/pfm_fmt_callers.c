// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_callers - a format that records call chains in a ring buffer, for
 *		     tests
 */
#include <linux/minmax.h>
#include <linux/module.h>
#include <perfmon/perfmon_fmt_callers.h>
#include <perfmon/perfmon_fmt_sdk.h>
#include "callers_smpl.h"

static uint max_user = CALLERS_MAX;
module_param(max_user, uint, 0644);
MODULE_PARM_DESC(max_user, "maximum length of a user call chain");

static uint max_kernel = CALLERS_MAX;
module_param(max_kernel, uint, 0644);
MODULE_PARM_DESC(max_kernel, "maximum length of a kernel call chain");

struct callers_priv {
	u64	count;
};

static int callers_getsize(u32 ctx_flags, void *arg, size_t *size)
{
	*size = sizeof(struct callers_hdr);
	return 0;
}

static unsigned int callers_max(const uint *param)
{
	return min_t(uint, READ_ONCE(*param), CALLERS_MAX);
}

static int notrace callers_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				   struct pfm_ovfl_data *data)
{
	struct callers_priv *priv = pfm_fmt_priv(buf);
	struct callers_hdr *hdr = buf;
	struct callers_smpl *smpl =
		&hdr->samples[priv->count % CALLERS_SAMPLES];

	smpl->ip = data->ip;
	smpl->tid = data->tid;
	smpl->num_user = pfm_user_callers(data, smpl->user,
					  callers_max(&max_user));
	smpl->num_kernel = pfm_kernel_callers(data, smpl->kernel,
					      callers_max(&max_kernel));
	/* Pairs with the readers' load-acquire of the count. */
	smp_store_release(&hdr->count, ++priv->count);
	pfm_ctrl_continue(arg);
	return 0;
}

static const pfm_buffer_fmt_t callers_fmt = {
	.fmt_name	= "callers",
	.fmt_uuid	= CALLERS_UUID,
	.fmt_getsize	= callers_getsize,
	.fmt_handler	= callers_handler,
};

pfm_format_module(callers_fmt, "0a0b6cf1-54f5-4b64-9a4c-3f0cc0a2f6c1",
		  "perfmon2: test, a format that records call chains");
