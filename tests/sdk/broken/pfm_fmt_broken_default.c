// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_default - the default buffer size is too small
 */
#include "broken.h"

static const pfm_buffer_fmt_t default_fmt = {
	BROKEN("default", "b0b0b0b0-0000-4000-8000-000000000010"),
	PFM_FMT_ARG(pfm_sink_arg_t, {
		PFM_ARG(pfm_sink_arg_t, buf_size, 64, "bytes"),
	}),
};

BROKEN_MODULE(default_fmt, "b0b0b0b0-0000-4000-8000-000000000010");
