// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_table8 - count samples by a key of 8 bytes, for the benchmark
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_table.h>
#include "bench_table.h"

struct table8_record {
	u64	ip;
	u64	count;
};

DEFINE_PFM_TABLE(table8, struct table8_record, count, 1U << 16,
		 PFM_TABLE_COUNT(count))

static int notrace table8_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				  struct pfm_ovfl_data *data)
{
	struct table8_record sample = { .ip = data->ip };

	return table8_add(buf, arg, &sample);
}

static const pfm_buffer_fmt_t pfm_table8_fmt = {
	.fmt_name	= "table8",
	.fmt_uuid	= PFM_TABLE8_UUID,
	.fmt_handler	= table8_handler,
	PFM_TABLE_CALLS(table8),
};

pfm_format_module(pfm_table8_fmt, PFM_TABLE8_UUID_STR,
		  "perfmon2: benchmark, a table with a key of 8 bytes");
