// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_trusting - the handler trusts the mapped header
 */
#include "broken.h"

static int notrace trusting_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				    struct pfm_ovfl_data *data)
{
	pfm_sink_hdr_t *hdr = buf;
	pfm_sink_rgn_t *rgn = pfm_sink_rgn(buf, 0);

	/*
	 * Use the fields in the mapped buffer instead of the sink's private
	 * copies.
	 */
	*(u64 *)(buf + hdr->hdr_region_offs + rgn->rgn_used) = data->ip;
	return broken_record(buf, arg, data);
}

static const pfm_buffer_fmt_t trusting_fmt = {
	BROKEN("trusting", "b0b0b0b0-0000-4000-8000-000000000003"),
	.fmt_handler	= trusting_handler,
};

BROKEN_MODULE(trusting_fmt, "b0b0b0b0-0000-4000-8000-000000000003");
