// SPDX-License-Identifier: MIT OR GPL-2.0
/* follow_options.c - options that choose the measured threads */
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "options/follow_options.h"

bool follow_fork(struct options *options, const char *text)
{
	(void)text;
	options->follow |= FOLLOW_FORK | FOLLOW_VFORK;
	return true;
}

bool follow_vfork(struct options *options, const char *text)
{
	(void)text;
	options->follow |= FOLLOW_VFORK;
	return true;
}

bool follow_pthread(struct options *options, const char *text)
{
	(void)text;
	options->follow |= FOLLOW_PTHREAD;
	return true;
}

static void free_pattern(regex_t **pattern)
{
	if (*pattern)
		regfree(*pattern);
	free(*pattern);
	*pattern = NULL;
}

/*
 * Compiles an option's pattern. If the option is repeated, the last pattern is
 * used.
 */
static bool take_pattern(regex_t **pattern, const char *option,
			 const char *text)
{
	char why[256];
	int error;

	free_pattern(pattern);
	*pattern = checked_calloc(1, sizeof(**pattern));
	error = regcomp(*pattern, text, REG_EXTENDED | REG_NOSUB);
	if (!error)
		return true;
	regerror(error, *pattern, why, sizeof(why));
	free(*pattern);
	*pattern = NULL;
	message("--%s: '%s' is not a regular expression: %s", option, text,
		why);
	return false;
}

bool follow_exec(struct options *options, const char *text)
{
	if (!text)
		return true;
	options->follow |= FOLLOW_EXEC;
	return take_pattern(&options->only, "follow-exec", text);
}

bool follow_all(struct options *options, const char *text)
{
	(void)text;
	options->follow |= FOLLOW_FORK | FOLLOW_VFORK | FOLLOW_PTHREAD |
			   FOLLOW_EXEC;
	return true;
}

bool parse_exclude(struct options *options, const char *text)
{
	return take_pattern(&options->exclude, "exclude", text);
}

bool parse_aggregate(struct options *options, const char *text)
{
	static const struct {
		const char *name;
		enum aggregation how;
	} names[] = {
		{ "thread",	AGGREGATE_THREAD },
		{ "process",	AGGREGATE_PROCESS },
		{ "all",	AGGREGATE_ALL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(text, names[i].name)) {
			options->aggregation = names[i].how;
			return true;
		}
	}
	message("--aggregate: '%s' is not thread, process or all", text);
	return false;
}

static bool parse_number(const char *option, const char *what,
			 const char *text, pid_t *id)
{
	uint64_t number;

	if (parse_u64(text, &number) && number && number <= INT_MAX) {
		*id = (pid_t)number;
		return true;
	}
	message("--%s: '%s' is not a %s ID", option, text, what);
	return false;
}

bool parse_attach_task(struct options *options, const char *text)
{
	return parse_number("attach-task", "thread", text, &options->attach);
}

bool parse_attach_process(struct options *options, const char *text)
{
	return parse_number("attach-process", "process", text,
			    &options->attach_process);
}

bool follow_options_agree(const struct options *options)
{
	bool follows = options->follow || options->exclude;

	if (options->attach && options->attach_process)
		message("--attach-task and --attach-process are mutually exclusive: give one of them");
	else if (options->attach_process && options->command)
		message("--attach-process does not take a command: omit the command");
	else if (options->system_wide && options->attach_process)
		message("--system-wide and --attach-process are mutually exclusive: give one of them");
	else if (options->system_wide && follows)
		message("--system-wide measures all threads on its CPUs: do not use options that follow threads");
	else if (options->system_wide && options->aggregation)
		message("--aggregate is for threads: to print sums over CPUs, use --aggregate-results");
	else if (options->runs && (options->aggregation == AGGREGATE_THREAD ||
				   options->aggregation == AGGREGATE_PROCESS))
		message("--repeat cannot be combined with --aggregate=thread or process, because each run has different threads");
	else if (options->no_inherit && (options->follow & ~FOLLOW_EXEC ||
					 options->attach_process))
		message("--no-inherit measures the command's first thread only: omit it, or the options that follow threads");
	else if (options->attach && follows)
		message("--attach-task measures one thread only: use --attach-process to follow others");
	else
		return true;
	return false;
}

/*
 * Returns the option because of which threads must be masked or blocked, or
 * NULL. Neither is possible if children inherit the context.
 */
static const char *stopping_option(const struct options *options)
{
	if (options->overflow_block)
		return "--overflow-block";
	return options->format_options & FORMAT_OPT_MASK_WHEN_FULL ?
		       "--smpl-mask-when-full" : NULL;
}

/*
 * Returns the option because of which pfmon must handle threads one by one, or
 * NULL: pfmon must decide which of them to measure, or when, or count each
 * thread or process separately.
 */
static const char *choosing_option(const struct options *options)
{
	if (options->trigger_start || options->trigger_stop)
		return "--trigger-start or --trigger-stop";
	if (options->follow & FOLLOW_EXEC)
		return "--follow-exec";
	if (options->exclude)
		return "--exclude";
	return options->aggregation == AGGREGATE_THREAD ||
	       options->aggregation == AGGREGATE_PROCESS ?
		       "--aggregate" : NULL;
}

/*
 * Returns whether a buffer may become full without a message. If children
 * inherited the context, there would be a buffer for each CPU, and PFM_RESTART
 * after a message about one buffer would also free other full buffers without
 * messages, which pfmon has not saved yet.
 */
static bool any_quiet(const struct options *options)
{
	for (unsigned int i = 0; i < options->event_count; i++) {
		if (options->events[i].quiet)
			return true;
	}
	return false;
}

bool follow_wants_all(const struct options *options)
{
	return options->command && !options->no_inherit &&
	       !options->system_wide && !(options->follow & ~FOLLOW_EXEC);
}

bool follow_needs_trace(const struct options *options)
{
	return options->follow || options->overflow_block ||
	       choosing_option(options);
}

const char *follow_obstacle(const struct options *options)
{
	const char *option = stopping_option(options);

	if (options->set_count > 1)
		return "several event sets";
	if (!option)
		option = choosing_option(options);
	return !option && any_quiet(options) ? "--smpl-notify" : option;
}

void follow_options_free(struct options *options)
{
	free_pattern(&options->only);
	free_pattern(&options->exclude);
}
