// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_reads - the handler reads past the end of the buffer
 */
#include "broken.h"

static int notrace reads_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				 struct pfm_ovfl_data *data)
{
	pfm_sink_hdr_t *hdr = buf;
	const u8 *end = buf + 65536;

	if (READ_ONCE(*end) == 1 && hdr->hdr_flags)
		pfm_sink_lose(buf, PFM_SINK_LOST_OTHER);
	return broken_record(buf, arg, data);
}

static const pfm_buffer_fmt_t reads_fmt = {
	BROKEN("reads", "b0b0b0b0-0000-4000-8000-000000000017"),
	.fmt_handler	= reads_handler,
};

BROKEN_MODULE(reads_fmt, "b0b0b0b0-0000-4000-8000-000000000017");
