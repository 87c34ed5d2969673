// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * frequency.c - adapt sampling periods to a sampling frequency
 *
 * The rate of an event is the number of events divided by the time in which its
 * set was active. The number is exact unless overflows are lost. It is the sum
 * of the periods that the samples record, plus what the counter has counted
 * since the last sample. A new period is written only while the counter does
 * not run: when the buffer is full, or when pfmon has stopped the counter for
 * that purpose. Writing a period ends the current one early. No sample includes
 * the events of that unfinished period, so cut_off counts them.
 *
 * Lost overflows are not in samples either, and it is not known to which event
 * they belong. An event with lost overflows thus seems to occur less often than
 * it does. If its period were shortened for that reason, more overflows would
 * be lost. Therefore a period is shortened at most to the value that would be
 * right if all lost overflows belonged to this event.
 *
 * If children inherit the context, the threads need not stop: each thread gets
 * the new period at its next overflow. The number of events since the last
 * sample is not known. If samples are missing for some time, the period is too
 * long and is shortened.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "session/context.h"
#include "session/evtset.h"
#include "session/fdinfo.h"
#include "session/frequency.h"

#define NS		1e9
/*
 * Rates are not computed over shorter times, because they would be inaccurate.
 */
#define LEAST_NS	5000000
#define LARGEST_PERIOD	(INT64_MAX / 2)
/* A period with an error below 10 % is not changed. */
#define MARGIN		1.1
/*
 * Largest factor by which a period shrinks at once. If events were rare for a
 * while, the period would otherwise become so short that a burst of events
 * causes too many samples.
 */
#define STEEPEST	8
/*
 * If children inherit the context, a sample is late after this number of
 * sampling intervals.
 */
#define LATE		4
/* The rate and the period of a sampling event. */
struct rate {
	unsigned int event;
	uint64_t wanted;	/* samples per second; 0: fixed period */
	uint64_t period;	/* the current period */
	uint64_t next_period;
	double per_second;	/* events per second; 0 if not known yet */
	uint64_t sampled;	/* events in samples */
	uint64_t cut_off;	/* events of unfinished periods */
	uint64_t events_before;	/* all events at the last adaptation */
	uint64_t ns_before;
	uint64_t lost_before;
};

struct frequency {
	struct rate *rates;	/* one per kind of samples */
	unsigned int count;
};

struct frequency *frequency_create(const struct context *context)
{
	const struct plan *plan = context->plan;
	struct frequency *frequency;
	unsigned int kind = 0;

	if (!plan->options->adapts)
		return NULL;
	frequency = checked_calloc(1, sizeof(*frequency));
	frequency->count = plan->kind_count;
	frequency->rates = checked_calloc(plan->kind_count,
					  sizeof(*frequency->rates));
	for (unsigned int i = 0; i < plan->options->event_count; i++) {
		const struct event_option *event = &plan->options->events[i];

		if (!event->sampling)
			continue;
		frequency->rates[kind++] = (struct rate){
			.event = i,
			.wanted = event->adapted &&
				  plan_counts_on(plan, i, context->cpu) ?
				  event->frequency : 0,
			.period = -plan->pmds[i].reg_long_reset,
		};
	}
	return frequency;
}

void frequency_destroy(struct frequency *frequency)
{
	if (frequency)
		free(frequency->rates);
	free(frequency);
}

static void take_sample(const struct pfm_read_entry *entry, void *data)
{
	const struct context *context = data;
	const struct pfm_read_kind *kinds = context->plan->kinds;

	context->frequency->rates[entry->kind - kinds].sampled +=
		-entry->head.last_reset_val;
}

static pfarg_pmd_t pmd_of(const struct context *context,
			  const struct rate *rate)
{
	const pfarg_pmd_t *pmd = &context->plan->pmds[rate->event];

	return (pfarg_pmd_t){
		.reg_num = pmd->reg_num,
		.reg_set = pmd->reg_set,
		.reg_ovflsw_thres = pmd->reg_ovflsw_thres,
	};
}

/*
 * Reads the PMD. If children inherit the context, does not read it, but sets
 * *pmd as if nothing had been counted since the last sample.
 */
static bool read_pmd(const struct context *context, const struct rate *rate,
		     pfarg_pmd_t *pmd)
{
	*pmd = pmd_of(context, rate);
	if (context_has_family(context)) {
		pmd->reg_last_reset_val = -rate->period;
		pmd->reg_value = -rate->period;
		return true;
	}
	if (!pfm_read_pmds(context->fd, pmd, 1))
		return true;
	message("cannot read the counter of an event with a sampling frequency: %s",
		strerror(errno));
	return false;
}

/* Returns whether the counter has overflowed; the restart will reset it. */
static bool is_over(const pfarg_pmd_t *pmd)
{
	return (int64_t)pmd->reg_value >= 0;
}

/* Returns the number of events since the last sample. */
static uint64_t counted_since(const pfarg_pmd_t *pmd)
{
	return is_over(pmd) ? pmd->reg_value :
			      pmd->reg_value - pmd->reg_last_reset_val;
}

/*
 * Sets the rate to the mean of the old and the new rate or, if they differ by
 * more than a factor of two, to the new rate.
 */
