// SPDX-License-Identifier: MIT OR GPL-2.0
/* options.c - the command line */
#define _GNU_SOURCE
#include <ctype.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon_nway_smpl.h>
#include <perfmon/perfmon_pebs64_smpl.h>

#include "cpu_list.h"
#include "events.h"
#include "options.h"
#include "util.h"

/* perf's periods have 63 bits. */
#define LARGEST_PERIOD		INT64_MAX
#define LARGEST_ENTRIES		(1ULL << 32)
#define LARGEST_TIMEOUT_S	1e9
#define LARGEST_SETS		256u

enum {
	OPT_SMPL_MODULE = 256,
	OPT_LONG_PERIODS,
	OPT_SHORT_PERIODS,
	OPT_RANDOM,
	OPT_ENTRIES,
	OPT_NO_HDR,
	OPT_IP_ONLY,
	OPT_REGIONS,
	OPT_MASK_WHEN_FULL,
	OPT_RECORD,
	OPT_IMPRECISE,
	OPT_SMPL_ARG,
	OPT_SMPL_PMDS,
	OPT_RESET_NON_SMPL,
	OPT_OVERFLOW_BLOCK,
	OPT_SYSTEM_WIDE,
	OPT_CPU_LIST,
	OPT_AGGREGATE,
	OPT_ATTACH_TASK,
	OPT_TIMEOUT,
	OPT_SWITCH,
	OPT_WITH_HEADER,
	OPT_LIST_FORMATS,
	OPT_VERSION,
};

