// SPDX-License-Identifier: MIT OR GPL-2.0
/* off_cpu_options.c - the option --off-cpu */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon_callstack_smpl.h>
#include <perfmon/perfmon_stacks_smpl.h>

#include "base/util.h"
#include "events/event_code.h"
#include "options/call_graph_options.h"
#include "options/default_events.h"
#include "options/event_options.h"
#include "options/off_cpu_options.h"

bool parse_off_cpu(struct options *options, const char *text)
{
	options->off_cpu = text ? OFF_CPU_SUM : OFF_CPU_RECORD;
	if (!text || !strcmp(text, "sum"))
		return true;
	message("--off-cpu: unknown argument '%s': give --off-cpu=sum, or --off-cpu to record each context switch",
		text);
	return false;
}

static const char *module_for(const struct options *options)
{
	return options->off_cpu == OFF_CPU_SUM ? PFM_STACKS_SMPL_NAME :
						 PFM_CALLSTACK_SMPL_NAME;
}

static bool agree(const struct options *options)
{
	if (options->event_count || options->priv_levels)
		message("--off-cpu chooses the events: omit -e and --priv-levels");
	else if (options->long_periods || options->short_periods ||
		 options->frequencies)
		message("--off-cpu samples each context switch: omit sampling periods and -F");
	else if (options->reset_non_smpl)
		message("--off-cpu records the total CPU time of each thread, which must not be reset: omit --reset-non-smpl-periods");
	else if (options->system_wide)
		message("--off-cpu measures threads: give a command, --attach-process or --attach-task instead of --system-wide");
	else if (options->module &&
		 strcmp(options->module, module_for(options)))
		message("--off-cpu uses the sampling format %s: omit --smpl-module=%s",
			module_for(options), options->module);
	else
		return true;
	return false;
}

/*
 * Adds the events: context-switches in PMD 0, and task-clock in PMD
 * OFF_CPU_CLOCK.
 */
static bool add_events(struct options *options)
{
	const char *suffix;
	char *list;
	bool ok;

	default_events_choose_levels(options);
	suffix = options->levels == LEVEL_USER ? ":u" :
		 options->levels == LEVEL_KERNEL ? ":k" : ":uk";
	list = checked_printf("context-switches%s,task-clock%s", suffix,
			      suffix);
	ok = event_options_add(options, list);
	free(list);
	options->long_periods = "1";
	return ok;
}

bool off_cpu_options_complete(struct options *options)
{
	if (!options->off_cpu)
		return true;
	if (!agree(options) || !add_events(options))
		return false;
	pfm_bv_set(options->smpl_pmds, PFM_PMD_STATE);
	options->module = module_for(options);
	/*
	 * Use regions: a buffer with one region would mask threads when it is
	 * full. With --off-cpu=sum, a full table does not mask them.
	 */
	if (options->off_cpu != OFF_CPU_SUM)
		call_graph_use_regions(options);
	if (!options->call_graph)
		options->call_graph = CALL_GRAPH_TABLES;
	return true;
}
