// SPDX-License-Identifier: MIT OR GPL-2.0
/* capture_json.c - JSON chunks SESS, CTXT, FARG, TICK and DONE of a capture */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <uuid/uuid.h>

#include "base/json.h"
#include "base/util.h"
#include "capture/capture_json.h"
#include "capture/machine_json.h"
#include "capture/view.h"
#include "events/pmu.h"
#include "process/command.h"
#include "session/evtset.h"

/* Limits the size of the DONE chunk to about 4 MB. */
#define MOST_COUNTS	32768

static void add_each(struct capture_counts *counts,
		     const struct context *context, uint32_t event)
{
	counts->each = checked_realloc(counts->each, counts->count + 1,
				       sizeof(*counts->each));
	counts->each[counts->count++] = (struct context_count){
		.context = context->id,
		.event = event,
		.value = context->result.events[event].count,
	};
}

static void add_turns(struct capture_counts *counts,
		      const struct context *context, uint32_t set)
{
	counts->turns = checked_realloc(counts->turns, counts->turn_count + 1,
					sizeof(*counts->turns));
	counts->turns[counts->turn_count++] = (struct context_turns){
		.context = context->id,
		.set = set,
		.active_ns = context->result.durations[set],
		.whole_ns = context->result.times[set],
		.runs = context->result.runs[set],
	};
}

static void add_others(struct capture_counts *counts,
		       const struct context *context)
{
	unsigned int events = context->plan->options->event_count;

	if (!counts->others)
		counts->others = checked_calloc(events,
						sizeof(*counts->others));
	for (unsigned int i = 0; i < events; i++)
		counts->others[i] += context->result.events[i].count;
}

void capture_counts_add(struct capture_counts *counts,
			const struct context *context)
{
	const struct plan *plan = context->plan;
	unsigned int events = plan->options->event_count;

	if (counts->count + events > MOST_COUNTS) {
		add_others(counts, context);
		return;
	}
	for (unsigned int i = 0; i < events; i++) {
		if (plan_counts_on(plan, i, context->cpu))
			add_each(counts, context, i);
	}
	for (unsigned int i = 0; i < plan->options->set_count; i++) {
		if (plan_uses_set(plan, i, context->cpu))
			add_turns(counts, context, i);
	}
}

static struct json_object *describe(const struct plan *plan,
				    struct json_object *context,
				    unsigned int event, uint64_t value)
{
	const struct event_option *option = &plan->options->events[event];
	struct json_object *object = json_new_object();

	json_add(object, "context", context);
	json_add_u64(object, "set", option->set);
	json_add_u64(object, "pmd", option->number);
	json_add_text(object, "event", option->name);
	json_add_u64(object, "value", value);
	return object;
}

static struct json_object *
capture_counts_json(const struct capture_counts *counts,
		    const struct plan *plan)
{
	struct json_object *list = json_new_array();

	for (unsigned int i = 0; i < counts->count; i++) {
		const struct context_count *count = &counts->each[i];

		json_append(list, describe(plan, json_new_u64(count->context),
					   count->event, count->value));
	}
	for (unsigned int i = 0; counts->others &&
	     i < plan->options->event_count; i++)
		json_append(list, describe(plan, NULL, i, counts->others[i]));
	return list;
}

static struct json_object *
capture_turns_json(const struct capture_counts *counts)
{
	struct json_object *list = json_new_array();

	for (unsigned int i = 0; i < counts->turn_count; i++) {
		const struct context_turns *turns = &counts->turns[i];
		struct json_object *object = json_new_object();

		json_add_u64(object, "context", turns->context);
		json_add_u64(object, "set", turns->set);
		json_add_u64(object, "active_ns", turns->active_ns);
		json_add_u64(object, "whole_ns", turns->whole_ns);
		json_add_u64(object, "runs", turns->runs);
		json_append(list, object);
	}
	return list;
}

void capture_counts_free(struct capture_counts *counts)
{
	free(counts->each);
	free(counts->turns);
	free(counts->others);
	memset(counts, 0, sizeof(*counts));
}

#define CAPTURE_SESSION_VERSION	1

static struct json_object *describe_command(char **command)
{
	struct json_object *list;

	if (!command)
		return NULL;
	list = json_new_array();
	for (; *command; command++)
		json_append(list, json_new_text(*command));
	return list;
}

/* Converts a comma-separated list to an array. */
static struct json_object *describe_list(const char *text)
{
	struct json_object *list = json_new_array();
	char *copy = checked_strdup(text), *rest = NULL;

	for (char *item = strtok_r(copy, ",", &rest); item;
	     item = strtok_r(NULL, ",", &rest))
		json_append(list, json_new_text(item));
	free(copy);
	return list;
}

static struct json_object *describe_format(const struct smpl_format *format)
{
	struct json_object *object = json_new_object();
	char uuid[UUID_STR_LEN];

