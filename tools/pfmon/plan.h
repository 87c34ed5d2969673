/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* plan.h - what all contexts of a measurement are programmed with */
#ifndef PFMON_PLAN_H
#define PFMON_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include <perfmon/perfmon.h>

#include "events.h"
#include "formats/format.h"
#include "options.h"

/*
 * An event is programmed into the PMC, and counted by the PMD, of its number in
 * its set. What it has in config1 and config2 goes into PMCs of its own, and
 * before: the event is checked with it. The reg_smpl_eventid of each PMC is the
 * event.
 */
struct plan {
	const struct options *options;
	struct smpl_format format;	/* only if sampling */
	struct encoded_event *events;	/* one per event */
	pfarg_pmc_t *configs;		/* of events that have some */
	unsigned int config_count;
	pfarg_pmc_t *pmcs;		/* one per event */
	pfarg_pmd_t *pmds;		/* one per event */
	struct pfm_read_kind *kinds;	/* one per event that samples */
	unsigned int kind_count;
	uint64_t start_ns;		/* CLOCK_REALTIME */
};

/* False with a message if there is no such event or no such format. */
bool plan_init(struct plan *plan, const struct options *options);
void plan_free(struct plan *plan);

/* Does a context of that CPU, or of a thread, count the event? */
bool plan_counts_on(const struct plan *plan, uint64_t event, int cpu);

/* Does it count any of the set? */
bool plan_uses_set(const struct plan *plan, unsigned int set, int cpu);

/*
 * The CPUs that are measured: those of --cpu-list, or that are online, but for
 * those that have no event; to be freed. False with a message if an event is
 * for others.
 */
bool plan_choose_cpus(const struct plan *plan, int **cpus, unsigned int *count);

static inline bool pmc_is_precise(const pfarg_pmc_t *pmc)
{
	return pmc->reg_value & PFM_PERF_PRECISE_MASK;
}

#endif /* PFMON_PLAN_H */
