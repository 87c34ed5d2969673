// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_address - if the sample has a data address, the handler writes
 * it after the end of its record
 */
#include "broken.h"

static int notrace address_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				   struct pfm_ovfl_data *data)
{
	const u64 *address = pfm_smpl_value(arg, PFM_PMD_ADDRESS);
	struct broken_record *record = pfm_sink_begin(buf, arg);

	if (!record)
		return -ENOBUFS;
	record->ip = data->ip;
	if (address)
		*(u64 *)(record + 1) = *address;
	pfm_sink_end(buf, arg, sizeof(*record));
	return 0;
}

static const pfm_buffer_fmt_t address_fmt = {
	BROKEN("address", "b0b0b0b0-0000-4000-8000-000000000000"),
	.fmt_handler	= address_handler,
};

BROKEN_MODULE(address_fmt, "b0b0b0b0-0000-4000-8000-000000000000");
