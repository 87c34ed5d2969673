// SPDX-License-Identifier: MIT OR GPL-2.0
/* off_cpu_options.c - the options --off-cpu and --wall-clock */
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

#define DEFAULT_PERIOD	"1000000"	/* ns of CPU time */

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
	const char *option = options->wall_clock ? "--wall-clock" : "--off-cpu";

	if (options->wall_clock && options->off_cpu)
		message("--wall-clock includes the time off CPU: omit --off-cpu");
	else if (options->event_count || options->priv_levels)
		message("%s chooses the events: omit -e and --priv-levels",
			option);
	else if (!options->wall_clock &&
		 (options->long_periods || options->short_periods ||
		  options->frequencies))
		message("--off-cpu samples each context switch: omit sampling periods and -F");
	else if (options->reset_non_smpl)
		message("%s records the total CPU time of each thread, which must not be reset: omit --reset-non-smpl-periods",
			option);
	else if (options->system_wide)
		message("%s measures threads: give a command, --attach-process or --attach-task instead of --system-wide",
			option);
	else if (options->module &&
		 strcmp(options->module, module_for(options)))
		message("%s uses the sampling format %s: omit --smpl-module=%s",
			option, module_for(options), options->module);
	else
		return true;
	return false;
}

/*
 * Adds the events: task-clock in PMD OFF_CPU_CLOCK, context-switches, and with
 * --wall-clock also cpu-clock in PMD WALL_CLOCK_TIMER. Sampling periods and -F
 * apply to cpu-clock only.
 */
static bool add_events(struct options *options)
{
	const unsigned int switches = options->wall_clock ? 2 : 0;
	const char *suffix;
	char *list;
	bool ok;

	default_events_choose_levels(options);
	suffix = options->levels == LEVEL_USER ? ":u" :
		 options->levels == LEVEL_KERNEL ? ":k" : ":uk";
	list = options->wall_clock ?
		checked_printf("cpu-clock%s,task-clock%s,context-switches%s",
			       suffix, suffix, suffix) :
		checked_printf("context-switches%s,task-clock%s", suffix,
			       suffix);
	ok = event_options_add(options, list);
	free(list);
	if (!ok)
		return false;
	options->events[switches].sampling = true;
	options->events[switches].long_period = 1;
	options->events[switches].fixed = true;
	options->events[OFF_CPU_CLOCK].fixed = true;
	if (options->wall_clock && !options->long_periods &&
	    !options->short_periods && !options->frequencies)
		options->long_periods = DEFAULT_PERIOD;
	return true;
}

bool off_cpu_options_complete(struct options *options)
{
	if (!options->off_cpu && !options->wall_clock)
		return true;
	if (!agree(options) || !add_events(options))
		return false;
	if (options->wall_clock)
		options->off_cpu = OFF_CPU_RECORD;
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
