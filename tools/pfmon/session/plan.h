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

struct cgroup {
	char *path;
	int fd;				/* of its directory */
	bool is_root;			/* contains all threads */
};

/*
 * An event uses one PMC and one PMD. Both have the number of the event in its
 * set. An event's config1 and config2 are in two further PMCs. pfmon writes
 * these first, because after each write the kernel checks the event with the
 * current values of all three. The reg_smpl_eventid of each PMC is the event's
 * index.
 */
struct plan {
	const struct options *options;
	struct smpl_format format;	/* if sampling, or by_cgroup */
	struct encoded_event *events;	/* one per event */
	pfarg_pmc_t *configs;		/* config1 and config2, unless 0 */
	unsigned int config_count;
	pfarg_pmc_t *pmcs;		/* one per event */
	pfarg_pmd_t *pmds;		/* one per event */
	struct pfm_read_kind *kinds;	/* one per sampling event */
	unsigned int kind_count;
	uint64_t start_ns;		/* CLOCK_REALTIME */
	struct cgroup *cgroups;		/* to be counted; NULL: all */
	unsigned int cgroup_count;
	bool by_cgroup;			/* print the counts of each group */
	bool untraced;			/* the command, if per-thread */
};

/*
 * Returns what prevents children from inheriting the context, or NULL. When
 * sampling, samples must contain a process ID, because all threads share the
 * buffers.
 */
const char *plan_obstacle(const struct plan *plan);

/*
 * Returns whether children inherit the context, so that the kernel measures
 * everything that the command creates.
 */
bool plan_inherits(const struct plan *plan);

/*
 * Makes the plan from the options. Returns false, with a message, if that
 * fails, for example because an event is unknown.
 */
bool plan_init(struct plan *plan, const struct options *options);
void plan_free(struct plan *plan);

/*
 * Returns whether a context of CPU @cpu (NO_CPU: of a thread) counts the event.
 */
bool plan_counts_on(const struct plan *plan, uint64_t event, int cpu);

/* Returns whether a context of CPU @cpu counts any event of the set. */
bool plan_uses_set(const struct plan *plan, unsigned int set, int cpu);

/*
 * Sets *cpus to an array of the CPUs to measure, which the caller frees: those
 * in --cpu-list or all online CPUs, except CPUs that count no event. Returns
 * false, with a message, if an event is restricted to other CPUs.
 */
bool plan_choose_cpus(const struct plan *plan, int **cpus, unsigned int *count);

static inline bool pmc_is_precise(const pfarg_pmc_t *pmc)
{
	return pmc->reg_value & PFM_PERF_PRECISE_MASK;
}

#endif /* PFMON_SESSION_PLAN_H */
