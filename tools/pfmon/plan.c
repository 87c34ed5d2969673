// SPDX-License-Identifier: MIT OR GPL-2.0
/* plan.c - what all contexts of a measurement are programmed with */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "cpu_list.h"
#include "formats/table.h"
#include "plan.h"
#include "util.h"

/* PMDs that are recorded and do not control a sampling period. */
static void choose_pmds(struct plan *plan)
{
	const struct options *options = plan->options;

	memcpy(plan->smpl_pmds, options->smpl_pmds, sizeof(plan->smpl_pmds));
	for (unsigned int i = 0; i < options->event_count; i++) {
		if (!options->events[i].sampling)
			pfm_bv_set(plan->smpl_pmds, i);
	}
	if (!options->reset_non_smpl)
		return;
	memcpy(plan->reset_pmds, plan->smpl_pmds, sizeof(plan->reset_pmds));
	for (unsigned int i = 0; i < options->event_count; i++) {
		if (options->events[i].sampling)
			plan->reset_pmds[i / 64] &= ~(1ULL << (i % 64));
	}
}

static unsigned int recorded_count(const struct plan *plan)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < PFM_MAX_PMDS; i++)
		count += (unsigned int)pfm_bv_isset(plan->smpl_pmds, i);
	return count;
}

/*
 * A counter that samples overflows after its period: it starts that far below
 * 0.
 */
static void set_period(const struct event_option *event, pfarg_pmc_t *pmc,
		       pfarg_pmd_t *pmd)
{
	pmc->reg_flags = event->quiet ? 0 : PFM_REGFL_OVFL_NOTIFY;
	pmd->reg_value = -event->long_period;
	pmd->reg_long_reset = -event->long_period;
	pmd->reg_short_reset = -event->short_period;
	if (!event->randomised)
		return;
	pmc->reg_flags |= PFM_REGFL_RANDOM;
	pmd->reg_random_mask = event->random_mask;
	pmd->reg_random_seed = event->random_seed;
}

static void add_configs(struct plan *plan, unsigned int i)
{
	const struct event_option *option = &plan->options->events[i];

	for (unsigned int word = 0; word < ENCODED_CONFIGS; word++) {
		uint64_t value = plan->events[i].config[word];

		if (!value)
			continue;
		plan->configs = checked_realloc(plan->configs,
						plan->config_count + 1,
						sizeof(*plan->configs));
		plan->configs[plan->config_count++] = (pfarg_pmc_t){
			.reg_num = (__u16)(event_config_pmc(word) +
					   option->number),
			.reg_set = (__u16)option->set,
			.reg_value = value,
			.reg_smpl_eventid = i,
		};
	}
}

/* What CPUs share is counted for them, and only counted. */
static bool is_measurable(const struct plan *plan, unsigned int i)
{
	const struct event_option *option = &plan->options->events[i];

	if (plan->events[i].per_thread)
		return true;
	if (!plan->options->system_wide)
		message("event %s is counted for CPUs (%s), not for threads: use --system-wide",
			option->name, plan->events[i].cpus);
	else if (option->sampling)
		message("event %s is counted for CPUs (%s), and cannot be sampled: give it no period",
			option->name, plan->events[i].cpus);
	else
		return true;
	return false;
}

static bool encode_event(struct plan *plan, unsigned int i)
{
	const struct options *options = plan->options;

	if (!event_encode("", options->events[i].name, options->levels,
			  &plan->events[i]) || !is_measurable(plan, i))
		return false;
	add_configs(plan, i);
	return true;
}

static bool set_registers(struct plan *plan)
{
	const struct options *options = plan->options;

	for (unsigned int i = 0; i < options->event_count; i++) {
		const struct event_option *event = &options->events[i];
		pfarg_pmc_t *pmc = &plan->pmcs[i];
		pfarg_pmd_t *pmd = &plan->pmds[i];

		if (!encode_event(plan, i))
			return false;
		pmc->reg_num = (__u16)event->number;
		pmc->reg_set = (__u16)event->set;
		pmc->reg_value = plan->events[i].pmc;
		pmc->reg_smpl_eventid = i;
		pmd->reg_num = (__u16)event->number;
		pmd->reg_set = (__u16)event->set;
		if (!event->sampling)
			continue;
		if (plan->format.precise && !pmc_is_precise(pmc))
			pmc->reg_value |= 1ULL << PFM_PERF_PRECISE_SHIFT;
		set_period(event, pmc, pmd);
		memcpy(pmc->reg_smpl_pmds, plan->smpl_pmds,
		       sizeof(pmc->reg_smpl_pmds));
		memcpy(pmc->reg_reset_pmds, plan->reset_pmds,
		       sizeof(pmc->reg_reset_pmds));
	}
	return true;
}

bool plan_init(struct plan *plan, const struct options *options)
{
	memset(plan, 0, sizeof(*plan));
	plan->options = options;
	plan->events = checked_calloc(options->event_count,
				      sizeof(*plan->events));
	plan->pmcs = checked_calloc(options->event_count, sizeof(*plan->pmcs));
	plan->pmds = checked_calloc(options->event_count, sizeof(*plan->pmds));
	if (options->sampling)
		choose_pmds(plan);
	if ((!options->sampling ||
	     smpl_format_find(&plan->format, options, recorded_count(plan))) &&
	    set_registers(plan))
		return true;
	plan_free(plan);
	return false;
}

bool plan_counts_on(const struct plan *plan, uint64_t event, int cpu)
{
	const char *cpus = plan->events[event].cpus;

	return !plan->options->system_wide || !cpus || cpus_have(cpus, cpu);
}

static bool any_counts(const struct plan *plan, unsigned int event,
		       const int *cpus, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		if (plan_counts_on(plan, event, cpus[i]))
			return true;
	}
	return false;
}

bool plan_check_cpus(const struct plan *plan, const int *cpus,
		     unsigned int count)
{
	for (unsigned int i = 0; i < plan->options->event_count; i++) {
		if (any_counts(plan, i, cpus, count))
			continue;
		message("event %s is counted by CPUs %s, and none of them is measured: see --cpu-list",
			plan->options->events[i].name, plan->events[i].cpus);
		return false;
	}
	return true;
}

void plan_free(struct plan *plan)
{
	for (unsigned int i = 0; i < plan->options->event_count; i++)
		free(plan->events[i].cpus);
	free(plan->events);
	free(plan->configs);
	smpl_format_free(&plan->format);
	free(plan->pmcs);
	free(plan->pmds);
	memset(plan, 0, sizeof(*plan));
}
