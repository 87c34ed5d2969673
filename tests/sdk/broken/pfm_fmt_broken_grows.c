// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_grows - a change of the argument makes records larger than the
 * sink allows
 */
#include "broken_live.h"

static int grows_validate(u32 ctx_flags, u16 num_pmds, void *arg)
{
	u64 words = ((struct live_arg *)arg)->words;

	BROKEN_UNUSED;
	return words && words <= LIVE_MAX ?
	       live_validate(ctx_flags, num_pmds, arg) : -EINVAL;
}

static int notrace grows_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				 struct pfm_ovfl_data *data)
{
	u64 words = live_arg(buf)->words, i;
	u64 *record = pfm_sink_begin(buf, arg);

	if (!record)
		return -ENOBUFS;
	for (i = 0; i < words; i++)
		record[i] = data->ip;
	pfm_sink_end(buf, arg, words * sizeof(u64));
	return 0;
}

static const pfm_buffer_fmt_t grows_fmt = {
	BROKEN_LIVE("grows", "b0b0b0b0-0000-4000-8000-00000000001c"),
	.fmt_validate	= grows_validate,
	.fmt_handler	= grows_handler,
};

BROKEN_MODULE(grows_fmt, "b0b0b0b0-0000-4000-8000-00000000001c");
