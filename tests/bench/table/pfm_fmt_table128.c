// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_table128 - count samples by a key of 128 bytes, for the benchmark
 */
#include <linux/module.h>
#include <perfmon/perfmon_fmt_table.h>
#include "bench_table.h"

struct table128_record {
	u64	key[16];
	u64	count;
};

DEFINE_PFM_TABLE(table128, struct table128_record, count, 1U << 16,
		 PFM_TABLE_COUNT(count))

static int notrace table128_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				    struct pfm_ovfl_data *data)
{
	/*
	 * The sample is in the private area, so that the compiler does not know
	 * that the other words are 0, and must compare all words.
	 */
	struct table128_record *sample = pfm_table_priv(buf);

	sample->key[0] = data->tgid;
	sample->key[15] = data->ip;
	return table128_add(buf, arg, sample);
}

static const pfm_buffer_fmt_t pfm_table128_fmt = {
	.fmt_name	= "table128",
	.fmt_uuid	= PFM_TABLE128_UUID,
	.fmt_handler	= table128_handler,
	PFM_TABLE_CALLS(table128),
};

pfm_format_module(pfm_table128_fmt, PFM_TABLE128_UUID_STR,
		  "perfmon2: benchmark, a table with a key of 128 bytes");
