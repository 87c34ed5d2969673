/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lease.h - creating and releasing perf events
 */
#ifndef PFM_PMU_PERF_LEASE_H
#define PFM_PMU_PERF_LEASE_H

#include "set.h"

/**
 * struct perf_lease - a perf event that has to be released
 * @event: the event
 * @early: release at once, as the next user may need the event's resource
 * @node:  for pfm_release_later()
 */
struct perf_lease {
	struct perf_event	*event;
	bool			early;
	struct llist_node	node;
};

/*
 * Create an event with the attributes @attr for @task or, if that is NULL, for
 * @cpu. @pmc: the PMC value from which @attr was made. Context: process.
 * Return: the lease, or an ERR_PTR.
 */
struct perf_lease *perf_lease_create(struct perf_event_attr *attr, u64 pmc,
				     int cpu, struct task_struct *task,
				     perf_overflow_handler_t handler,
				     struct pfm_pmu_reg *reg);

/*
 * Release an event of @s, at once or later: see perf_lease.early. Context:
 * process, the event is disabled and none of its overflows is in progress.
 */
void perf_lease_end(struct pfm_pmu_set *s, struct perf_lease *lease);

/*
 * The operation pfm_pmu.release: release an event. Context: process, no lock
 * held.
 */
void perf_lease_release(struct llist_node *node);

#endif /* PFM_PMU_PERF_LEASE_H */
