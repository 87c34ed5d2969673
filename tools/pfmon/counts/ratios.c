// SPDX-License-Identifier: MIT OR GPL-2.0
/* ratios.c - ratios of counts to other counts and to times */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdio.h>

#include "base/util.h"
#include "counts/ratios.h"

#define LEVEL_BITS	(PFM_PERF_EXCL_USER | PFM_PERF_EXCL_KERNEL)
#define NONE		(-1)
#define NS		1e9

#define HARDWARE(id)	PFM_PERF_EVENT(PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id)
#define SOFTWARE(id)	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id)
#define CACHES		PFM_PERF_EVENT(PERF_TYPE_HW_CACHE, 0)
#define CACHE_MISS	(1ULL << 16)

/* Pairs of related events. Their ratio is printed with a unit or in percent. */
static const struct {
	uint64_t event, whole;
	const char *unit;	/* NULL: percent */
} pairs[] = {
	{ HARDWARE(INSTRUCTIONS), HARDWARE(CPU_CYCLES), "insn per cycle" },
	{ HARDWARE(BRANCH_MISSES), HARDWARE(BRANCH_INSTRUCTIONS), NULL },
	{ HARDWARE(CACHE_MISSES), HARDWARE(CACHE_REFERENCES), NULL },
	{ HARDWARE(STALLED_CYCLES_FRONTEND), HARDWARE(CPU_CYCLES), NULL },
	{ HARDWARE(STALLED_CYCLES_BACKEND), HARDWARE(CPU_CYCLES), NULL },
};

/*
 * Returns the PMC value of event @i without its privilege levels and precise
 * level.
 */
static uint64_t kind(const struct plan *plan, unsigned int i)
{
	return plan->events[i].pmc & ~(LEVEL_BITS | PFM_PERF_PRECISE_MASK);
}

static bool is_cache_miss(uint64_t event)
{
	return (event & PFM_PERF_TYPE_MASK) == CACHES && event & CACHE_MISS;
}

/* Returns whether event i is a clock, which counts ns. */
static bool is_clock(const struct plan *plan, unsigned int i)
{
	return kind(plan, i) == SOFTWARE(CPU_CLOCK) ||
	       kind(plan, i) == SOFTWARE(TASK_CLOCK);
}

/* Returns the count of event i; 0 if it was not counted. */
static double count_of(const struct plan *plan, const struct result *row, int i)
{
	double share;

	if (i == NONE || !was_counted(&row->events[i]))
		return 0;
	return (double)result_estimate(row, plan, (unsigned int)i, &share);
}

/*
 * Returns the index of the event @what that has the privilege levels of event
 * @like, or NONE.
 */
static int find_event(const struct plan *plan, uint64_t what, unsigned int like)
{
	uint64_t levels = plan->events[like].pmc & LEVEL_BITS;

	for (unsigned int i = 0; i < plan->options->event_count; i++) {
		if (kind(plan, i) == what &&
		    (plan->events[i].pmc & LEVEL_BITS) == levels)
			return (int)i;
	}
	return NONE;
}

/*
 * Returns the index of a clock, or NONE. Does not compare privilege levels,
 * because clocks always count the time at all levels.
 */
static int find_clock(const struct plan *plan)
{
	for (unsigned int i = 0; i < plan->options->event_count; i++) {
		if (is_clock(plan, i))
			return (int)i;
	}
	return NONE;
}

static bool set(struct ratio *ratio, double part, double whole,
		const char *unit)
{
	if (whole <= 0)
		return false;
	ratio->value = part / whole;
	snprintf(ratio->unit, sizeof(ratio->unit), "%s", unit);
	return true;
}

static bool set_percent(struct ratio *ratio, const struct plan *plan,
			const struct result *row, unsigned int i, int whole)
{
	if (whole == NONE || !set(ratio, 100 * count_of(plan, row, (int)i),
				  count_of(plan, row, whole), ""))
		return false;
	snprintf(ratio->unit, sizeof(ratio->unit), "%% of %s",
		 plan->options->events[whole].name);
	return true;
}

/*
 * Sets *ratio to the ratio of event i to its related event. Returns false if
 * event i has no related event, or if the related event was not counted.
 */
static bool find_pair(const struct plan *plan, const struct result *row,
		      unsigned int i, struct ratio *ratio)
{
	uint64_t event = kind(plan, i);
	int whole;

	if (is_cache_miss(event))
		return set_percent(ratio, plan, row, i,
				   find_event(plan, event & ~CACHE_MISS, i));
	for (size_t p = 0; p < ARRAY_SIZE(pairs); p++) {
		if (pairs[p].event != event)
			continue;
		whole = find_event(plan, pairs[p].whole, i);
		if (!pairs[p].unit)
			return set_percent(ratio, plan, row, i, whole);
		return set(ratio, count_of(plan, row, (int)i),
			   count_of(plan, row, whole), pairs[p].unit);
	}
	return false;
}

bool ratio_find(const struct plan *plan, const struct result *row,
		uint64_t elapsed_ns, unsigned int i, struct ratio *ratio)
{
	double count = count_of(plan, row, (int)i), clock;

	if (!was_counted(&row->events[i]))
		return false;
	if (is_clock(plan, i))
		return set(ratio, count, (double)elapsed_ns, "CPUs utilised");
	if (find_pair(plan, row, i, ratio))
		return true;
	clock = count_of(plan, row, find_clock(plan));
	if (kind(plan, i) == HARDWARE(CPU_CYCLES))
		return set(ratio, count, clock, "GHz");
	return set(ratio, NS * count, clock, PER_SECOND);
}
