// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_late - the format writes to the buffer after fmt_exit
 */
#include <linux/workqueue.h>
#include "broken.h"

static void *late_buf;

static void late_write(struct work_struct *work)
{
	WRITE_ONCE(*(u8 *)late_buf, 1);
}

static DECLARE_DELAYED_WORK(late_work, late_write);

static int late_exit(void *buf)
{
	late_buf = buf;
	schedule_delayed_work(&late_work, 1);
	return 0;
}

static const pfm_buffer_fmt_t late_fmt = {
	BROKEN("late", "b0b0b0b0-0000-4000-8000-00000000000e"),
	.fmt_exit	= late_exit,
};

BROKEN_MODULE(late_fmt, "b0b0b0b0-0000-4000-8000-00000000000e");
