// SPDX-License-Identifier: MIT OR GPL-2.0
/* counts_json.c - print counts as JSON */
#define _GNU_SOURCE
#include <stdlib.h>

#include "base/json.h"
#include "counts/counts.h"
#include "counts/ratios.h"
#include "process/command.h"

#define COUNTS_VERSION	1

static void add_ratio(struct json_object *object, const struct counts *counts,
		      const struct result *row, unsigned int i)
{
	struct json_object *member = NULL;
	struct ratio ratio;

	if (ratio_find(counts->plan, row, counts->times.elapsed, i, &ratio)) {
		member = json_new_object();
		json_add(member, "value", json_new_double(ratio.value));
		json_add_text(member, "unit", ratio.unit);
	}
	json_add(object, "ratio", member);
}

static struct json_object *describe_event(const struct counts *counts,
					  unsigned int r, unsigned int i)
{
	const struct options *options = counts->plan->options;
	const struct result *row = &counts->rows[r];
	const struct event_result *event = &row->events[i];
	struct json_object *object = json_new_object();
	bool counted = was_counted(event);
	uint64_t count;
	double share;

	count = result_estimate(row, counts->plan, i, &share);
	json_add_text(object, "event", options->events[i].name);
	json_add_text(object, "state", event->unsupported ? "not supported" :
		      event->denied ? "not counted" : "counted");
	json_add(object, "count", counted ? json_new_u64(count) : NULL);
	json_add(object, "deviation_percent", counted && counts->runs > 1 ?
		 json_new_double(counts_deviation(counts, r, i)) : NULL);
	json_add(object, "share_percent",
		 counted ? json_new_double(100 * share) : NULL);
	add_ratio(object, counts, row, i);
	return object;
}

static struct json_object *number_or_null(bool there, uint64_t number)
{
	return there ? json_new_u64(number) : NULL;
}

static struct json_object *describe_row(const struct counts *counts,
					unsigned int r)
{
	const struct result *row = &counts->rows[r];
	struct json_object *object = json_new_object();
	struct json_object *events = json_new_array();

	json_add(object, "cpu",
		 number_or_null(row->cpu != NO_CPU, (uint64_t)row->cpu));
	json_add(object, "pid", number_or_null(row->tgid, (uint64_t)row->tgid));
	json_add(object, "tid", number_or_null(row->tid, (uint64_t)row->tid));
	json_add_text(object, "comm", *row->comm ? row->comm : NULL);
	json_add_text(object, "cgroup", row->cgroup);
	for (unsigned int i = 0; i < counts->plan->options->event_count; i++) {
		if (row->cpu == NO_CPU ||
		    plan_counts_on(counts->plan, i, row->cpu))
			json_append(events, describe_event(counts, r, i));
	}
	json_add(object, "events", events);
	return object;
}

static struct json_object *describe_times(const struct times *times,
					  bool of_command)
{
	struct json_object *object = json_new_object();

	json_add_u64(object, "elapsed_ns", times->elapsed);
	json_add(object, "user_ns", number_or_null(of_command, times->user));
	json_add(object, "system_ns",
		 number_or_null(of_command, times->system));
	return object;
}

void counts_print_json(const struct counts *counts, FILE *out)
{
	bool of_command = counts->plan->options->command && !counts->interval;
	struct json_object *object = json_new_object();
	struct json_object *rows = json_new_array();

	json_add_u64(object, "version", COUNTS_VERSION);
	json_add_u64(object, "start_ns", counts->plan->start_ns);
	json_add(object, "interval",
		 number_or_null(counts->interval, counts->interval));
	json_add(object, "interval_end_ns",
		 number_or_null(counts->interval, counts->end_ns));
	json_add(object, "times", describe_times(&counts->times, of_command));
	json_add_u64(object, "runs", counts->runs);
	json_add(object, "deviations", counts->runs > 1 ?
		 describe_times(&counts->spread, of_command) : NULL);
	json_add(object, "exit_status",
		 number_or_null(counts->exit_status != NO_EXIT_STATUS,
				(uint64_t)counts->exit_status));
	for (unsigned int r = 0; r < counts->row_count; r++)
		json_append(rows, describe_row(counts, r));
	json_add(object, "rows", rows);
	json_print(object, out);
}
