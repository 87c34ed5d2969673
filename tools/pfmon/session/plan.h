/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* plan.h - the register values of all contexts of a measurement */
#ifndef PFMON_SESSION_PLAN_H
#define PFMON_SESSION_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include <perfmon/perfmon.h>

#include "base/settings.h"
#include "events/events.h"
#include "formats/format.h"

/*
 * An event uses the PMC and the PMD with its number in its set. Its config1 and
 * config2 use separate PMCs, which are written first, because the kernel checks
 * the event together with them. Each PMC's reg_smpl_eventid is the event's
 * index.
 */
struct plan {
	const struct options *options;
	struct smpl_format format;	/* only if sampling */
	struct encoded_event *events;	/* one per event */
	pfarg_pmc_t *configs;		/* config1 and config2, unless 0 */
	unsigned int config_count;
	pfarg_pmc_t *pmcs;		/* one per event */
	pfarg_pmd_t *pmds;		/* one per event */
	struct pfm_read_kind *kinds;	/* one per sampling event */
	unsigned int kind_count;
	uint64_t start_ns;		/* CLOCK_REALTIME */
	int cgroup;			/* descriptor, or -1: count all */
};

/*
 * Whether the kernel is to measure all that the command creates, by a family of
 * contexts. Threads share its buffers, so samples must tell their process.
 */
bool plan_inherits(const struct plan *plan);

/* Returns false, with a message, if an event or the format is unknown. */
bool plan_init(struct plan *plan, const struct options *options);
void plan_free(struct plan *plan);

/* Whether a context of that CPU (NO_CPU: of a thread) counts the event. */
bool plan_counts_on(const struct plan *plan, uint64_t event, int cpu);

/* Whether it counts any event of the set. */
bool plan_uses_set(const struct plan *plan, unsigned int set, int cpu);

/*
 * Returns the measured CPUs, to be freed: those of --cpu-list or all that are
 * online, except CPUs without any event. Returns false, with a message, if an
 * event is restricted to other CPUs.
 */
bool plan_choose_cpus(const struct plan *plan, int **cpus, unsigned int *count);

static inline bool pmc_is_precise(const pfarg_pmc_t *pmc)
{
	return pmc->reg_value & PFM_PERF_PRECISE_MASK;
}

#endif /* PFMON_SESSION_PLAN_H */
