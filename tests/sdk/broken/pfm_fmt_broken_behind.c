// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_behind - records are larger than the announced maximum
 */
#include "broken.h"

static int notrace behind_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				  struct pfm_ovfl_data *data)
{
	struct broken_record *record = pfm_sink_begin(buf, arg);
	u16 pmds = arg->num_smpl_pmds;

	if (!record)
		return -ENOBUFS;
	record->ip = data->ip;
	pfm_copy_pmds((u64 *)(record + 1), arg, pmds);
	pfm_sink_end(buf, arg, sizeof(*record) + sizeof(u64) * pmds);
	return 0;
}

static const pfm_buffer_fmt_t behind_fmt = {
	BROKEN("behind", "b0b0b0b0-0000-4000-8000-000000000001"),
	.fmt_handler	= behind_handler,
};

BROKEN_MODULE(behind_fmt, "b0b0b0b0-0000-4000-8000-000000000001");
