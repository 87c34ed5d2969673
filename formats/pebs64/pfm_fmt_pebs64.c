// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_pebs64 - records of precise events, in the 64-bit layout of the
 *		    Pentium 4 and Xeon (Eranian 2006, 5.4), or of later CPUs
 */
#include <perfmon/perfmon_pebs64_smpl.h>

#define PEBS_BITS	64
#include "../pebs/pebs.h"

static u32 pebs_record_size(u32 flags)
{
	static const u32 sizes[] = {
		sizeof(pfm_pebs64_smpl_entry_t), sizeof(pfm_pebs64_nhm_entry_t),
		sizeof(pfm_pebs64_hsw_entry_t), sizeof(pfm_pebs64_skl_entry_t),
	};

	return sizes[(flags & PFM_PEBS64_SMPL_RECORD_MASK) >>
		     PFM_PEBS64_SMPL_RECORD_SHIFT];
}
