// SPDX-License-Identifier: GPL-2.0
/*
 * lease.c - creating and releasing perf events
 *
 * perf waits for grace periods when it releases the last event of a tracepoint.
 * So events are passed to the core, which releases them later: with no lock
 * held, and not while a thread exits. An event that may occupy a resource of
 * its PMU, such as a breakpoint register, is released at once.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "event.h"
#include "lease.h"

/*
 * May the PMU reserve a resource for an event as soon as the event is created?
 * A breakpoint, for example, reserves a debug register even while it is
 * disabled.
 */
static bool perf_may_reserve(u64 pmc)
{
	return !perf_is_software(pmc) && !perf_is_of_cpu(pmc);
}

/*
 * An exec that gains privileges replaces the thread's perf context. If this
 * happens while an event is created, perf returns -ESRCH although the thread
 * has not exited.
 */
static bool perf_was_replaced(const struct perf_event *event,
			      const struct task_struct *task)
{
	return event == ERR_PTR(-ESRCH) && task &&
	       !(READ_ONCE(task->flags) & PF_EXITING);
}

struct perf_lease *perf_lease_create(struct perf_event_attr *attr, u64 pmc,
				     int cpu, struct task_struct *task,
				     perf_overflow_handler_t handler,
				     struct pfm_pmu_reg *reg)
{
	struct perf_lease *lease = kmalloc(sizeof(*lease), PFM_GFP);
	struct perf_event *event;
	int tries = 3;

	if (!lease)
		return ERR_PTR(-ENOMEM);
	/*
	 * With page faults disabled, a PMU driver that reads user memory fails
	 * instead of waiting for a page.
	 */
	pagefault_disable();
	do {
		event = perf_event_create_kernel_counter(attr, cpu, task,
							 handler, reg);
	} while (perf_was_replaced(event, task) && --tries);
	pagefault_enable();
	if (IS_ERR(event)) {
		kfree(lease);
		return ERR_CAST(event);
	}
	lease->event = event;
	lease->early = perf_may_reserve(pmc);
	return lease;
}

void perf_lease_release(struct llist_node *node)
{
	struct perf_lease *lease = container_of(node, struct perf_lease, node);

	perf_event_release_kernel(lease->event);
	kfree(lease);
}

void perf_lease_end(struct pfm_pmu_set *s, struct perf_lease *lease)
{
	if (lease->early) {
		perf_lease_release(&lease->node);
		return;
	}
	/*
	 * The event's pfm_pmu_reg may be freed before the event: replace the
	 * event's handler, which uses the pfm_pmu_reg.
	 */
	perf_set_no_handler(lease->event);
	pfm_release_later(s, &lease->node);
}
