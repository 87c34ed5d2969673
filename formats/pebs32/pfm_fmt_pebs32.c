// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_pebs32 - records of precise events, in the 32-bit layout of the
 *		    Pentium 4 and Xeon (Eranian 2006, 5.4)
 *
 * The format also works on a 64-bit kernel, but records with a register that
 * does not fit into 32 bits are dropped and counted.
 */
#include <perfmon/perfmon_pebs32_smpl.h>

#define PEBS_BITS	32
#include "../pebs/pebs.h"

static u32 pebs_record_size(u32 flags)
{
	return sizeof(pfm_pebs32_smpl_entry_t);
}
