// SPDX-License-Identifier: MIT OR GPL-2.0
/* counting_options.c - options for printing counts */
#define _GNU_SOURCE
#include <string.h>

#include "base/util.h"
#include "options/counting_options.h"
#include "options/option_arguments.h"

#define LARGEST_REPEAT		1000000
#define SHORTEST_INTERVAL_NS	1000000

bool parse_print_interval(struct options *options, const char *text)
{
	options->interval_ns = parse_time(text, 1e6);
	if (options->interval_ns >= SHORTEST_INTERVAL_NS)
		return true;
	message("--print-interval: '%s' is not a number of milliseconds from 1 to 10^9",
		text);
	return false;
}

bool parse_repeat(struct options *options, const char *text)
{
	uint64_t runs;

	if (parse_u64(text, &runs) && runs && runs <= LARGEST_REPEAT) {
		options->runs = (unsigned int)runs;
		return true;
	}
	message("--repeat: '%s' is not a number from 1 to %d", text,
		LARGEST_REPEAT);
	return false;
}

bool take_csv(struct options *options, const char *text)
{
	options->csv = !text ? "," : strcmp(text, "\\t") ? text : "\t";
	if (*options->csv && !strpbrk(options->csv, "\"\r\n"))
		return true;
	message("--csv: the separator must not be empty or contain quotes or line ends");
	return false;
}

bool counting_options_agree(const struct options *options)
{
	bool json = options->json && options->action != ACTION_DRY_RUN;
	bool any = options->runs || options->interval_ns || json ||
		   options->csv || options->table || options->append;

	if (any && options->sampling)
		message("--repeat, --print-interval, --json, --csv, --table and --append are for counting: do not use them with a sampling period");
	else if ((options->json && options->csv) ||
		 (options->table && (options->json || options->csv)))
		message("--json, --csv and --table are mutually exclusive: give one of them");
	else if (options->append && !options->outfile)
		message("--append needs a file: -o FILE");
	else if (options->runs && options->interval_ns)
		message("--repeat and --print-interval are mutually exclusive: give one of them");
	else if (options->interval_ns && options->snapshot_ns)
		message("--print-interval and --snapshot are mutually exclusive: give one of them");
	else if (options->runs && !options->command)
		message("--repeat needs a command to run");
	else
		return true;
	return false;
}