static const struct option long_options[] = {
	{ "events",			required_argument, NULL, 'e' },
	{ "user-level",			no_argument, NULL, 'u' },
	{ "kernel-level",		no_argument, NULL, 'k' },
	{ "smpl-module",		required_argument, NULL, OPT_SMPL_MODULE },
	{ "long-smpl-periods",		required_argument, NULL, OPT_LONG_PERIODS },
	{ "short-smpl-periods",		required_argument, NULL, OPT_SHORT_PERIODS },
	{ "smpl-periods-random",	required_argument, NULL, OPT_RANDOM },
	{ "smpl-entries",		required_argument, NULL, OPT_ENTRIES },
	{ "smpl-no-hdr",		no_argument, NULL, OPT_NO_HDR },
	{ "smpl-ip-only",		no_argument, NULL, OPT_IP_ONLY },
	{ "smpl-regions",		required_argument, NULL, OPT_REGIONS },
	{ "smpl-mask-when-full",	no_argument, NULL, OPT_MASK_WHEN_FULL },
	{ "smpl-record",		required_argument, NULL, OPT_RECORD },
	{ "smpl-imprecise",		no_argument, NULL, OPT_IMPRECISE },
	{ "smpl-arg",			required_argument, NULL, OPT_SMPL_ARG },
	{ "smpl-pmds",			required_argument, NULL, OPT_SMPL_PMDS },
	{ "reset-non-smpl-periods",	no_argument, NULL, OPT_RESET_NON_SMPL },
	{ "overflow-block",		no_argument, NULL, OPT_OVERFLOW_BLOCK },
	{ "system-wide",		no_argument, NULL, OPT_SYSTEM_WIDE },
	{ "cpu-list",			required_argument, NULL, OPT_CPU_LIST },
	{ "aggregate-results",		no_argument, NULL, OPT_AGGREGATE },
	{ "attach-task",		required_argument, NULL, OPT_ATTACH_TASK },
	{ "session-timeout",		required_argument, NULL, OPT_TIMEOUT },
	{ "switch-timeout",		required_argument, NULL, OPT_SWITCH },
	{ "outfile",			required_argument, NULL, 'o' },
	{ "with-header",		no_argument, NULL, OPT_WITH_HEADER },
	{ "list-events",		optional_argument, NULL, 'l' },
	{ "list-formats",		no_argument, NULL, OPT_LIST_FORMATS },
	{ "verbose",			no_argument, NULL, 'v' },
	{ "version",			no_argument, NULL, OPT_VERSION },
	{ "help",			no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static const struct {
	const char *name;
	unsigned int number;
} virtual_pmds[] = {
	{ "elapsed",	PFM_PMD_ELAPSED },
	{ "tid",	PFM_PMD_TID },
	{ "resident",	PFM_PMD_RESIDENT },
};

static const struct {
	int option;
	unsigned int format_option;
} format_options[] = {
	{ OPT_IP_ONLY,	FORMAT_OPT_IP_ONLY },
	{ OPT_NO_HDR,	FORMAT_OPT_NO_HDR },
	{ OPT_ENTRIES,	FORMAT_OPT_ENTRIES },
	{ OPT_SMPL_PMDS, FORMAT_OPT_PMDS },
	{ OPT_RANDOM,	FORMAT_OPT_RANDOM },
	{ OPT_REGIONS,	FORMAT_OPT_REGIONS },
	{ OPT_MASK_WHEN_FULL, FORMAT_OPT_MASK_WHEN_FULL },
	{ OPT_RECORD,	FORMAT_OPT_RECORD },
	{ OPT_IMPRECISE, FORMAT_OPT_IMPRECISE },
};

static const struct {
	const char *name;
	uint32_t flag;
} records[] = {
	{ "base",	PFM_PEBS64_SMPL_BASE },
	{ "nehalem",	PFM_PEBS64_SMPL_NEHALEM },
	{ "haswell",	PFM_PEBS64_SMPL_HASWELL },
	{ "skylake",	PFM_PEBS64_SMPL_SKYLAKE },
};

/* Option arguments that can be applied only when all events are known. */
struct pending {
	const char *long_periods;
	const char *short_periods;
	const char *random;
};

void options_help(void)
{
	puts("usage: pfmon [options] [--] COMMAND [ARGS]\n"
	     "       pfmon [options] --attach-task TID\n"
	     "       pfmon [options] --system-wide [--cpu-list LIST] [COMMAND [ARGS]]\n"
	     "\n"
	     "Counts events; with sampling periods, records samples into a capture file.\n"
	     "\n"
	     "  -e, --events=EV1,EV2,...       events; each may end in :u, :k, :p (precise), :ukpp\n"
	     "  -u, --user-level               measure at user level (default)\n"
	     "  -k, --kernel-level             measure at kernel level; -uk at both\n"
	     "  -o, --outfile=FILE             write there; samples go to " DEFAULT_CAPTURE " by default\n"
	     "      --with-header              print machine and session above the counts\n"
	     "      --session-timeout=S        end after S seconds\n"
	     "      --switch-timeout=MS        each -e is an event set: they take turns of MS milliseconds\n"
	     "      --attach-task=TID          measure a running thread\n"
	     "      --system-wide              measure CPUs, whatever runs there\n"
	     "      --cpu-list=LIST            these CPUs, for instance 0,2-3 (default: all)\n"
	     "      --aggregate-results        print sums over the CPUs\n"
	     "\n"
	     "Sampling (periods and seeds are given in the order of the events):\n"
	     "      --long-smpl-periods=P1,... period after a notification\n"
	     "      --short-smpl-periods=P1,.. period otherwise; one of the two is enough\n"
	     "      --smpl-periods-random=M:S,... add random bits: mask M, seed S\n"
	     "      --smpl-entries=N           size of the buffer in samples (default 2048)\n"
	     "      --smpl-pmds=NAME,...       record elapsed, tid, resident or PMD numbers\n"
	     "      --reset-non-smpl-periods   reset recorded PMDs after each sample\n"
	     "      --smpl-module=NAME|UUID    sampling format (default: default)\n"
	     "      --smpl-ip-only             default format: no header but the address\n"
	     "      --smpl-no-hdr              default format: no header\n"
	     "      --smpl-regions=N           nway format: 2 to 64 regions (default 4)\n"
	     "      --smpl-mask-when-full      nway format: do not overwrite samples\n"
	     "      --smpl-record=NAME         pebs64 format: base, nehalem, haswell or skylake\n"
	     "      --smpl-imprecise           PEBS formats: take samples of imprecise events\n"
	     "      --smpl-arg=HEX             argument of another format, byte by byte\n"
	     "      --overflow-block           stop the thread while its buffer is saved\n"
	     "\n"
	     "  -l, --list-events[=PATTERN]    print the events that match\n"
	     "      --list-formats             print the registered sampling formats\n"
	     "  -v, --verbose                  say what is done\n"
	     "      --version                  print the version\n"
	     "  -h, --help                     print this");
}

const char *virtual_pmd_name(unsigned int number)
{
	static char name[16];

	for (size_t i = 0; i < ARRAY_SIZE(virtual_pmds); i++) {
		if (virtual_pmds[i].number == number)
			return virtual_pmds[i].name;
	}
	snprintf(name, sizeof(name), "PMD%u", number);
	return name;
}

static unsigned int format_option_of(int option)
{
	for (size_t i = 0; i < ARRAY_SIZE(format_options); i++) {
		if (format_options[i].option == option)
			return format_options[i].format_option;
	}
	return 0;
}

const char *format_option_name(unsigned int format_option)
{
	const struct option *option = long_options;

	while (option->name && format_option_of(option->val) != format_option)
		option++;
	return option->name;
}

/* Calls add for each element of a list with commas; the list is copied. */
static bool each_element(const char *list, struct options *options,
			 bool (*add)(struct options *options,
				     const char *element, unsigned int index))
{
	char *copy = checked_strdup(list), *rest = copy, *element;
	unsigned int index = 0;
	bool ok = true;

	while (ok && (element = strsep(&rest, ",")))
		ok = add(options, element, index++);
	free(copy);
	return ok;
}

static bool add_event(struct options *options, const char *name,
		      unsigned int index)
{
	struct event_option *event;

	(void)index;
	if (!*name) {
		message("-e has an empty event name");
		return false;
	}
	if (options->event_count == PFM_MAX_HW_REGS) {
		message("more than %d events", PFM_MAX_HW_REGS);
		return false;
	}
	options->events = checked_realloc(options->events,
					  options->event_count + 1,
					  sizeof(*options->events));
	event = &options->events[options->event_count++];
	memset(event, 0, sizeof(*event));
	event->name = checked_strdup(name);
	event->set = options->set_count;
	return true;
}

/* Each -e is an event set, which matters if they take turns. */
static bool add_events(struct options *options, const char *list)
{
	if (options->set_count == LARGEST_SETS) {
		message("more than %u -e options", LARGEST_SETS);
		return false;
	}
	if (!each_element(list, options, add_event))
		return false;
	options->set_count++;
	return true;
}

/* Registers, from 0 in each set. */
static void number_events(struct options *options)
{
	const struct event_option *last = NULL;

	if (!options->switch_ns)
		options->set_count = 1;
	for (unsigned int i = 0; i < options->event_count; i++) {
		struct event_option *event = &options->events[i];

		if (!options->switch_ns)
			event->set = 0;
		event->number = last && last->set == event->set ?
				last->number + 1 : 0;
		last = event;
	}
}

/* The event that an element of a list is for; NULL with a message if none. */
static struct event_option *event_at(struct options *options,
				     unsigned int index, const char *option)
{
	if (index < options->event_count)
		return &options->events[index];
	message("%s has more elements than there are events (%u)", option,
		options->event_count);
	return NULL;
}

static bool parse_period(const char *text, uint64_t *period)
{
	if (parse_u64(text, period) && *period && *period <= LARGEST_PERIOD)
		return true;
	message("sampling period '%s' is no number from 1 to 2^63-1", text);
	return false;
}

/* An empty element leaves its event without a period. */
static bool add_long_period(struct options *options, const char *text,
			    unsigned int index)
{
	struct event_option *event = event_at(options, index,
					      "--long-smpl-periods");

	if (!event || !*text)
		return event;
	event->sampling = true;
	return parse_period(text, &event->long_period);
}

static bool add_short_period(struct options *options, const char *text,
			     unsigned int index)
{
	struct event_option *event = event_at(options, index,
					      "--short-smpl-periods");

	if (!event || !*text)
		return event;
	event->sampling = true;
	return parse_period(text, &event->short_period);
}

static bool add_random(struct options *options, const char *text,
		       unsigned int index)
{
	struct event_option *event = event_at(options, index,
					      "--smpl-periods-random");
	const char *colon = strchr(text, ':');
	uint64_t seed = 0;
	char *mask;
	bool ok;

	if (!event || !*text)
		return event;
	mask = colon ? strndup(text, (size_t)(colon - text)) : NULL;
	ok = mask && parse_u64(mask, &event->random_mask) &&
	     parse_u64(colon + 1, &seed) && seed <= UINT32_MAX;
	free(mask);
	if (!ok) {
		message("--smpl-periods-random: '%s' is not MASK:SEED, a 64-bit and a 32-bit number",
			text);
		return false;
	}
	event->random_seed = (uint32_t)seed;
	event->randomised = true;
	return true;
}

static bool add_smpl_pmd(struct options *options, const char *name,
			 unsigned int index)
{
	uint64_t number;

	(void)index;
	for (size_t i = 0; i < ARRAY_SIZE(virtual_pmds); i++) {
		if (!strcmp(name, virtual_pmds[i].name)) {
			pfm_bv_set(options->smpl_pmds, virtual_pmds[i].number);
			return true;
		}
	}
	if (!parse_u64(name, &number) || number >= PFM_MAX_PMDS) {
		message("--smpl-pmds: '%s' is neither elapsed, tid, resident nor a PMD number below %d",
			name, PFM_MAX_PMDS);
		return false;
	}
	pfm_bv_set(options->smpl_pmds, (unsigned int)number);
	return true;
}

static bool parse_cpus(struct options *options, const char *text)
{
	free(options->cpus);
	options->cpus = NULL;
	if (cpus_parse(text, &options->cpus, &options->cpu_count))
		return true;
	message("--cpu-list: '%s' is no list of CPUs such as 0,2-3", text);
	return false;
}

static bool parse_entries(struct options *options, const char *text)
{
	if (parse_u64(text, &options->entries) && options->entries &&
	    options->entries <= LARGEST_ENTRIES)
		return true;
	message("--smpl-entries: '%s' is no number from 1 to %llu", text,
		LARGEST_ENTRIES);
	return false;
}

static bool parse_regions(struct options *options, const char *text)
{
	uint64_t regions;

	if (parse_u64(text, &regions) && regions >= PFM_NWAY_MIN_REGIONS &&
	    regions <= PFM_NWAY_MAX_REGIONS) {
		options->regions = (uint32_t)regions;
		return true;
	}
	message("--smpl-regions: '%s' is no number from %d to %d", text,
		PFM_NWAY_MIN_REGIONS, PFM_NWAY_MAX_REGIONS);
	return false;
}

static bool parse_record(struct options *options, const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
		if (!strcmp(text, records[i].name)) {
			options->record = records[i].flag;
			return true;
		}
	}
	message("--smpl-record: '%s' is neither base, nehalem, haswell nor skylake",
		text);
	return false;
}

static bool parse_attach(struct options *options, const char *text)
{
	uint64_t tid;

	if (parse_u64(text, &tid) && tid && tid <= INT_MAX) {
		options->attach = (pid_t)tid;
		return true;
	}
	message("--attach-task: '%s' is no thread id", text);
	return false;
}

/* A number of some unit, from 0.001 of it on, in nanoseconds; 0 if it is none. */
static uint64_t parse_time(const char *text, double unit_ns)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end || !isfinite(number) || number < 1e-3 ||
	    number > LARGEST_TIMEOUT_S)
		return 0;
	return (uint64_t)(number * unit_ns);
}

