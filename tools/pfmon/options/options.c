// SPDX-License-Identifier: MIT OR GPL-2.0
/* options.c - parse the command line, and check for conflicting options */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/cgroup.h"
#include "base/similar.h"
#include "base/util.h"
#include "events/events.h"
#include "formats/table.h"
#include "options/call_graph_options.h"
#include "options/counting_options.h"
#include "options/default_events.h"
#include "options/event_options.h"
#include "options/follow_options.h"
#include "options/off_cpu_options.h"
#include "options/option_arguments.h"
#include "options/option_table.h"
#include "options/options.h"
#include "options/perf_options.h"
#include "process/trigger.h"

#define DEFAULT_INTERVAL_NS	1000000000

/* Returns whether at least two bits are set. */
static bool has_two(unsigned int bits)
{
	return bits & (bits - 1);
}

static bool has_periods(const struct options *options)
{
	return options->long_periods || options->short_periods;
}

static bool measures_something(const struct options *options)
{
	return options->command || options->attach ||
	       options->attach_process || options->system_wide;
}

/* Returns false, with a message, if options conflict. */
static bool agree(const struct options *options)
{
	const unsigned int short_entries =
		FORMAT_OPT_NO_HDR | FORMAT_OPT_IP_ONLY;
	bool sampling_options = options->module || options->format_options ||
		options->format_arg || options->format_fields ||
		options->reset_non_smpl || options->overflow_block ||
		options->data_maps;

	if (options->action == ACTION_MEASURE && !measures_something(options))
		message("nothing to measure: give a command, --attach-task, --attach-process or --system-wide%s",
			options->timeout_ns ?
			"; perf's -t is --attach-task=TID in pfmon" :
			"");
	else if (!options->event_count)
		message("no event given: choose one with -e, such as -e cpu-clock");
	else if (options->switch_ns && options->set_count < 2)
		message("--switch-timeout needs several -e, one for each event set");
	else if (options->switch_overflows && options->set_count < 2)
		message("--switch-overflow needs several -e, one for each event set");
	else if (sampling_options && !options->sampling)
		message("sampling options need a sampling period: give one with --long-smpl-periods");
	else if (options->action == ACTION_TOP && !options->sampling)
		message("pfmon " TOP_WORD " needs a sampling period: give one with --long-smpl-periods, or omit -e");
	else if (options->adapts && options->format_options & short_entries)
		message("--smpl-no-hdr and --smpl-ip-only omit the period of each sample, which --smpl-freq needs");
	else if ((options->format_options & short_entries) == short_entries)
		message("--smpl-no-hdr and --smpl-ip-only are mutually exclusive: give one of them");
	else if (options->format_options & FORMAT_OPT_RAW_TIME &&
		 options->format_options & short_entries)
		message("--smpl-no-hdr and --smpl-ip-only omit the time, which --smpl-raw-time needs");
	else if (has_two(options->format_options & FORMAT_OPT_VIEWS))
		message("--smpl-inst-view, --smpl-data-view and --smpl-level-view are mutually exclusive: give one of them");
	else if (options->system_wide && options->attach)
		message("--system-wide and --attach-task are mutually exclusive: give one of them");
	else if (options->attach && options->command)
		message("--attach-task does not take a command: omit the command");
	else if (options->system_wide && options->overflow_block)
		message("--overflow-block blocks threads: do not use it with --system-wide");
	else if (!options->system_wide && (options->cpus || options->aggregate))
		message("--cpu-list and --aggregate-results need --system-wide");
	else if (options->pin_command && (!options->cpus || !options->command))
		message("--pin-command needs --cpu-list and a command");
	else if (!options->system_wide && options->excl_idle)
		message("--excl-idle needs --system-wide: per-thread sessions never measure the idle thread");
	else
		return true;
	return false;
}

/*
 * Prepares standard output for JSON, CSV or the counts of "-o -": all other
 * text that pfmon prints goes to standard error. The command's output is not
 * redirected.
 */
static bool take_standard_output(struct options *options)
{
	bool asked = options->outfile && !strcmp(options->outfile, "-");

	if (asked && options->sampling) {
		message("-o -: a capture cannot be written to standard output; give a file or a named pipe");
		return false;
	}
	if (asked)
		options->outfile = NULL;
	options->to_stdout = asked || options->json || options->csv;
	return true;
}

static bool add_pmds_of_module(struct options *options)
{
	const struct smpl_module *module = smpl_module_named(options->module);

	return !module || !module->pmds ||
	       parse_smpl_pmds(options, module->pmds);
}

