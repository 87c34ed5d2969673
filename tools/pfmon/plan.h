/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* plan.h - what all contexts of a measurement are programmed with */
#ifndef PFMON_PLAN_H
#define PFMON_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include <perfmon/perfmon.h>

#include "formats/format.h"
#include "options.h"

/*
 * An event is programmed into the PMC, and counted by the PMD, of its number in
 * its set.
 */
struct plan {
	const struct options *options;
	struct smpl_format format;	/* only if sampling */
	pfarg_pmc_t *pmcs;		/* one per event */
	pfarg_pmd_t *pmds;		/* one per event */
	__u64 smpl_pmds[PFM_MAX_PMD_BITVECTOR];
	__u64 reset_pmds[PFM_MAX_PMD_BITVECTOR];
	uint64_t start_ns;		/* CLOCK_REALTIME */
};

/* False with a message if there is no such event or no such format. */
bool plan_init(struct plan *plan, const struct options *options);
void plan_free(struct plan *plan);

static inline bool pmc_is_precise(const pfarg_pmc_t *pmc)
{
	return pmc->reg_value & PFM_PERF_PRECISE_MASK;
}

#endif /* PFMON_PLAN_H */
