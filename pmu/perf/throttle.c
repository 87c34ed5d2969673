// SPDX-License-Identifier: GPL-2.0
/*
 * throttle.c - counting how often perf throttles an event
 *
 * If an event overflows too often, perf throttles it until the next tick. If
 * perf writes no records for an event to a ring buffer, it calls the event's
 * clock function only when it begins or ceases to throttle the event. The clock
 * function does not learn which event this is. But when throttling begins, perf
 * calls the event's handler next. So the clock function installs another
 * handler, for one overflow, in all events that are marked as throttled. No
 * other overflow needs to check whether its event is throttled.
 */
#include <linux/sched/clock.h>
#include "event.h"
#include "overflow.h"
#include "throttle.h"

/*
 * Handler of one overflow: count that perf has begun to throttle the event.
 * perf does not report the event again before the next tick.
 */
static void notrace perf_overflow_throttled(struct perf_event *event,
					    struct perf_sample_data *data,
					    struct pt_regs *regs)
{
	struct pfm_pmu_reg *reg = event->overflow_handler_context;
	perf_overflow_handler_t handler = perf_handler(reg);

	WRITE_ONCE(event->overflow_handler, handler);
	if (event->hw.interrupts == PERF_THROTTLED)
		pfm_counter_throttled(reg);
	handler(event, data, regs);
}

/* Watch the next overflow of each event that perf has marked as throttled. */
static void perf_expect_throttled(const struct perf_set *ps)
{
	struct perf_event *event;
	unsigned int i;

	perf_for_each_event(ps, i, event)
		if (event->hw.interrupts == PERF_THROTTLED)
			WRITE_ONCE(event->overflow_handler,
				   perf_overflow_throttled);
}

/* Context: overflow, tick or context switch; interrupts off. */
static u64 perf_throttle_clock(void)
{
	const struct pfm_pmu_set *s = pfm_set_here();

	if (!WARN_ON_ONCE(!s))
		perf_expect_throttled(s->priv);
	return local_clock();
}

void perf_watch_throttling(struct perf_event *event)
{
	event->clock = perf_throttle_clock;
}
