// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_scribbles - the handler changes the PMD values of its argument
 */
#include "broken.h"

static int notrace scribbles_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				     struct pfm_ovfl_data *data)
{
	if (arg->num_smpl_pmds)
		arg->smpl_pmds_values[0] = 0;
	return broken_record(buf, arg, data);
}

static const pfm_buffer_fmt_t scribbles_fmt = {
	BROKEN("scribbles", "b0b0b0b0-0000-4000-8000-000000000006"),
	.fmt_handler	= scribbles_handler,
};

BROKEN_MODULE(scribbles_fmt, "b0b0b0b0-0000-4000-8000-000000000006");
