// SPDX-License-Identifier: MIT OR GPL-2.0
/* results.c - counts of threads and CPUs, and sums of them */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "session/results.h"

static void make_empty(struct result *result, const struct plan *plan, int cpu)
{
	memset(result, 0, sizeof(*result));
	result->cpu = cpu;
	result->events = checked_calloc(plan->options->event_count,
					sizeof(*result->events));
	result->durations = checked_calloc(plan->options->set_count,
					   sizeof(*result->durations));
	result->times = checked_calloc(plan->options->set_count,
				       sizeof(*result->times));
	result->runs = checked_calloc(plan->options->set_count,
				      sizeof(*result->runs));
}

/* Marks as unsupported the events that @cpu cannot count. */
void result_init(struct result *result, const struct plan *plan, int cpu)
{
	make_empty(result, plan, cpu);
	result->parts = 1;
	for (unsigned int i = 0; i < plan->options->event_count; i++)
		result->events[i].unsupported = !plan_counts_on(plan, i, cpu);
}

void result_init_sum(struct result *sum, const struct plan *plan, int cpu)
{
	make_empty(sum, plan, cpu);
	for (unsigned int i = 0; i < plan->options->event_count; i++)
		sum->events[i].unsupported = true;
}

static void clear_event(struct event_result *event)
{
	event->count = 0;
	event->denied = false;
}

void result_clear(struct result *result, const struct plan *plan)
{
	const struct options *options = plan->options;
	size_t bytes = options->set_count * sizeof(uint64_t);

	result->tid = 0;
	result->tgid = 0;
	memset(result->comm, 0, sizeof(result->comm));
	for (unsigned int i = 0; i < options->event_count; i++)
		clear_event(&result->events[i]);
	memset(result->durations, 0, bytes);
	memset(result->times, 0, bytes);
	memset(result->runs, 0, bytes);
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
	if (plan->options->set_count == 1) {
		*share = 1;
		return result->events[i].count;
	}
	return *share > 0 ?
		(uint64_t)((double)result->events[i].count / *share + 0.5) : 0;
}

void result_add(struct result *sum, const struct plan *plan,
		const struct result *result)
{
	for (unsigned int i = 0; i < plan->options->event_count; i++) {
		sum->events[i].count += result->events[i].count;
		sum->events[i].denied |= result->events[i].denied;
		sum->events[i].unsupported &= result->events[i].unsupported;
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
	result_init_sum(&results->sum, plan, NO_CPU);
}

void results_free(struct results *results)
{
	for (unsigned int i = 0; i < results->row_count; i++)
		result_free(&results->rows[i]);
	free(results->rows);
	result_free(&results->sum);
	pid_table_free(&results->processes);
	memset(results, 0, sizeof(*results));
}

void results_clear(struct results *results)
{
	const struct plan *plan = results->plan;

	results_free(results);
	results_init(results, plan);
}

static void copy_identity(struct result *copy, const struct result *result)
{
	copy->tid = result->tid;
	copy->tgid = result->tgid;
	copy->cgroup = result->cgroup;
	memcpy(copy->comm, result->comm, sizeof(copy->comm));
}

void result_part(struct result *part, const struct plan *plan,
		 struct result *since, const struct result *now)
{
	for (unsigned int i = 0; i < plan->options->event_count; i++) {
		part->events[i] = now->events[i];
		part->events[i].count -= since->events[i].count;
		since->events[i].count = now->events[i].count;
	}
	for (unsigned int set = 0; set < plan->options->set_count; set++) {
		part->durations[set] = now->durations[set] -
				       since->durations[set];
		part->times[set] = now->times[set] - since->times[set];
		part->runs[set] = now->runs[set] - since->runs[set];
		since->durations[set] = now->durations[set];
		since->times[set] = now->times[set];
		since->runs[set] = now->runs[set];
	}
	copy_identity(part, now);
}

struct process_row {
	struct pid_entry entry;		/* the key is the tgid */
	unsigned int row;
};

static unsigned int make_row(struct results *results,
			     const struct result *first)
{
	struct result *row;

	results->rows = checked_realloc(results->rows, results->row_count + 1,
					sizeof(*results->rows));
	row = &results->rows[results->row_count];
	result_init_sum(row, results->plan, first->cpu);
	copy_identity(row, first);
	return results->row_count++;
}

static unsigned int row_of_process(struct results *results,
				   const struct result *result)
{
	struct process_row *process = pid_table_find(&results->processes,
						     result->tgid);

	if (process)
		return process->row;
	process = pid_table_get(&results->processes, result->tgid,
				sizeof(*process));
	process->row = make_row(results, result);
	return process->row;
}

static unsigned int row_of_cgroup(struct results *results,
				  const struct result *result)
{
	for (unsigned int i = 0; i < results->row_count; i++) {
		if (results->rows[i].cgroup == result->cgroup)
			return i;
	}
	return make_row(results, result);
}

static unsigned int row_of(struct results *results, const struct result *result)
{
	const struct options *options = results->plan->options;

	if (result->cgroup)
		return row_of_cgroup(results, result);
	if (options->system_wide || options->aggregation == AGGREGATE_THREAD ||
	    (!results->row_count &&
	     options->aggregation != AGGREGATE_PROCESS))
		return make_row(results, result);
	return options->aggregation == AGGREGATE_PROCESS ?
	       row_of_process(results, result) : 0;
}

/* A row that sums several threads or processes has no thread or process ID. */
static void merge(struct result *row, const struct plan *plan,
		  const struct result *result)
{
	if (row->tid != result->tid)
		row->tid = 0;
	if (row->tgid != result->tgid)
		row->tgid = 0;
	/* A process has the name of its main thread. */
	if (result->tid == result->tgid && *result->comm)
		memcpy(row->comm, result->comm, sizeof(row->comm));
	result_add(row, plan, result);
}

void results_add(struct results *results, const struct result *result)
{
	unsigned int row = row_of(results, result);

	result_add(&results->sum, results->plan, result);
	merge(&results->rows[row], results->plan, result);
}

void results_forget_process(struct results *results, pid_t tgid)
{
	pid_table_forget(&results->processes, tgid);
}
