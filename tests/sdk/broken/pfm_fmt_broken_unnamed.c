// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_unnamed - the format has no name
 */
#include "broken.h"

static const pfm_buffer_fmt_t unnamed_fmt = {
	BROKEN("unnamed", "b0b0b0b0-0000-4000-8000-000000000012"),
	.fmt_name	= NULL,
};

BROKEN_MODULE(unnamed_fmt, "b0b0b0b0-0000-4000-8000-000000000012");