static bool check(struct options *options)
{
	if (!agree(options) || !take_standard_output(options) ||
	    !counting_options_agree(options) ||
	    !follow_options_agree(options) || !trigger_options_agree(options) ||
	    !cgroup_options_agree(options))
		return false;
	if (!options->module)
		options->module = DEFAULT_MODULE;
	if (!options->entries)
		options->entries = DEFAULT_ENTRIES;
	if (!options->regions)
		options->regions = DEFAULT_REGIONS;
	if (options->sampling && !options->outfile)
		options->outfile = DEFAULT_CAPTURE;
	return add_pmds_of_module(options);
}

/*
 * getopt_long() returns the letter of an option or, for an option without a
 * letter, FIRST_ROW plus the row number.
 */
#define FIRST_ROW	256

struct getopt_table {
	struct option *longs;
	char *letters;
};

static int value_of(const struct option_row *row)
{
	return row->letter ? row->letter :
			     FIRST_ROW + (int)(row - option_table);
}

static const struct option_row *row_of(int value)
{
	for (size_t i = 0; i < option_count; i++) {
		if (value_of(&option_table[i]) == value)
			return &option_table[i];
	}
	for (size_t i = 0; i < option_alias_count; i++) {
		if (option_aliases[i].letter == value)
			return option_of_alias(&option_aliases[i]);
	}
	return NULL;
}

/*
 * Returns whether an option is valid here. pfmon doctor takes only its own
 * options and --help. pfmon top takes pfmon's options and its own.
 */
static bool is_taken(const struct options *options,
		     const struct option_row *row)
{
	bool helps = row->effect.kind == EFFECT_ACTION &&
		     row->effect.action == ACTION_HELP;

	if (row->group == GROUP_TOP)
		return options->action == ACTION_TOP;
	return helps || (options->action == ACTION_DOCTOR) ==
	       (row->group == GROUP_DOCTOR);
}

static void add_name(struct option **next, const char *name,
		     const struct option_row *row)
{
	int arguments = row->optional ? optional_argument :
			row->argument ? required_argument : no_argument;

	if (name)
		*(*next)++ = (struct option){
			name, arguments, NULL, value_of(row)
		};
}

static void add_letter(char **next, char letter, const struct option_row *row)
{
	if (letter)
		*next += sprintf(*next, "%c%s", letter, row->optional ? "::" :
				 row->argument ? ":" : "");
}

/*
 * Converts the tables for getopt_long(), which is told to stop at the first
 * word that is not an option.
 */
static struct getopt_table make_getopt_table(const struct options *options)
{
	size_t count = option_count + option_alias_count;
	struct getopt_table table = {
		.longs = checked_calloc(count + 1, sizeof(*table.longs)),
		/*
		 * The letters are a plus sign, then a letter and at most "::"
		 * for each option.
		 */
		.letters = checked_calloc(1 + 3 * count + 1, 1),
	};
	struct option *next_long = table.longs;
	char *next = table.letters;

	*next++ = '+';
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];

		if (!is_taken(options, row))
			continue;
		add_name(&next_long, row->name, row);
		add_letter(&next, row->letter, row);
	}
	for (size_t i = 0; i < option_alias_count; i++) {
		const struct option_alias *alias = &option_aliases[i];
		const struct option_row *row = option_of_alias(alias);

		if (!row || !is_taken(options, row))
			continue;
		add_name(&next_long, alias->name, row);
		add_letter(&next, alias->letter, row);
	}
	return table;
}

static bool apply(struct options *options, const struct option_row *row,
		  const char *argument)
{
	const struct option_effect *effect = &row->effect;
	void *field = (char *)options + effect->field;

	options->format_options |= row->format_option;
	switch (effect->kind) {
	case EFFECT_FORMAT_OPTION:
		break;
	case EFFECT_FLAG:
		*(bool *)field = true;
		break;
	case EFFECT_TEXT:
		*(const char **)field = argument;
		break;
	case EFFECT_ACTION:
		options->action = effect->action;
		break;
	case EFFECT_CALL:
		return effect->call(options, argument);
	}
	return true;
}

static void suggest_similar(const char *name, const struct getopt_table *table)
{
	struct similar similar = { .name = name };

	for (const struct option *option = table->longs; option->name; option++)
		similar_consider(option->name, &similar);
	if (similar.best && similar.edits)
		message("did you mean --%s?", similar.best);
	free(similar.best);
}

/*
 * Suggests an option after getopt_long() has printed a message. @letter is the
 * unknown short option; if it is 0, @word is a long option that is unknown or
 * an ambiguous abbreviation.
 */
