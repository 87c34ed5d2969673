// SPDX-License-Identifier: MIT OR GPL-2.0
/* sampling_lists.c - sampling options with one element per event */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/elements.h"
#include "base/util.h"
#include "options/sampling_lists.h"

/* perf's periods have 63 bits. */
#define LARGEST_PERIOD	INT64_MAX
#define LARGEST_FREQUENCY	1000000000ULL
/* perf's clocks have periods of at least 10 us. */
#define LARGEST_CLOCK_FREQUENCY	100000ULL

/*
 * Returns the event with the number @index. @text, an element of a list of
 * periods or frequencies, applies to this event. Returns NULL, with a message,
 * on failure.
 */
static struct event_option *sampled_at(struct options *options,
				       const char *text, unsigned int index,
				       const char *option)
{
	struct event_option *event = event_at(options, index, option);

	if (!event || !event->fixed || !*text)
		return event;
	message("%s does not apply to event %s, whose period is fixed", option,
		event->name);
	return NULL;
}

static bool parse_period(const char *text, uint64_t *period)
{
	if (parse_u64(text, period) && *period && *period <= LARGEST_PERIOD)
		return true;
	message("sampling period '%s' is not a number from 1 to 2^63-1", text);
	return false;
}

/*
 * Sets *period from an element of a list. If the element is empty, the event
 * has no period.
 */
static bool take_period(struct event_option *event, const char *text,
			uint64_t *period)
{
	if (!*text)
		return true;
	event->sampling = true;
	return parse_period(text, period);
}

static bool add_long_period(struct options *options, const char *text,
			    unsigned int index)
{
	struct event_option *event = sampled_at(options, text, index,
						"--long-smpl-periods");

	return event && take_period(event, text, &event->long_period);
}

static bool add_short_period(struct options *options, const char *text,
			     unsigned int index)
{
	struct event_option *event = sampled_at(options, text, index,
						"--short-smpl-periods");

	return event && take_period(event, text, &event->short_period);
}

static bool parse_frequency(const char *text, uint64_t *frequency)
{
	if (parse_u64(text, frequency) && *frequency &&
	    *frequency <= LARGEST_FREQUENCY)
		return true;
	message("--smpl-freq: '%s' is not a number of samples per second from 1 to 10^9",
		text);
	return false;
}

static bool add_frequency(struct options *options, const char *text,
			  unsigned int index)
{
	struct event_option *event = sampled_at(options, text, index,
						"--smpl-freq");

	return event && (!*text || parse_frequency(text, &event->frequency));
}

/* Parses the list. A single number applies to all events without a period. */
static bool apply_frequencies(struct options *options)
{
	uint64_t frequency;

	if (strchr(options->frequencies, ','))
		return each_element(options->frequencies, options,
				    add_frequency);
	if (!parse_frequency(options->frequencies, &frequency))
		return false;
	for (unsigned int i = 0; i < options->event_count; i++) {
		if (!options->events[i].sampling && !options->events[i].fixed)
			options->events[i].frequency = frequency;
	}
	return true;
}

/* Returns whether the event is a clock, which counts nanoseconds. */
static bool is_clock(const char *name)
{
	size_t length = strcspn(name, ":");

	return (length == strlen("cpu-clock") &&
		!strncmp(name, "cpu-clock", length)) ||
	       (length == strlen("task-clock") &&
		!strncmp(name, "task-clock", length));
}

/*
 * Completes an event that has a frequency. For a clock, computes the period
 * from the frequency.
 */
static bool complete_frequency(struct event_option *event)
{
	bool clock = is_clock(event->name);

	if (!event->frequency)
		return true;
	if (event->sampling || (event->randomised && !clock)) {
		message("event %s has both a frequency and %s: give only one of them",
			event->name, event->sampling ? "a sampling period" :
			"a random mask for periods");
		return false;
	}
	event->sampling = true;
	event->adapted = true;
	if (!clock)
		return true;
	event->adapted = false;
	event->long_period = LARGEST_FREQUENCY / event->frequency;
	event->short_period = event->long_period;
	if (event->frequency <= LARGEST_CLOCK_FREQUENCY)
		return true;
	message("event %s: a clock can be sampled at most %llu times per second: lower --smpl-freq",
		event->name, LARGEST_CLOCK_FREQUENCY);
	return false;
}

static bool add_random(struct options *options, const char *text,
		       unsigned int index)
{
	struct event_option *event = sampled_at(options, text, index,
						"--smpl-periods-random");
	const char *colon = strchr(text, ':');
	uint64_t seed = 0;
	char *mask;
	bool ok;

	if (!event || !*text)
		return event;
	mask = colon ? strndup(text, (size_t)(colon - text)) : NULL;
	ok = mask && parse_u64(mask, &event->random_mask) &&
	     parse_u64(colon + 1, &seed) && seed <= UINT32_MAX;
	free(mask);
	if (!ok) {
		message("--smpl-periods-random: '%s' is not MASK:SEED, a 64-bit and a 32-bit number",
			text);
		return false;
	}
	event->random_seed = (uint32_t)seed;
	event->randomised = true;
	return true;
}

static bool add_notify(struct options *options, const char *text,
		       unsigned int index)
{
	struct event_option *event = event_at(options, index, "--smpl-notify");

	if (!event || !*text)
		return event;
	if (strcmp(text, "0") && strcmp(text, "1")) {
		message("--smpl-notify: '%s' is neither 0 nor 1", text);
		return false;
	}
	event->quiet = *text == '0';
	return true;
}

/* If only one of the periods is given, it is used for both. */
static void complete_periods(struct event_option *event)
{
	if (!event->long_period)
		event->long_period = event->short_period;
	if (!event->short_period)
		event->short_period = event->long_period;
}

/* Checks that a period stays above 0 when random numbers shorten it. */
static bool check_random(const struct event_option *event)
{
	if (!event->randomised)
		return true;
	if (!event->sampling) {
		message("event %s has a random mask but no sampling period: set one with --long-smpl-periods",
			event->name);
		return false;
	}
	if (event->random_mask < event->long_period &&
	    event->random_mask < event->short_period)
		return true;
	message("event %s: its random mask must be smaller than its periods",
		event->name);
	return false;
}

bool sampling_lists_apply(struct options *options)
{
	if (options->long_periods &&
	    !each_element(options->long_periods, options, add_long_period))
		return false;
	if (options->short_periods &&
	    !each_element(options->short_periods, options, add_short_period))
		return false;
	if (options->frequencies && !apply_frequencies(options))
		return false;
	if (options->random_masks &&
	    !each_element(options->random_masks, options, add_random))
		return false;
	return !options->notify ||
	       each_element(options->notify, options, add_notify);
}

bool sampling_lists_complete(struct event_option *event)
{
	complete_periods(event);
	return complete_frequency(event) && check_random(event);
}
