// SPDX-License-Identifier: MIT OR GPL-2.0
/* results.c - what was counted of one thread or CPU, and of many of them */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "results.h"
#include "util.h"

void result_init(struct result *result, const struct plan *plan, int cpu)
{
	memset(result, 0, sizeof(*result));
	result->cpu = cpu;
	result->parts = 1;
	result->events = checked_calloc(plan->options->event_count,
					sizeof(*result->events));
	result->durations = checked_calloc(plan->options->set_count,
					   sizeof(*result->durations));
	result->times = checked_calloc(plan->options->set_count,
				       sizeof(*result->times));
	result->runs = checked_calloc(plan->options->set_count,
				      sizeof(*result->runs));
}

void result_free(struct result *result)
{
	free(result->events);
	free(result->durations);
	free(result->times);
	free(result->runs);
	memset(result, 0, sizeof(*result));
}

uint64_t result_estimate(const struct result *result, const struct plan *plan,
			 unsigned int i, double *share)
{
	unsigned int set = plan->options->events[i].set;
	double all = (double)result->times[set];

	*share = all > 0 ? (double)result->durations[set] / all : 0;
	if (plan->options->set_count == 1)
		return result->events[i].count;
	return *share > 0 ?
		(uint64_t)((double)result->events[i].count / *share + 0.5) : 0;
}

static void add(struct result *sum, const struct plan *plan,
		const struct result *result)
{
	for (unsigned int i = 0; i < plan->options->event_count; i++) {
		sum->events[i].count += result->events[i].count;
		sum->events[i].denied |= result->events[i].denied;
	}
	for (unsigned int set = 0; set < plan->options->set_count; set++) {
		sum->durations[set] += result->durations[set];
		sum->times[set] += result->times[set];
		sum->runs[set] += result->runs[set];
	}
	sum->parts += result->parts;
}

void results_init(struct results *results, const struct plan *plan)
{
	memset(results, 0, sizeof(*results));
	results->plan = plan;
	result_init(&results->sum, plan, NO_CPU);
	results->sum.parts = 0;
}

void results_free(struct results *results)
{
	for (unsigned int i = 0; i < results->row_count; i++)
		result_free(&results->rows[i]);
	free(results->rows);
	result_free(&results->sum);
	memset(results, 0, sizeof(*results));
}

static void add_row(struct results *results, const struct result *result)
{
	struct result *row;

	results->rows = checked_realloc(results->rows, results->row_count + 1,
					sizeof(*results->rows));
	row = &results->rows[results->row_count++];
	result_init(row, results->plan, result->cpu);
	row->tid = result->tid;
	row->tgid = result->tgid;
	memcpy(row->comm, result->comm, sizeof(row->comm));
	row->parts = 0;
	add(row, results->plan, result);
}

void results_add(struct results *results, const struct result *result,
		 bool keep)
{
	add(&results->sum, results->plan, result);
	if (keep)
		add_row(results, result);
}
