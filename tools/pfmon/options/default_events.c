// SPDX-License-Identifier: MIT OR GPL-2.0
/* default_events.c - the events that are counted or sampled without -e */
#define _GNU_SOURCE
#include <stdlib.h>

#include "access/access.h"
#include "base/util.h"
#include "events/event_code.h"
#include "events/event_trial.h"
#include "options/default_events.h"
#include "options/event_options.h"

/* The events to sample without -e. */
#define CYCLES	"cycles"
#define CLOCK	"cpu-clock"

/*
 * The default counting events. Events that happen only in the kernel are
 * omitted if only user space is measured.
 */
static const struct {
	const char *name;
	bool in_kernel;
} events[] = {
	{ "context-switches", true },
	{ "cpu-migrations", true },
	{ "page-faults", false },
	{ "cycles", false },
	{ "instructions", false },
	{ "branches", false },
	{ "branch-misses", false },
};

/* Returns whether this user may count in the kernel. */
static bool may_count_kernel(const struct options *options)
{
	const struct access_wish wish = {
		.system_wide = options->system_wide,
		.kernel = true,
		.thread = options->attach,
	};
	struct access_refusal refusal;
	struct access_facts facts;
	bool may;

	access_gather(&facts, options->attach);
	access_judge(&facts, &wish, &refusal);
	may = refusal.cause != ACCESS_LEVEL_KERNEL;
	access_free(&refusal);
	return may;
}

void default_events_choose_levels(struct options *options)
{
	if (!options->levels)
		options->levels = may_count_kernel(options) ?
			LEVEL_USER | LEVEL_KERNEL : LEVEL_USER;
}

/*
 * Returns the suffix of the default events' names. If the user has given no
 * levels (@given is 0), an event without a suffix counts only in user space. To
 * count in the kernel, too, the events then need the suffix ":uk".
 */
static const char *suffix_of(unsigned int given, unsigned int levels)
{
	return !given && levels & LEVEL_KERNEL ? ":uk" : "";
}

static char *add_name(char *list, const char *name, const char *suffix)
{
	char *event = checked_printf("%s%s", name, suffix);

	list = checked_append(list, ",", event);
	free(event);
	return list;
}

bool default_events_add(struct options *options)
{
	const char *clock = options->system_wide ? "cpu-clock" : "task-clock";
	unsigned int given = options->levels;
	char *list = checked_strdup("");
	const char *suffix;
	bool kernel, ok;

	default_events_choose_levels(options);
	kernel = options->levels & LEVEL_KERNEL;
	suffix = suffix_of(given, options->levels);
	list = add_name(list, clock, suffix);
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		if (kernel || !events[i].in_kernel)
			list = add_name(list, events[i].name, suffix);
	}
	options->default_events = true;
	ok = event_options_add(options, list);
	free(list);
	return ok;
}

/*
 * Returns a text, to be freed, that says why this machine does not count
 * cycles; NULL if it does, or if that is not known.
 */
static char *why_no_cycles(const struct options *options)
{
	struct encoded_event event;
	struct event_trial trial;
	bool unknown = false;
	char *why;

	if (!event_encode_quietly("", CYCLES, options->levels, &event, &why))
		return why;
	event_trial_init(&trial);
	event_trial_counts(&trial, &event, &why, &unknown);
	event_trial_close(&trial);
	free(event.cpus);
	if (!unknown)
		return why;
	/*
	 * If no event can be tried, do not return the reason: the measurement
	 * itself will report it.
	 */
	free(why);
	return NULL;
}

bool default_sampling_event_add(struct options *options)
{
	char *why;

	default_events_choose_levels(options);
	/*
	 * Do not sample cycles: pfmon would adapt the period, which requires
	 * samples that contain their period. Samples with call chains do not
	 * contain it.
	 */
	if (options->call_graph)
		return event_options_add(options, CLOCK);
	why = why_no_cycles(options);
	if (!why)
		return event_options_add(options, CYCLES);
	message("sampling " CLOCK " instead of " CYCLES ": %s", why);
	free(why);
	return event_options_add(options, CLOCK);
}
