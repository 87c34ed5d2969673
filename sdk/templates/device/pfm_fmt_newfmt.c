// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_newfmt - a record for each sample, read from a device
 *
 * Copyright YEAR AUTHOR
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_device.h>
#include "perfmon_newfmt_smpl.h"

DEFINE_PFM_DEVICE(newfmt,
		  sizeof(pfm_newfmt_record_t),
		  PFM_NEWFMT_RECORDS)

static int notrace
newfmt_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
	       struct pfm_ovfl_data *data)
{
	pfm_newfmt_record_t *record;

	record = pfm_device_begin(&newfmt_device, arg);
	if (!record)
		return 0;
	*record = (pfm_newfmt_record_t) {
		RECORD_VALUES
	};
	pfm_device_end(&newfmt_device, record);
	return 0;
}

static const pfm_buffer_fmt_t pfm_newfmt_fmt = {
	.fmt_name	= "newfmt",
	.fmt_uuid	= PFM_NEWFMT_SMPL_UUID,
	.fmt_handler	= newfmt_handler,
	.fmt_groups	= newfmt_device.groups,
};

pfm_format_module_with(pfm_newfmt_fmt,
		       PFM_NEWFMT_SMPL_UUID_STR,
		       "perfmon2: sampling format newfmt",
		       newfmt_device_add,
		       newfmt_device_del);
