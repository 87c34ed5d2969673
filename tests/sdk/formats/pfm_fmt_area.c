// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_area - a format with a private area
 *
 * The handler writes out of bounds if the argument requests that.
 */
#include <perfmon/perfmon_fmt_sdk.h>
#include "perfmon_plain_smpl.h"

int pfm_area_exits;

static int area_getpriv(u32 ctx_flags, void *data, size_t *size)
{
	const pfm_area_smpl_arg_t *arg = data;

	*size = arg->area_size;
	return 0;
}

static int area_init(u32 ctx_flags, void *data, void *buf)
{
	pfm_area_smpl_arg_t *priv = pfm_fmt_priv(buf);

	memcpy(priv, data, sizeof(*priv));
	return priv->error;
}

static int notrace area_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				struct pfm_ovfl_data *data)
{
	const pfm_area_smpl_arg_t *priv = pfm_fmt_priv(buf);

	memset(buf, 1, priv->buf_size + (priv->beyond & 1));
	memset(pfm_fmt_area(buf), 2, priv->area_size + (priv->beyond >> 1));
	pfm_ctrl_continue(arg);
	return 0;
}

static int area_exit(void *buf)
{
	pfm_area_exits++;
	return 0;
}

static const pfm_buffer_fmt_t pfm_area_fmt = {
	.fmt_name	= "area",
	.fmt_uuid	= PFM_AREA_SMPL_UUID,
	.fmt_arg_size	= sizeof(pfm_area_smpl_arg_t),
	.fmt_getsize	= pfm_getsize,
	.fmt_getpriv	= area_getpriv,
	.fmt_init	= area_init,
	.fmt_handler	= area_handler,
	.fmt_exit	= area_exit,
};

pfm_format_module(pfm_area_fmt, PFM_AREA_SMPL_UUID_STR,
		  "perfmon2: test format, a private area");
