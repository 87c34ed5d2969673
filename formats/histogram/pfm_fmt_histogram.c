// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_histogram - counts samples by process, event and address
 *
 * The buffer holds one count per process, event and address, however long
 * monitoring lasts. The format never notifies the tool, which can read the
 * counts while they rise.
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_table.h>
#include <perfmon/perfmon_histogram_smpl.h>

/* A pfm_histogram_record_t, with the fields before the address in one word */
struct histogram_record {
	u64	event;
	u64	ip;
	u64	count;
};

static_assert(sizeof(struct histogram_record) ==
	      sizeof(pfm_histogram_record_t));

DEFINE_PFM_TABLE(histogram, struct histogram_record, count,
		 PFM_HISTOGRAM_SMPL_VERSION, PFM_TABLE_COUNT(count))

static int notrace histogram_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				     struct pfm_ovfl_data *data)
{
	struct histogram_record sample = {
		.event = (u64)data->tgid << 32 | (u32)arg->active_set << 16 |
			 arg->ovfl_pmd,
		.ip = data->ip,
	};

	return histogram_add(buf, arg, &sample);
}

static const pfm_buffer_fmt_t pfm_histogram_fmt = {
	.fmt_name	= PFM_HISTOGRAM_SMPL_NAME,
	.fmt_uuid	= PFM_HISTOGRAM_SMPL_UUID,
	.fmt_handler	= histogram_handler,
	PFM_TABLE_CALLS(histogram),
};

pfm_format_module(pfm_histogram_fmt, PFM_HISTOGRAM_SMPL_UUID_STR,
		  "perfmon2: " PFM_HISTOGRAM_SMPL_SUMMARY);
