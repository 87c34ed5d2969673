// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_allocates - the handler allocates memory
 */
#include <linux/slab.h>
#include "broken.h"

static int notrace allocates_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				     struct pfm_ovfl_data *data)
{
	kfree(kmalloc(64, GFP_ATOMIC));
	return broken_record(buf, arg, data);
}

static const pfm_buffer_fmt_t allocates_fmt = {
	BROKEN("allocates", "b0b0b0b0-0000-4000-8000-000000000015"),
	.fmt_handler	= allocates_handler,
};

BROKEN_MODULE(allocates_fmt, "b0b0b0b0-0000-4000-8000-000000000015");
