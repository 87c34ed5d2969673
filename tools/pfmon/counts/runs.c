// SPDX-License-Identifier: MIT OR GPL-2.0
/* runs.c - means and standard errors of several runs (--repeat) */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "counts/runs.h"

/*
 * Adds a value with Welford's algorithm. Computing the variance from a sum of
 * values and a sum of squares would cause large rounding errors.
 */
static void add(struct spread *spread, unsigned int count, double value)
{
	double distance = value - spread->mean;

	spread->mean += distance / count;
	spread->squares += distance * (value - spread->mean);
}

static void make_room(struct runs *runs, const struct plan *plan,
		      const struct result *rows, unsigned int row_count)
{
	runs->row_count = row_count;
	runs->sums = checked_calloc(row_count, sizeof(*runs->sums));
	runs->events = checked_calloc((size_t)row_count *
				      plan->options->event_count,
				      sizeof(*runs->events));
	for (unsigned int r = 0; r < row_count; r++)
		result_init_sum(&runs->sums[r], plan, rows[r].cpu);
}

static bool same_cpus(const struct runs *runs, const struct result *rows,
		      unsigned int row_count)
{
	if (row_count != runs->row_count)
		return false;
	for (unsigned int r = 0; r < row_count; r++) {
		if (rows[r].cpu != runs->sums[r].cpu)
			return false;
	}
	return true;
}

static void add_row(struct runs *runs, const struct plan *plan, unsigned int r,
		    const struct result *row)
{
	unsigned int events = plan->options->event_count;
	double share;

	result_add(&runs->sums[r], plan, row);
	/* Each run has its own plan, with its own copy of the path. */
	runs->sums[r].cgroup = row->cgroup;
	for (unsigned int i = 0; i < events; i++)
		add(&runs->events[r * events + i], runs->count,
		    (double)result_estimate(row, plan, i, &share));
}

bool runs_add(struct runs *runs, const struct plan *plan,
	      const struct result *rows, unsigned int row_count,
	      const struct times *times)
{
	if (!runs->count)
		make_room(runs, plan, rows, row_count);
	else if (!same_cpus(runs, rows, row_count))
		return false;
	runs->count++;
	for (unsigned int r = 0; r < runs->row_count; r++)
		add_row(runs, plan, r, &rows[r]);
	add(&runs->elapsed, runs->count, (double)times->elapsed);
	add(&runs->user, runs->count, (double)times->user);
	add(&runs->system, runs->count, (double)times->system);
	return true;
}

struct times runs_mean(struct runs *runs, const struct plan *plan)
{
	for (unsigned int r = 0; r < runs->row_count; r++) {
		for (unsigned int i = 0; i < plan->options->event_count; i++) {
			struct event_result *event = &runs->sums[r].events[i];

			event->count = (event->count + runs->count / 2) /
				       runs->count;
		}
	}
	return (struct times){
		.elapsed = (uint64_t)runs->elapsed.mean,
		.user = (uint64_t)runs->user.mean,
		.system = (uint64_t)runs->system.mean,
	};
}

double runs_error(const struct runs *runs, const struct spread *spread)
{
	double variance;

	if (runs->count < 2)
		return 0;
	variance = spread->squares / (runs->count - 1);
	return sqrt(variance / runs->count);
}

double *runs_deviations(const struct runs *runs, const struct plan *plan)
{
	unsigned int count = runs->row_count * plan->options->event_count;
	double *deviations = checked_calloc(count, sizeof(*deviations));

	for (unsigned int i = 0; i < count; i++) {
		if (runs->events[i].mean > 0)
			deviations[i] = 100 * runs_error(runs,
							 &runs->events[i]) /
					runs->events[i].mean;
	}
	return deviations;
}

void runs_free(struct runs *runs)
{
	for (unsigned int r = 0; r < runs->row_count; r++)
		result_free(&runs->sums[r]);
	free(runs->sums);
	free(runs->events);
	memset(runs, 0, sizeof(*runs));
}
