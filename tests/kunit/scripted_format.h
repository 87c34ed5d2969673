/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scripted_format.h - a format that returns what a test has chosen, and records
 * how it is called
 */
#ifndef PFM_KUNIT_SCRIPTED_FORMAT_H
#define PFM_KUNIT_SCRIPTED_FORMAT_H

#include <linux/string.h>
#include <perfmon/perfmon_fmt_sdk.h>

#define SCRIPT_MAX	64

/* 0e9a3a5c-6c0e-4d0c-9d3e-0a4b7f1c2d11 */
#define SCRIPT_UUID {							\
	0x0e, 0x9a, 0x3a, 0x5c, 0x6c, 0x0e, 0x4d, 0x0c,			\
	0x9d, 0x3e, 0x0a, 0x4b, 0x7f, 0x1c, 0x2d, 0x11 }

/* The results that the scripted format returns, and the recorded calls. */
struct script {
	u32		ctrl[SCRIPT_MAX];	/* control bits of each call */
	int		ret[SCRIPT_MAX];
	u32		restart_ctrl;
	int		restart_ret;
	void		(*during)(void);	/* runs inside the first call */
	int		calls;
	int		restarts;
	int		was_active;
	int		exits;
	bool		inside;
	bool		overlapped;
	pfm_ovfl_arg_t	arg[SCRIPT_MAX];
	u64		tstamp[SCRIPT_MAX];
	struct pfm_ovfl_data data[SCRIPT_MAX];
};

/* The running test's script. */
static struct script *script;

static int script_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
			  struct pfm_ovfl_data *data)
{
	int n = script->calls++;

	script->overlapped |= script->inside;
	script->inside = true;
	memcpy(&script->arg[n], arg,
	       offsetof(pfm_ovfl_arg_t,
			smpl_pmds_values[arg->num_smpl_pmds]));
	script->tstamp[n] = tstamp;
	script->data[n] = *data;
	if (!n && script->during)
		script->during();
	arg->ovfl_ctrl.val = script->ctrl[n];
	script->inside = false;
	return script->ret[n];
}

static int script_restart(void *buf, int is_active, pfm_ovfl_ctrl_t *ctrl)
{
	script->restarts++;
	script->was_active = is_active;
	ctrl->val = script->restart_ctrl;
	return script->restart_ret;
}

static int script_exit(void *buf)
{
	script->exits++;
	return 0;
}

static const pfm_buffer_fmt_t script_fmt = {
	.fmt_name	= "script",
	.fmt_uuid	= SCRIPT_UUID,
	.fmt_msgq_depth	= 2,
	.fmt_handler	= script_handler,
	.fmt_restart	= script_restart,
	.fmt_exit	= script_exit,
};

#endif /* PFM_KUNIT_SCRIPTED_FORMAT_H */
