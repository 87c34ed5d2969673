// SPDX-License-Identifier: MIT OR GPL-2.0
/* call_graph_options.c - the option --call-graph */
#define _GNU_SOURCE
#include <string.h>

#include <perfmon/perfmon_callstack_smpl.h>
#include <perfmon/perfmon_stacks_smpl.h>

#include "base/util.h"
#include "options/call_graph_options.h"

#define DEFAULT_FREQUENCY	"1000"

bool parse_call_graph(struct options *options, const char *text)
{
	options->call_graph = text ? CALL_GRAPH_FP : CALL_GRAPH_TABLES;
	if (!text || !strcmp(text, "fp"))
		return true;
	message("--call-graph: unknown argument '%s': give --call-graph=fp, or --call-graph to use unwind tables",
		text);
	return false;
}

void call_graph_use_regions(struct options *options)
{
	if (options->regions)
		return;
	options->regions = DEFAULT_REGIONS;
	options->format_options |= FORMAT_OPT_REGIONS;
}

/*
 * Returns whether to use several regions: with one region, a context that
 * children inherit would lose samples while its buffer is full. Whether
 * children do inherit it also depends on the events, which are not known yet.
 */
static bool needs_regions(const struct options *options)
{
	return options->command && !options->no_inherit && !options->follow &&
	       !options->system_wide && !options->format_arg &&
	       !strcmp(options->module, PFM_CALLSTACK_SMPL_NAME);
}

bool call_graph_options_complete(struct options *options)
{
	if (!options->call_graph)
		return true;
	if (!options->module)
		options->module = PFM_CALLSTACK_SMPL_NAME;
	if (strcmp(options->module, PFM_CALLSTACK_SMPL_NAME) &&
	    strcmp(options->module, PFM_STACKS_SMPL_NAME)) {
		message("--call-graph uses the sampling format %s or %s: omit --smpl-module=%s",
			PFM_CALLSTACK_SMPL_NAME, PFM_STACKS_SMPL_NAME,
			options->module);
		return false;
	}
	if (needs_regions(options))
		call_graph_use_regions(options);
	if (!options->event_count && !options->long_periods &&
	    !options->short_periods && !options->frequencies)
		options->frequencies = DEFAULT_FREQUENCY;
	return true;
}
