// SPDX-License-Identifier: MIT OR GPL-2.0
/* event_options.c - the option -e, and options with one element per event */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "access/cgroup.h"
#include "base/cpu_list.h"
#include "base/elements.h"
#include "base/util.h"
#include "events/event_code.h"
#include "options/event_options.h"
#include "options/sampling_lists.h"

/* Cuts the CPUs, which follow an @, off the event's name and stores them. */
static bool take_cpus(struct event_option *event)
{
	char *at = strrchr(event->name, '@');
	unsigned int count;
	int *cpus;

	if (!at || strchr(at, '/'))
		return true;
	*at = '\0';
	if (!*event->name || !cpus_parse(at + 1, &cpus, &count)) {
		message("-e %s@%s is not EVENT@CPUS, with a list of CPUs such as 0,2-3",
			event->name, at + 1);
		return false;
	}
	event->cpus = cpus_text(cpus, count);
	free(cpus);
	return true;
}

/*
 * Checks an event's name. The messages explain the syntax to users of perf,
 * which has groups in braces and ignores spaces around names.
 */
static bool check_name(const char *name)
{
	size_t length = strlen(name);

	if (!length)
		message("-e has an empty event name: separate events by one comma, as in -e EV1,EV2");
	else if (*name == '{' || name[length - 1] == '}')
		message("-e %s: omit the braces: pfmon always counts the events of one -e together",
			name);
	else if (isspace((unsigned char)*name) ||
		 isspace((unsigned char)name[length - 1]))
		message("-e '%s': omit the space: separate events only by a comma, as in -e EV1,EV2",
			name);
	else
		return true;
	return false;
}

static bool add_event(struct options *options, const char *name,
		      unsigned int index)
{
	struct event_option *event;

	(void)index;
	if (!check_name(name))
		return false;
	if (options->event_count == PFM_MAX_HW_REGS) {
		message("there are more than %d events: measure some of them in another run",
			PFM_MAX_HW_REGS);
		return false;
	}
	options->events = checked_realloc(options->events,
					  options->event_count + 1,
					  sizeof(*options->events));
	event = &options->events[options->event_count++];
	memset(event, 0, sizeof(*event));
	event->name = checked_strdup(name);
	event->set = options->set_count;
	return take_cpus(event);
}

bool event_options_add(struct options *options, const char *list)
{
	if (!each_element(list, options, add_event))
		return false;
	options->set_count++;
	return true;
}

/*
 * Assigns register numbers to the events. The numbers begin at 0 in each set.
 */
static void number_events(struct options *options)
{
	bool take_turns = options->switch_ns || options->switch_overflows;
	const struct event_option *last = NULL;

	if (!take_turns)
		options->set_count = 1;
	for (unsigned int i = 0; i < options->event_count; i++) {
		struct event_option *event = &options->events[i];

		if (!take_turns)
			event->set = 0;
		event->number = last && last->set == event->set ?
				last->number + 1 : 0;
		last = event;
	}
}

static bool add_switch(struct options *options, const char *text,
		       unsigned int index)
{
	struct event_option *event = event_at(options, index,
					      "--switch-overflow");

	if (!event || !*text)
		return event;
	if (parse_u64(text, &event->switch_after) && event->switch_after &&
	    event->switch_after <= UINT32_MAX)
		return true;
	message("--switch-overflow: '%s' is not a number of overflows from 1 to 2^32-1",
		text);
	return false;
}

/*
 * Sets the privilege levels of an event. Also accepts the original pfmon's
 * numbers for them, 3 and 0.
 */
static bool add_levels(struct options *options, const char *text,
		       unsigned int index)
{
	struct event_option *event = event_at(options, index, "--priv-levels");

	if (!event || !*text)
		return event;
	if (strpbrk(text, "u3"))
		event->levels |= LEVEL_USER;
	if (strpbrk(text, "k0"))
		event->levels |= LEVEL_KERNEL;
	if (text[strspn(text, "uk03")] == '\0')
		return true;
	message("--priv-levels: '%s' is not u, k or uk", text);
	return false;
}

/*
 * Checks that an event with --switch-overflow has a sampling period, because
 * other events do not overflow.
 */
static bool check_switch(const struct event_option *event)
{
	if (event->sampling || !event->switch_after)
		return true;
	message("event %s has no sampling period, which --switch-overflow needs: set one with --long-smpl-periods",
		event->name);
	return false;
}

static bool check_cpus(const struct options *options,
		       const struct event_option *event)
{
	if (options->system_wide || !event->cpus)
		return true;
	message("event %s is restricted to CPUs %s, which needs --system-wide",
		event->name, event->cpus);
	return false;
}

static bool complete_events(struct options *options)
{
	for (unsigned int i = 0; i < options->event_count; i++) {
		struct event_option *event = &options->events[i];

		if (!sampling_lists_complete(event) || !check_switch(event) ||
		    !check_cpus(options, event))
			return false;
		options->sampling |= event->sampling;
		options->adapts |= event->adapted;
	}
	if (!options->adapts)
		options->format_options &= ~(unsigned int)FORMAT_OPT_FREQUENCY;
	return true;
}

bool set_switches_on_overflow(const struct options *options, unsigned int set)
{
	for (unsigned int i = 0; i < options->event_count; i++) {
		if (options->events[i].set == set &&
		    options->events[i].switch_after)
			return true;
	}
	return false;
}

/* Checks that the turn of each set, except that of the last one, can end. */
static bool check_turns(const struct options *options)
{
	for (unsigned int set = 0; set + 1 < options->set_count; set++) {
		if (options->switch_ns ||
		    set_switches_on_overflow(options, set))
			continue;
		message("event set %u (-e number %u) would stay active forever: give one of its events a number in --switch-overflow, or use --switch-timeout",
			set, set + 1);
		return false;
	}
	return true;
}

unsigned int event_option_levels(const struct options *options,
				 const struct event_option *event)
{
	return event->levels ? event->levels : options->levels;
}

static bool apply_lists(struct options *options)
{
	if (!sampling_lists_apply(options))
		return false;
	if (options->priv_levels &&
	    !each_element(options->priv_levels, options, add_levels))
		return false;
	return !options->switch_overflows ||
	       each_element(options->switch_overflows, options, add_switch);
}

bool event_options_complete(struct options *options)
{
	number_events(options);
	if (!apply_lists(options) || !complete_events(options) ||
	    !check_turns(options))
		return false;
	/*
	 * Leave the first PMD for context switches. Then the kernel counts an
	 * event at a context switch before it samples this switch.
	 */
	for (unsigned int i = 0; i < options->event_count; i++)
		options->events[i].number += counts_several_cgroups(options);
	return true;
}
