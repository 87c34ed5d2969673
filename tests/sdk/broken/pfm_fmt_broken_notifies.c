// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_notifies - fmt_restart sets notify_user, which only the
 * handler may set
 */
#include "broken.h"

static int notifies_restart(void *buf, int is_active, pfm_ovfl_ctrl_t *ctrl)
{
	pfm_sink_restart(buf, is_active, ctrl);
	ctrl->notify_user = 1;
	return 0;
}

static const pfm_buffer_fmt_t notifies_fmt = {
	BROKEN("notifies", "b0b0b0b0-0000-4000-8000-00000000000b"),
	.fmt_restart	= notifies_restart,
};

BROKEN_MODULE(notifies_fmt, "b0b0b0b0-0000-4000-8000-00000000000b");