static bool parse_timeout(struct options *options, const char *text)
{
	options->timeout_ns = parse_time(text, 1e9);
	if (!options->timeout_ns)
		message("--session-timeout: '%s' is no number of seconds from 0.001 to 10^9",
			text);
	return options->timeout_ns;
}

static bool parse_switch(struct options *options, const char *text)
{
	options->switch_ns = parse_time(text, 1e6);
	if (!options->switch_ns)
		message("--switch-timeout: '%s' is no number of milliseconds from 0.001 to 10^9",
			text);
	return options->switch_ns;
}

static int hex_digit(char letter)
{
	static const char digits[] = "0123456789abcdef";
	const char *found = letter ? strchr(digits, tolower((unsigned char)letter)) : NULL;

	return found ? (int)(found - digits) : -1;
}

static bool parse_format_arg(struct options *options, const char *text)
{
	size_t digits = strlen(text);
	int high, low;

	free(options->format_arg);
	options->format_arg = checked_calloc(digits / 2, 1);
	options->format_arg_size = digits / 2;
	for (size_t i = 0; i < digits / 2; i++) {
		high = hex_digit(text[2 * i]);
		low = hex_digit(text[2 * i + 1]);
		if (high < 0 || low < 0)
			break;
		options->format_arg[i] = (unsigned char)(high << 4 | low);
		if (i == digits / 2 - 1 && digits % 2 == 0)
			return true;
	}
	message("--smpl-arg: '%s' is no sequence of bytes in hexadecimal", text);
	return false;
}