static void suggest_option(int letter, const char *word,
			   const struct getopt_table *table)
{
	char *name = checked_strdup(letter ? "" : word + strlen("--"));
	const char *here;

	name[strcspn(name, "=")] = '\0';
	here = perf_option_here(letter, name);
	if (here)
		message("if you mean perf's option: in pfmon, it is %s", here);
	else if (!letter)
		suggest_similar(name, table);
	free(name);
}

static bool apply_all(struct options *options, int argc, char **argv)
{
	struct getopt_table table = make_getopt_table(options);
	const struct option_row *row;
	bool ok = true;
	int value;

	while (ok && (value = getopt_long(argc, argv, table.letters,
					  table.longs, NULL)) != -1) {
		row = row_of(value);
		ok = row && apply(options, row, optarg);
		/* optopt is 0 only for unknown and ambiguous long options. */
		if (!row)
			suggest_option(optopt, argv[optind - 1], &table);
	}
	free(table.longs);
	free(table.letters);
	return ok;
}

/*
 * Parses the options after the first word "doctor". To measure a program of
 * that name, the user must write options or "--" before it.
 */
static bool parse_doctor(struct options *options, int argc, char **argv)
{
	options->action = ACTION_DOCTOR;
	if (!apply_all(options, argc, argv))
		return false;
	if (!argv[optind])
		return true;
	message("pfmon " DOCTOR_WORD " does not take '%s'; pfmon [options] -- "
		DOCTOR_WORD " measures a program of that name", argv[optind]);
	return false;
}

static bool takes_events(enum action action)
{
	return action == ACTION_MEASURE || action == ACTION_TOP ||
	       action == ACTION_CHECK_EVENTS || action == ACTION_DRY_RUN;
}

/*
 * Adds the defaults of pfmon top: all CPUs, and a sample for each millisecond
 * of cpu-clock.
 */
static bool complete_top(struct options *options)
{
	if (options->outfile || options->snapshot_ns) {
		message("pfmon " TOP_WORD " does not write a file: omit --outfile and --snapshot");
		return false;
	}
	if (!options->top.interval_ns)
		options->top.interval_ns = DEFAULT_INTERVAL_NS;
	if (!options->command && !options->attach &&
	    !options->attach_process)
		options->system_wide = true;
	if (options->event_count || options->off_cpu || options->wall_clock)
		return true;
	if (!options->levels)
		options->levels = LEVEL_USER | LEVEL_KERNEL;
	if (!options->long_periods && !options->short_periods)
		options->long_periods = "1000000";
	return event_options_add(options, "cpu-clock");
}

/*
 * Adds default events, unless there are sampling periods, which need explicit
 * events.
 */
static bool add_events(struct options *options)
{
	if (options->event_count || !measures_something(options) ||
	    has_periods(options))
		return true;
	return options->frequencies ? default_sampling_event_add(options) :
				      default_events_add(options);
}

/*
 * Prints a hint if the first word is a command of perf. pfmon takes it for the
 * program to measure, and there is a program named stat.
 */
static void suggest_command(const char *word)
{
	const char *here = perf_command_here(word);

	if (here)
		message("measuring the program '%s': instead of perf %s, use %s (for a program of that name: pfmon -- %s)",
			word, word, here, word);
}

static bool parse(struct options *options, int argc, char **argv)
{
	if (argc > 1)
		suggest_command(argv[1]);
	if (argc > 1 && !strcmp(argv[1], DOCTOR_WORD))
		return parse_doctor(options, argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], TOP_WORD)) {
		options->action = ACTION_TOP;
		argc--;
		argv++;
	}
	if (!apply_all(options, argc, argv))
		return false;
	if (argv[optind])
		options->command = argv + optind;
	if (options->action == ACTION_LIST_EVENTS && !options->pattern)
		options->pattern = argv[optind];
	if (!takes_events(options->action))
		return true;
	if (options->action == ACTION_TOP && !complete_top(options))
		return false;
	return off_cpu_options_complete(options) &&
	       call_graph_options_complete(options) && add_events(options) &&
	       event_options_complete(options) && check(options);
}

bool options_parse(struct options *options, int argc, char **argv)
{
	memset(options, 0, sizeof(*options));
	if (parse(options, argc, argv))
		return true;
	options_free(options);
	fputs("Try 'pfmon --help'.\n", stderr);
	return false;
}

void options_free(struct options *options)
{
	for (unsigned int i = 0; i < options->event_count; i++) {
		free(options->events[i].name);
		free(options->events[i].cpus);
	}
	free(options->events);
	free(options->format_arg);
	free(options->cpus);
	free(options->cgroups);
	follow_options_free(options);
	memset(options, 0, sizeof(*options));
}