static void learn(struct rate *rate, double per_second)
{
	bool other = per_second > 2 * rate->per_second ||
		     2 * per_second < rate->per_second;

	rate->per_second = other ? per_second :
				   (rate->per_second + per_second) / 2;
}

/*
 * Returns the right period for the event's rate. @most_per_second is what the
 * rate would be if all lost overflows belonged to this event.
 */
static uint64_t period_for(const struct rate *rate, double most_per_second)
{
	double period = rate->per_second / (double)rate->wanted + 0.5;
	double most = most_per_second / (double)rate->wanted + 0.5;
	double now = (double)rate->period;

	if (period < now && period < most)
		period = most < now ? most : now;
	if (period < now / STEEPEST)
		period = now / STEEPEST;
	if (period < 1)
		return 1;
	return period < (double)LARGEST_PERIOD ? (uint64_t)period :
						 LARGEST_PERIOD;
}

/*
 * Computes next_period, the right period. @lost is the number of lost overflows
 * of all counters.
 */
static void estimate(struct rate *rate, const pfarg_pmd_t *pmd, uint64_t ns,
		     uint64_t lost)
{
	uint64_t events = rate->sampled + rate->cut_off + counted_since(pmd);
	double a_second, new_events, most;

	rate->next_period = rate->period;
	if (ns < rate->ns_before + LEAST_NS || events <= rate->events_before)
		return;
	a_second = NS / (double)(ns - rate->ns_before);
	new_events = (double)(events - rate->events_before);
	most = new_events +
	       (double)(lost - rate->lost_before) * (double)rate->period;
	learn(rate, new_events * a_second);
	rate->events_before = events;
	rate->ns_before = ns;
	rate->lost_before = lost;
	rate->next_period = period_for(rate, most * a_second);
}

/*
 * Shortens the period if a sample is late. With a long period, threads may end
 * before they take a sample, and estimate() needs samples to find a better
 * period. Used only for contexts that children inherit.
 */
static void shorten_if_late(struct rate *rate, uint64_t ns, uint64_t lost)
{
	double late = LATE * NS / (double)rate->wanted;

	if (lost != rate->lost_before || (double)(ns - rate->ns_before) < late)
		return;
	rate->next_period = rate->period / STEEPEST;
	if (!rate->next_period)
		rate->next_period = 1;
	rate->ns_before = ns;
}

/*
 * Returns whether to change the period. If the counter is about to be reset,
 * even a small change is worth it, because it does not cut off a period.
 */
static bool is_off(const struct rate *rate, const pfarg_pmd_t *pmd)
{
	double now = (double)rate->period, next = (double)rate->next_period;

	if (is_over(pmd))
		return rate->next_period != rate->period;
	return now > MARGIN * next || next > MARGIN * now;
}

static bool look_at(struct context *context, struct rate *rate, uint64_t lost)
{
	unsigned int set = context->plan->options->events[rate->event].set;
	uint64_t ns = context->result.durations[set];
	pfarg_pmd_t pmd;

	if (!read_pmd(context, rate, &pmd))
		return false;
	estimate(rate, &pmd, ns, lost);
	if (context_has_family(context))
		shorten_if_late(rate, ns, lost);
	if (!is_off(rate, &pmd))
		rate->next_period = rate->period;
	return true;
}

/*
 * Writes a new period to a stopped counter, or to all threads that inherit the
 * context.
 */
static bool reprogram(struct context *context, struct rate *rate)
{
	uint64_t value = -rate->next_period;
	pfarg_pmd_t pmd;

	if (!read_pmd(context, rate, &pmd))
		return false;
	if (!is_over(&pmd))
		rate->cut_off += counted_since(&pmd);
	pmd = pmd_of(context, rate);
	pmd.reg_value = value;
	pmd.reg_long_reset = value;
	pmd.reg_short_reset = value;
	if (pfm_write_pmds(context->fd, &pmd, 1)) {
		message("cannot change a sampling period: %s", strerror(errno));
		return false;
	}
	rate->period = rate->next_period;
	return true;
}

static bool change_all(struct context *context)
{
	struct frequency *frequency = context->frequency;
	bool family = context_has_family(context);
	bool ok = true;

	if (!family && !context_pause(context))
		return false;
	for (unsigned int i = 0; ok && i < frequency->count; i++) {
		struct rate *rate = &frequency->rates[i];

		if (rate->wanted && rate->next_period != rate->period)
			ok = reprogram(context, rate);
	}
	return (family || context_go_on(context)) && ok;
}

bool frequency_look(struct context *context)
{
	struct frequency *frequency = context->frequency;
	bool any = false;
	uint64_t lost;

	if (!frequency || !context->started ||
	    (context->cpu != NO_CPU && fdinfo_is_offline(context)))
		return true;
	buffers_each_new(&context->buffers, take_sample, context);
	if (!evtsets_read(context))
		return false;
	lost = fdinfo_stats(context).lost;
	for (unsigned int i = 0; i < frequency->count; i++) {
		struct rate *rate = &frequency->rates[i];

		if (!rate->wanted)
			continue;
		if (!look_at(context, rate, lost))
			return false;
		any |= rate->next_period != rate->period;
	}
	return !any || change_all(context);
}