static bool apply(struct options *options, struct pending *pending, int option)
{
	options->format_options |= format_option_of(option);
	switch (option) {
	case 'e':
		return add_events(options, optarg);
	case 'u':
		options->levels |= LEVEL_USER;
		return true;
	case 'k':
		options->levels |= LEVEL_KERNEL;
		return true;
	case 'o':
		options->outfile = optarg;
		return true;
	case 'v':
		options->verbose = true;
		return true;
	case 'h':
		options->action = ACTION_HELP;
		return true;
	case 'l':
		options->action = ACTION_LIST_EVENTS;
		options->pattern = optarg;
		return true;
	case OPT_LIST_FORMATS:
		options->action = ACTION_LIST_FORMATS;
		return true;
	case OPT_VERSION:
		options->action = ACTION_VERSION;
		return true;
	case OPT_SMPL_MODULE:
		options->module = optarg;
		return true;
	case OPT_LONG_PERIODS:
		pending->long_periods = optarg;
		return true;
	case OPT_SHORT_PERIODS:
		pending->short_periods = optarg;
		return true;
	case OPT_RANDOM:
		pending->random = optarg;
		return true;
	case OPT_ENTRIES:
		return parse_entries(options, optarg);
	case OPT_NO_HDR:
	case OPT_IP_ONLY:
	case OPT_MASK_WHEN_FULL:
	case OPT_IMPRECISE:
		return true;
	case OPT_RECORD:
		return parse_record(options, optarg);
	case OPT_REGIONS:
		return parse_regions(options, optarg);
	case OPT_SMPL_ARG:
		return parse_format_arg(options, optarg);
	case OPT_SMPL_PMDS:
		return each_element(optarg, options, add_smpl_pmd);
	case OPT_RESET_NON_SMPL:
		options->reset_non_smpl = true;
		return true;
	case OPT_OVERFLOW_BLOCK:
		options->overflow_block = true;
		return true;
	case OPT_SYSTEM_WIDE:
		options->system_wide = true;
		return true;
	case OPT_CPU_LIST:
		return parse_cpus(options, optarg);
	case OPT_AGGREGATE:
		options->aggregate = true;
		return true;
	case OPT_ATTACH_TASK:
		return parse_attach(options, optarg);
	case OPT_TIMEOUT:
		return parse_timeout(options, optarg);
	case OPT_SWITCH:
		return parse_switch(options, optarg);
	case OPT_WITH_HEADER:
		options->with_header = true;
		return true;
	default:	/* getopt_long() has said what is wrong */
		return false;
	}
}

