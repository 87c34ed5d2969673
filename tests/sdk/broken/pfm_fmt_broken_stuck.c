// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_stuck - fmt_restart resumes monitoring but leaves the buffer
 * full
 */
#include "broken.h"

static int stuck_restart(void *buf, int is_active, pfm_ovfl_ctrl_t *ctrl)
{
	pfm_restart_resume(is_active, ctrl);
	return 0;
}

static const pfm_buffer_fmt_t stuck_fmt = {
	BROKEN("stuck", "b0b0b0b0-0000-4000-8000-00000000000a"),
	.fmt_restart	= stuck_restart,
};

BROKEN_MODULE(stuck_fmt, "b0b0b0b0-0000-4000-8000-00000000000a");