	uuid_unparse_lower(format->uuid, uuid);
	json_add_text(object, "name", format->name);
	json_add_text(object, "uuid", uuid);
	json_add_hex(object, "arg", format->arg, format->arg_size);
	return object;
}

static struct json_object *number_or_null(int number, int none)
{
	return number == none ? NULL : json_new_u64((uint64_t)number);
}

/*
 * Describes a context and its buffer. @tid is NULL if several threads share the
 * buffer.
 */
static struct json_object *describe_buffer(const struct context *context,
					   unsigned int id,
					   struct json_object *tid, pid_t tgid,
					   int cpu)
{
	struct json_object *object = json_new_object();

	json_add_u64(object, "id", id);
	json_add(object, "tid", tid);
	json_add(object, "tgid", number_or_null(tgid, 0));
	json_add(object, "cpu", number_or_null(cpu, NO_CPU));
	json_add_u64(object, "buf_size", context->buffers.size);
	return object;
}

static struct json_object *describe_context(const struct context *context)
{
	return describe_buffer(context, context->id,
			       json_new_u64((uint64_t)context->tid),
			       context->result.tgid, context->cpu);
}

static void append_parts(struct json_object *list,
			 const struct context *context)
{
	for (unsigned int i = 0; i < context->buffers.count; i++)
		json_append(list,
			    describe_buffer(context, context->id + i, NULL, 0,
					    context->buffers.list[i].cpu));
}

static struct json_object *describe_contexts(struct context *const *contexts,
					     unsigned int count)
{
	struct json_object *list = json_new_array();

	for (unsigned int i = 0; i < count; i++) {
		if (context_has_family(contexts[i]))
			append_parts(list, contexts[i]);
		else
			json_append(list, describe_context(contexts[i]));
	}
	return list;
}

char *context_json(const struct context *context)
{
	return json_finish(describe_context(context));
}

char *argument_json(const struct smpl_format *format, uint64_t begun_ns)
{
	struct json_object *object = json_new_object();

	json_add_u64(object, "realtime_ns", clock_ns(CLOCK_REALTIME));
	json_add_u64(object, "uncertainty_ns",
		     clock_ns(CLOCK_MONOTONIC) - begun_ns);
	json_add_hex(object, "arg", format->arg, format->arg_size);
	return json_finish(object);
}

static void append_pmcs(struct json_object *list, const pfarg_pmc_t *pmcs,
			unsigned int count, unsigned int set)
{
	for (unsigned int i = 0; i < count; i++) {
		struct json_object *object;

		if (pmcs[i].reg_set != set)
			continue;
		object = json_new_object();
		json_add_u64(object, "num", pmcs[i].reg_num);
		json_add_u64(object, "value", pmcs[i].reg_value);
		json_add_u64(object, "flags", pmcs[i].reg_flags);
		json_append(list, object);
	}
}

static struct json_object *describe_pmcs(const struct plan *plan,
					 unsigned int set)
{
	struct json_object *list = json_new_array();

	append_pmcs(list, plan->pmcs, plan->options->event_count, set);
	append_pmcs(list, plan->configs, plan->config_count, set);
	return list;
}

static struct json_object *describe_bits(const __u64 *bits)
{
	struct json_object *list = json_new_array();

	for (unsigned int i = 0; i < PFM_MAX_PMDS; i++) {
		if (pfm_bv_isset(bits, i))
			json_append(list, json_new_u64(i));
	}
	return list;
}

static struct json_object *describe_pmd(const char *name,
					const struct event_option *event,
					const pfarg_pmd_t *pmd,
					const pfarg_pmc_t *pmc)
{
	struct json_object *object = json_new_object();

	json_add_u64(object, "num", pmd->reg_num);
	json_add_text(object, "event", name);
	json_add_u64(object, "value", pmd->reg_value);
	json_add_u64(object, "long_reset", pmd->reg_long_reset);
	json_add_u64(object, "short_reset", pmd->reg_short_reset);
	json_add_u64(object, "random_mask", pmd->reg_random_mask);
	json_add_u64(object, "random_seed", pmd->reg_random_seed);
	json_add_bool(object, "sampling", event->sampling);
	json_add_bool(object, "notify", pmc->reg_flags & PFM_REGFL_OVFL_NOTIFY);
	json_add(object, "smpl_pmds", describe_bits(pmc->reg_smpl_pmds));
	json_add(object, "reset_pmds", describe_bits(pmc->reg_reset_pmds));
	json_add_u64(object, "eventid", pmc->reg_smpl_eventid);
	if (event->cpus)
		json_add_text(object, "cpus", event->cpus);
	if (event->frequency)
		json_add_u64(object, "frequency", event->frequency);
	if (pmd->reg_ovflsw_thres)
		json_add_u64(object, "switch_overflow", pmd->reg_ovflsw_thres);
	return object;
}

/*
 * Describes the PMDs that count events, and those that are only recorded in
 * samples.
 */