/* A period that is not given is the other one. */
static void complete_periods(struct event_option *event)
{
	if (!event->long_period)
		event->long_period = event->short_period;
	if (!event->short_period)
		event->short_period = event->long_period;
}

/* The random number shortens a period, which must not become 0 or less. */
static bool check_random(const struct event_option *event)
{
	if (!event->randomised)
		return true;
	if (!event->sampling) {
		message("event %s has a random mask but no sampling period",
			event->name);
		return false;
	}
	if (event->random_mask < event->long_period &&
	    event->random_mask < event->short_period)
		return true;
	message("event %s: its random mask must be smaller than its periods",
		event->name);
	return false;
}

static bool complete_events(struct options *options)
{
	for (unsigned int i = 0; i < options->event_count; i++) {
		complete_periods(&options->events[i]);
		if (!check_random(&options->events[i]))
			return false;
		options->sampling |= options->events[i].sampling;
	}
	return true;
}

static bool apply_pending(struct options *options,
			  const struct pending *pending)
{
	if (pending->long_periods &&
	    !each_element(pending->long_periods, options, add_long_period))
		return false;
	if (pending->short_periods &&
	    !each_element(pending->short_periods, options, add_short_period))
		return false;
	if (pending->random &&
	    !each_element(pending->random, options, add_random))
		return false;
	return complete_events(options);
}

