// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_locks - the handler takes a lock whose holder it may have
 * interrupted
 */
#include <linux/spinlock.h>
#include "broken.h"

static DEFINE_SPINLOCK(locks_lock);

static int notrace locks_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				 struct pfm_ovfl_data *data)
{
	int ret;

	spin_lock(&locks_lock);
	ret = broken_record(buf, arg, data);
	spin_unlock(&locks_lock);
	return ret;
}

static const pfm_buffer_fmt_t locks_fmt = {
	BROKEN("locks", "b0b0b0b0-0000-4000-8000-000000000014"),
	.fmt_handler	= locks_handler,
};

BROKEN_MODULE(locks_fmt, "b0b0b0b0-0000-4000-8000-000000000014");
