// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_tail - the handler writes a word after the end of its record,
 * but within the maximum record size
 */
#include "broken.h"

static int notrace tail_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				struct pfm_ovfl_data *data)
{
	struct broken_record *record = pfm_sink_begin(buf, arg);
	u16 pmds = arg->num_smpl_pmds;

	if (!record)
		return -ENOBUFS;
	record->ip = data->ip;
	pfm_copy_pmds((u64 *)(record + 1), arg, pmds);
	((u64 *)(record + 1))[pmds] = 0;
	pfm_sink_end(buf, arg, sizeof(*record) + sizeof(u64) * pmds);
	return 0;
}

static int tail_validate(u32 ctx_flags, u16 num_pmds, void *arg)
{
	return pfm_sink_validate(arg, sizeof(struct broken_record) +
				 sizeof(u64) * (num_pmds + 1));
}

static int tail_init(u32 ctx_flags, void *arg, void *buf)
{
	u64 max = sizeof(struct broken_record) +
		  sizeof(u64) * (pfm_num_pmds() + 1);

	return pfm_sink_init(buf, arg, max, BROKEN_VERSION);
}

static const pfm_buffer_fmt_t tail_fmt = {
	BROKEN("tail", "b0b0b0b0-0000-4000-8000-000000000019"),
	.fmt_validate	= tail_validate,
	.fmt_init	= tail_init,
	.fmt_handler	= tail_handler,
};

BROKEN_MODULE(tail_fmt, "b0b0b0b0-0000-4000-8000-000000000019");
