// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * evtset.c - event sets that take turns, when there are more events than
 * counters
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "evtset.h"
#include "util.h"

#define NS	1000000000ULL

pfarg_setdesc_t evtset_description(const struct options *options,
				   unsigned int i)
{
	return (pfarg_setdesc_t){
		.set_id = (__u16)i,
		.set_flags = PFM_SETFL_TIME_SWITCH,
		.set_timeout = {
			.tv_sec = (__s64)(options->switch_ns / NS),
			.tv_nsec = (__s64)(options->switch_ns % NS),
		},
	};
}

bool evtsets_create(const struct context *context)
{
	const struct options *options = context->plan->options;
	pfarg_setdesc_t set;

	if (!options->switch_ns)
		return true;
	for (unsigned int i = 0; i < options->set_count; i++) {
		set = evtset_description(options, i);
		if (pfm_create_evtsets(context->fd, &set, 1)) {
			message("cannot create event set %u: %s", i,
				strerror(errno));
			return false;
		}
	}
	return true;
}

bool evtsets_read(struct context *context)
{
	pfarg_setinfo_t info;

	for (unsigned int i = 0; i < context->plan->options->set_count; i++) {
		info = (pfarg_setinfo_t){ .set_id = (__u16)i };
		if (pfm_getinfo_evtsets(context->fd, &info, 1)) {
			message("cannot read how long event set %u was active: %s",
				i, strerror(errno));
			return false;
		}
		context->result.durations[i] =
			(uint64_t)info.set_act_duration.tv_sec * NS +
			(uint64_t)info.set_act_duration.tv_nsec;
	}
	return true;
}