static struct json_object *describe_pmds(const struct plan *plan,
					 unsigned int set)
{
	const struct options *options = plan->options;
	struct json_object *list = json_new_array();
	const struct event_option recorded = { .sampling = false };
	const pfarg_pmc_t no_pmc = { .reg_num = 0 };
	unsigned int last = 0;

	for (unsigned int i = 0; i < options->event_count; i++) {
		if (options->events[i].set != set)
			continue;
		last = options->events[i].number;
		json_append(list, describe_pmd(options->events[i].name,
					       &options->events[i],
					       &plan->pmds[i],
					       &plan->pmcs[i]));
	}
	for (unsigned int i = last + 1; i < PFM_MAX_PMDS; i++) {
		pfarg_pmd_t pmd = { .reg_num = (__u16)i };

		if (pfm_bv_isset(options->smpl_pmds, i))
			json_append(list, describe_pmd(virtual_pmd_name(i),
						       &recorded, &pmd,
						       &no_pmc));
	}
	return list;
}

static struct json_object *describe_set(const struct plan *plan,
					unsigned int set)
{
	const pfarg_setdesc_t desc = evtset_description(plan->options, set);
	struct json_object *object = json_new_object();

	json_add_u64(object, "id", set);
	json_add_u64(object, "flags", desc.set_flags);
	json_add_u64(object, "timeout_ns",
		     desc.set_flags & PFM_SETFL_TIME_SWITCH ?
		     plan->options->switch_ns : 0);
	json_add(object, "pmcs", describe_pmcs(plan, set));
	json_add(object, "pmds", describe_pmds(plan, set));
	return object;
}

static struct json_object *describe_sets(const struct plan *plan)
{
	struct json_object *list = json_new_array();

	for (unsigned int i = 0; i < plan->options->set_count; i++)
		json_append(list, describe_set(plan, i));
	return list;
}

char *session_json(const struct plan *plan,
		   struct context *const *contexts, unsigned int count)
{
	struct json_object *object = json_new_object(), *view;
	const struct options *options = plan->options;

	json_add_u64(object, "version", CAPTURE_SESSION_VERSION);
	json_add_text(object, "tool", "pfmon " PFM_PROJECT_VERSION);
	json_add(object, "command", describe_command(options->command));
	json_add_text(object, "mode",
		      options->system_wide ? "system-wide" : "thread");
	json_add_u64(object, "start_ns", plan->start_ns);
	if (options->cgroups)
		json_add(object, "cgroups", describe_list(options->cgroups));
	if (options->off_cpu == OFF_CPU_RECORD)
		json_add_u64(object, "off_cpu", OFF_CPU_CLOCK);
	if (options->wall_clock)
		json_add_u64(object, "wall_clock", WALL_CLOCK_TIMER);
	json_add(object, "machine", machine_describe());
	json_add(object, "format", options->sampling ?
		 describe_format(&plan->format) : NULL);
	json_add(object, "contexts", describe_contexts(contexts, count));
	json_add(object, "sets", describe_sets(plan));
	view = view_describe(options);
	if (view)
		json_add(object, "view", view);
	return json_finish(object);
}

static void add_samples(struct json_object *object,
			const struct totals *totals)
{
	json_add(object, "samples", totals->samples_known ?
		 json_new_u64(totals->samples) : NULL);
	json_add_u64(object, "lost", totals->lost);
	json_add_u64(object, "skipped", totals->skipped);
}

char *tick_json(const struct plan *plan, const struct totals *totals)
{
	struct json_object *object = json_new_object();

	json_add_u64(object, "elapsed_ns",
		     clock_ns(CLOCK_REALTIME) - plan->start_ns);
	add_samples(object, totals);
	return json_finish(object);
}

static struct json_object *describe_processes(const struct process_totals *all)
{
	struct json_object *object = json_new_object();

	json_add_text(object, "error", all->error ? strerror(all->error) :
						    NULL);
	json_add_u64(object, "lost", all->lost);
	return object;
}

char *totals_json(const struct plan *plan, const struct capture_counts *counts,
		  const struct totals *totals, int exit_status)
{
	struct json_object *object = json_new_object();

	add_samples(object, totals);
	json_add_u64(object, "evicted", totals->evicted);
	json_add_u64(object, "throttled", totals->throttled);
	json_add_u64(object, "limited", totals->limited);
	json_add_u64(object, "notifications", totals->notifications);
	json_add_u64(object, "bytes", totals->bytes);
	json_add_u64(object, "end_ns", clock_ns(CLOCK_REALTIME));
	json_add(object, "exit_status", exit_status == NO_EXIT_STATUS ? NULL :
		 json_new_u64((uint64_t)exit_status));
	json_add(object, "counts", capture_counts_json(counts, plan));
	json_add(object, "turns", capture_turns_json(counts));
	if (totals->processes.wanted)
		json_add(object, "process_events",
			 describe_processes(&totals->processes));
	if (!totals->lost_known)
		json_add_text(object, "proc", "unreadable");
	else if (totals->polled)
		json_add_text(object, "proc", "polled");
	return json_finish(object);
}
