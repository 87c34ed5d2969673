// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_deep - the handler writes a word after a record whose chain
 * has the maximum depth
 */
#include <perfmon/perfmon_fmt_callers.h>
#include "broken.h"

#define DEPTH	16

struct deep_record {
	struct broken_record	start;
	u64			chain[DEPTH];
};

static int notrace deep_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				struct pfm_ovfl_data *data)
{
	struct deep_record *record = pfm_sink_begin(buf, arg);
	u32 n;

	if (!record)
		return -ENOBUFS;
	record->start.ip = data->ip;
	n = pfm_user_callers(data, record->chain, DEPTH);
	if (n == DEPTH)
		*(u64 *)(record + 1) = 0;
	pfm_sink_end(buf, arg, sizeof(record->start) + n * sizeof(u64));
	return 0;
}

DEFINE_PFM_SINK(deep, sizeof(struct deep_record) + sizeof(u64), 0,
		BROKEN_VERSION)

static const pfm_buffer_fmt_t deep_fmt = {
	BROKEN("deep", "b0b0b0b0-0000-4000-8000-00000000001a"),
	.fmt_validate	= deep_validate,
	.fmt_init	= deep_init,
	.fmt_handler	= deep_handler,
};

BROKEN_MODULE(deep_fmt, "b0b0b0b0-0000-4000-8000-00000000001a");
