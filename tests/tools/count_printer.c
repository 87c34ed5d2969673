// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * count_printer.c - print counts as pfmon does, for the tests
 *
 * usage: count_printer [pfmon's options] [COMMAND]
 *
 * Reads the results from standard input, in lines:
 *
 *	cpu CPU, thread TID COMM	the CPU or thread of the next counts
 *	count N, denied, unsupported	the result of the next event
 *	duration NS			the active time of the next event set
 *	times ELAPSED USER SYSTEM	the times since the start, in ns
 *	snapshot			print the counts so far
 *	interval			print the counts of an interval
 *	end STATUS			end the measurement
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "measure/counting.h"
#include "options/options.h"
#include "process/command.h"

struct script {
	struct counting counting;
	struct plan plan;
	struct results results;
	struct result row;
	struct times times;
	unsigned int events, sets;	/* of the current row */
};

static void end_row(struct script *script)
{
	for (unsigned int set = 0; set < script->sets; set++)
		for (unsigned int other = 0; other < script->sets; other++)
			script->row.times[set] += script->row.durations[other];
	if (script->row.events) {
		results_add(&script->results, &script->row);
		result_free(&script->row);
	}
	script->events = script->sets = 0;
}

static void begin_row(struct script *script, int cpu)
{
	end_row(script);
	result_init(&script->row, &script->plan, cpu);
}

static void next_count(struct script *script, struct event_result event)
{
	script->row.events[script->events++] = event;
}

static void begin_results(struct script *script)
{
	results_free(&script->results);
	results_init(&script->results, &script->plan);
}

static bool print(struct script *script, bool ends, int status)
{
	bool ok;

	end_row(script);
	ok = ends ? counting_end(&script->counting, &script->results,
				 &script->times, status, false) :
		    counting_interval(&script->counting, &script->results,
				      &script->times);
	begin_results(script);
	return ok;
}

/*
 * Read the thread's name, which is the rest of the line after the first two
 * words.
 */
static void take_name(struct script *script, const char *line)
{
	const char *name = strchr(strchr(line, ' ') + 1, ' ');

	if (name)
		snprintf(script->row.comm, sizeof(script->row.comm), "%.*s",
			 (int)strcspn(name + 1, "\n"), name + 1);
}

static bool obey(struct script *script, const char *line)
{
	struct times *times = &script->times;
	uint64_t number;
	bool ok = true;
	int value;

	if (sscanf(line, "cpu %d", &value) == 1) {
		begin_row(script, value);
	} else if (sscanf(line, "thread %d", &value) == 1) {
		begin_row(script, NO_CPU);
		script->row.tid = value;
		take_name(script, line);
	} else if (sscanf(line, "count %" SCNu64, &number) == 1) {
		next_count(script, (struct event_result){ .count = number });
	} else if (!strcmp(line, "denied\n")) {
		next_count(script, (struct event_result){ .denied = true });
	} else if (!strcmp(line, "unsupported\n")) {
		next_count(script,
			   (struct event_result){ .unsupported = true });
	} else if (sscanf(line, "duration %" SCNu64, &number) == 1) {
		script->row.durations[script->sets++] = number;
	} else if (sscanf(line, "times %" SCNu64 " %" SCNu64 " %" SCNu64,
			  &times->elapsed, &times->user,
			  &times->system) == 3) {
		ok = true;
	} else if (!strcmp(line, "snapshot\n")) {
		end_row(script);
		ok = counting_snapshot(&script->counting, &script->results,
				       times);
		begin_results(script);
	} else if (!strcmp(line, "interval\n")) {
		ok = print(script, false, NO_EXIT_STATUS);
	} else if (sscanf(line, "end %d", &value) == 1) {
		ok = print(script, true, value);
	} else {
		message("unknown command: %s", line);
		ok = false;
	}
	return ok;
}

static bool run(struct script *script)
{
	char line[128];
	bool ok = true;

	while (ok && fgets(line, sizeof(line), stdin))
		ok = obey(script, line);
	return counting_close(&script->counting) && ok;
}

int main(int argc, char **argv)
{
	struct script script = { .events = 0 };
	struct options options;
	bool ok;

	if (!options_parse(&options, argc, argv))
		return PFMON_EXIT_USAGE;
	if (!plan_init(&script.plan, &options))
		return PFMON_EXIT_ERROR;
	results_init(&script.results, &script.plan);
	ok = counting_open(&script.counting, &options) && run(&script);
	result_free(&script.row);
	results_free(&script.results);
	plan_free(&script.plan);
	options_free(&options);
	return ok ? 0 : PFMON_EXIT_ERROR;
}
