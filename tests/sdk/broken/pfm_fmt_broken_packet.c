// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_packet - the handler writes after the end of a device's record
 */
#include <perfmon/perfmon_fmt_device.h>
#include "broken.h"

DEFINE_PFM_DEVICE(broken_packet, sizeof(struct broken_record), 16)

static int notrace packet_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				  struct pfm_ovfl_data *data)
{
	struct broken_record *record;

	BROKEN_UNUSED;
	record = pfm_device_begin(&broken_packet_device, arg);
	if (!record)
		return 0;
	record[0].ip = data->ip;
	record[1].ip = data->ip;
	pfm_device_end(&broken_packet_device, record);
	return 0;
}

static const pfm_buffer_fmt_t packet_fmt = {
	.fmt_name	= "broken_packet",
	.fmt_uuid	= PFM_UUID("b0b0b0b0-0000-4000-8000-00000000001b"),
	.fmt_handler	= packet_handler,
	.fmt_groups	= broken_packet_device.groups,
};

pfm_format_module_with(packet_fmt, "b0b0b0b0-0000-4000-8000-00000000001b",
		       "perfmon2: test, a broken format",
		       broken_packet_device_add, broken_packet_device_del);
