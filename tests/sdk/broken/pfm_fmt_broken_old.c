// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_old - the module was built for an older version of the
 * interface
 */
#include "broken.h"

#undef PFM_FMT_INTERFACE
#define PFM_FMT_INTERFACE	3

static const pfm_buffer_fmt_t old_fmt = {
	BROKEN("old", "b0b0b0b0-0000-4000-8000-000000000021"),
};

BROKEN_MODULE(old_fmt, "b0b0b0b0-0000-4000-8000-000000000021");
