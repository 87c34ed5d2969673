// SPDX-License-Identifier: MIT OR GPL-2.0
/* option_arguments.c - parsers for option arguments */
#define _GNU_SOURCE
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon_nway_smpl.h>
#include <perfmon/perfmon_pebs64_smpl.h>

#include "base/cpu_list.h"
#include "base/elements.h"
#include "base/util.h"
#include "events/events.h"
#include "events/pmu.h"
#include "options/option_arguments.h"

#define LARGEST_ENTRIES		(1ULL << 32)
#define LARGEST_TIMEOUT_S	1e9

static const struct {
	const char *name;
	uint32_t flag;
} records[] = {
	{ "base",	PFM_PEBS64_SMPL_BASE },
	{ "nehalem",	PFM_PEBS64_SMPL_NEHALEM },
	{ "haswell",	PFM_PEBS64_SMPL_HASWELL },
	{ "skylake",	PFM_PEBS64_SMPL_SKYLAKE },
};

bool take_user_level(struct options *options, const char *text)
{
	(void)text;
	options->levels |= LEVEL_USER;
	return true;
}

bool take_kernel_level(struct options *options, const char *text)
{
	(void)text;
	options->levels |= LEVEL_KERNEL;
	return true;
}

bool take_list_events(struct options *options, const char *pattern)
{
	options->action = ACTION_LIST_EVENTS;
	options->pattern = pattern;
	return true;
}

bool take_us_numbers(struct options *options, const char *text)
{
	(void)text;
	options->numbers = NUMBER_US;
	return true;
}

bool take_eu_numbers(struct options *options, const char *text)
{
	(void)text;
	options->numbers = NUMBER_EU;
	return true;
}

bool take_hex_numbers(struct options *options, const char *text)
{
	(void)text;
	options->numbers = NUMBER_HEX;
	return true;
}

bool take_event_info(struct options *options, const char *names)
{
	options->action = ACTION_EVENT_INFO;
	options->pattern = names;
	return true;
}

/* Parses N or N-M. */
static bool parse_pmd_range(const char *text, uint64_t *first, uint64_t *last)
{
	char *copy = checked_strdup(text), *rest = copy;
	const char *start = strsep(&rest, "-");
	bool ok = parse_u64(start, first) &&
		  parse_u64(rest ? rest : start, last);

	free(copy);
	return ok && *first <= *last && *last < PFM_MAX_PMDS;
}

static bool add_smpl_pmd(struct options *options, const char *name,
			 unsigned int index)
{
	uint64_t first, last;
	char *names;

	(void)index;
	if (!virtual_pmd_find(name, &first, &last) &&
	    !parse_pmd_range(name, &first, &last)) {
		names = virtual_pmd_names();
		message("--smpl-pmds: '%s' is not valid: use %s, a PMD number below %d, or a range such as 1-4",
			name, names, PFM_MAX_PMDS);
		free(names);
		return false;
	}
	for (; first <= last; first++)
		pfm_bv_set(options->smpl_pmds, (unsigned int)first);
	return true;
}

bool parse_smpl_pmds(struct options *options, const char *text)
{
	return each_element(text, options, add_smpl_pmd);
}

bool parse_cpu_list(struct options *options, const char *text)
{
	free(options->cpus);
	options->cpus = NULL;
	if (cpus_parse(text, &options->cpus, &options->cpu_count))
		return true;
	message("--cpu-list: '%s' is not a list of CPUs such as 0,2-3", text);
	return false;
}

bool parse_smpl_entries(struct options *options, const char *text)
{
	if (parse_u64(text, &options->entries) && options->entries &&
	    options->entries <= LARGEST_ENTRIES)
		return true;
	message("--smpl-entries: '%s' is not a number from 1 to %llu", text,
		LARGEST_ENTRIES);
	return false;
}