/* What is wrong with this combination of options, NULL if nothing is. */
static const char *contradiction(const struct options *options)
{
	const unsigned int short_entries = FORMAT_OPT_NO_HDR | FORMAT_OPT_IP_ONLY;
	bool sampling_options = options->module || options->format_options ||
		options->format_arg || options->reset_non_smpl ||
		options->overflow_block;

	if (!options->event_count)
		return "no event given; say which with -e, for instance -e cpu-clock";
	if (options->switch_ns && options->set_count < 2)
		return "--switch-timeout needs several -e; each is a set of events that takes its turn";
	if (options->switch_ns && options->sampling)
		return "--switch-timeout is for counting; events with sampling periods do not take turns";
	if (sampling_options && !options->sampling)
		return "sampling options without a sampling period; give one with --long-smpl-periods";
	if ((options->format_options & short_entries) == short_entries)
		return "--smpl-no-hdr and --smpl-ip-only exclude each other";
	if (options->system_wide && options->attach)
		return "--system-wide and --attach-task exclude each other";
	if (options->attach && options->command)
		return "--attach-task takes no command";
	if (options->system_wide && options->overflow_block)
		return "--overflow-block is for threads; a system-wide session cannot block";
	if (!options->system_wide && (options->cpus || options->aggregate))
		return "--cpu-list and --aggregate-results need --system-wide";
	if (!options->system_wide && !options->attach && !options->command)
		return "nothing to measure: give a command, --attach-task or --system-wide";
	return NULL;
}

static bool check(struct options *options)
{
	const char *problem = contradiction(options);

	if (problem) {
		message("%s", problem);
		return false;
	}
	if (!options->module)
		options->module = DEFAULT_MODULE;
	if (!options->entries)
		options->entries = DEFAULT_ENTRIES;
	if (!options->regions)
		options->regions = DEFAULT_REGIONS;
	if (options->sampling && !options->outfile)
		options->outfile = DEFAULT_CAPTURE;
	return true;
}

static bool parse(struct options *options, int argc, char **argv)
{
	struct pending pending = { NULL };
	int option;

	while ((option = getopt_long(argc, argv, "+e:uko:vhl::", long_options,
				     NULL)) != -1) {
		if (!apply(options, &pending, option))
			return false;
	}
	if (argv[optind])
		options->command = argv + optind;
	if (options->action == ACTION_LIST_EVENTS && !options->pattern)
		options->pattern = argv[optind];
	if (options->action != ACTION_MEASURE)
		return true;
	number_events(options);
	return apply_pending(options, &pending) && check(options);
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
	for (unsigned int i = 0; i < options->event_count; i++)
		free(options->events[i].name);
	free(options->events);
	free(options->format_arg);
	free(options->cpus);
	memset(options, 0, sizeof(*options));
}
