// SPDX-License-Identifier: MIT OR GPL-2.0
/* default_events.c - the events that are counted without -e */
#define _GNU_SOURCE
#include <stdlib.h>

#include "access/access.h"
#include "base/util.h"
#include "events/event_code.h"
#include "options/default_events.h"
#include "options/event_options.h"

/* Events that happen only in the kernel are omitted at user level. */
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

/* Whether this user may count at kernel level. */
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

bool default_events_add(struct options *options)
{
	const char *clock = options->system_wide ? "cpu-clock" : "task-clock";
	char *list = checked_strdup(clock);
	bool kernel, ok;

	if (!options->levels)
		options->levels = may_count_kernel(options) ?
			LEVEL_USER | LEVEL_KERNEL : LEVEL_USER;
	kernel = options->levels & LEVEL_KERNEL;
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		if (kernel || !events[i].in_kernel)
			list = checked_append(list, ",", events[i].name);
	}
	options->default_events = true;
	ok = event_options_add(options, list);
	free(list);
	return ok;
}