bool parse_smpl_regions(struct options *options, const char *text)
{
	uint64_t regions;

	if (parse_u64(text, &regions) && regions >= PFM_NWAY_MIN_REGIONS &&
	    regions <= PFM_NWAY_MAX_REGIONS) {
		options->regions = (uint32_t)regions;
		return true;
	}
	message("--smpl-regions: '%s' is not a number from %d to %d", text,
		PFM_NWAY_MIN_REGIONS, PFM_NWAY_MAX_REGIONS);
	return false;
}

bool parse_smpl_record(struct options *options, const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
		if (!strcmp(text, records[i].name)) {
			options->record = records[i].flag;
			return true;
		}
	}
	message("--smpl-record: '%s' is not base, nehalem, haswell or skylake",
		text);
	return false;
}

bool parse_show_top(struct options *options, const char *text)
{
	if (parse_u64(text, &options->show_top) && options->show_top &&
	    options->show_top <= INT_MAX)
		return true;
	message("--smpl-show-top: '%s' is not a number from 1 to %d", text,
		INT_MAX);
	return false;
}

uint64_t parse_time(const char *text, double unit_ns)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end || !isfinite(number) || number < 1e-3 ||
	    number > LARGEST_TIMEOUT_S)
		return 0;
	return (uint64_t)(number * unit_ns);
}

/*
 * Parses the seconds in an option's argument; returns false, with a message, if
 * they are invalid.
 */
static bool parse_seconds(const char *option, const char *text, uint64_t *ns)
{
	*ns = parse_time(text, 1e9);
	if (!*ns)
		message("--%s: '%s' is not a number of seconds from 0.001 to 10^9",
			option, text);
	return *ns;
}

bool parse_session_timeout(struct options *options, const char *text)
{
	return parse_seconds("session-timeout", text, &options->timeout_ns);
}

bool parse_duration(struct options *options, const char *text)
{
	return parse_seconds("duration", text, &options->duration_ns);
}

bool parse_interval(struct options *options, const char *text)
{
	return parse_seconds("interval", text, &options->top.interval_ns);
}

bool parse_snapshot(struct options *options, const char *text)
{
	return parse_seconds("snapshot", text, &options->snapshot_ns);
}

bool parse_control(struct options *options, const char *text)
{
	static const char kind[] = "fifo:";
	const size_t length = sizeof(kind) - 1;
	char *rest;

	if (strncmp(text, kind, length) || !text[length]) {
		message("--control: '%s' is not fifo:PATH or fifo:PATH,ACK-PATH",
			text);
		return false;
	}
	rest = checked_strdup(text + length);
	options->control = strsep(&rest, ",");
	options->control_ack = rest;
	return true;
}

bool parse_delay(struct options *options, const char *text)
{
	options->delayed_for_good = !strcmp(text, "-1");
	options->delay_ns = parse_time(text, 1e6);
	if (options->delayed_for_good || options->delay_ns)
		return true;
	message("--delay: '%s' is neither a number of milliseconds from 0.001 to 10^9 nor -1",
		text);
	return false;
}

bool parse_switch_timeout(struct options *options, const char *text)
{
	options->switch_ns = parse_time(text, 1e6);
	if (!options->switch_ns)
		message("--switch-timeout: '%s' is not a number of milliseconds from 0.001 to 10^9",
			text);
	return options->switch_ns;
}

static int hex_digit(char letter)
{
	static const char digits[] = "0123456789abcdef";
	const char *found =
		letter ? strchr(digits, tolower((unsigned char)letter)) : NULL;

	return found ? (int)(found - digits) : -1;
}

static bool parse_bytes(struct options *options, const char *text)
{
	size_t digits = strlen(text);
	int high, low;

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
	message("--smpl-arg: '%s' is neither NAME=VALUE,... nor hexadecimal bytes",
		text);
	return false;
}

/*
 * Does not check field names, because the format is not known yet. If the
 * option is repeated, the last one is used.
 */
bool parse_smpl_arg(struct options *options, const char *text)
{
	free(options->format_arg);
	options->format_arg = NULL;
	options->format_arg_size = 0;
	options->format_fields = strchr(text, '=') ? text : NULL;
	return options->format_fields || parse_bytes(options, text);
}
