// SPDX-License-Identifier: MIT OR GPL-2.0
/* plan.c - what all contexts of a measurement are programmed with */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "events.h"
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

static bool set_registers(struct plan *plan)
{
	const struct options *options = plan->options;

	for (unsigned int i = 0; i < options->event_count; i++) {
		const struct event_option *event = &options->events[i];
		pfarg_pmc_t *pmc = &plan->pmcs[i];
		pfarg_pmd_t *pmd = &plan->pmds[i];
		uint64_t value;

		if (!event_encode(event->name, options->levels, &value))
			return false;
		pmc->reg_num = (__u16)event->number;
		pmc->reg_set = (__u16)event->set;
		pmc->reg_value = value;
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

void plan_free(struct plan *plan)
{
	smpl_format_free(&plan->format);
	free(plan->pmcs);
	free(plan->pmds);
	memset(plan, 0, sizeof(*plan));
}
