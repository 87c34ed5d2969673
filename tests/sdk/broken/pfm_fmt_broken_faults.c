// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_faults - the handler reads user memory in a way that can cause
 * page faults
 */
#include <linux/uaccess.h>
#include "broken.h"

static int notrace faults_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				  struct pfm_ovfl_data *data)
{
	u8 byte;

	if (get_user(byte, (u8 __user *)data->ip))
		pfm_sink_lose(buf, PFM_SINK_LOST_OTHER);
	return broken_record(buf, arg, data);
}

static const pfm_buffer_fmt_t faults_fmt = {
	BROKEN("faults", "b0b0b0b0-0000-4000-8000-000000000016"),
	.fmt_handler	= faults_handler,
};

BROKEN_MODULE(faults_fmt, "b0b0b0b0-0000-4000-8000-000000000016");
