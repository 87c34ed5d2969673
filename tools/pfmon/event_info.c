// SPDX-License-Identifier: MIT OR GPL-2.0
/* event_info.c - what there is to know of one event */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon.h>

#include "event_info.h"
#include "event_names.h"
#include "pfmlib_events.h"
#include "pmc_value.h"
#include "sysfs_describe.h"
#include "tracepoints.h"
#include "util.h"

static void print_generic(const char *name)
{
	char *meaning = generic_event_meaning(name);

	puts("PMU:       the kernel's own events, under perf's name");
	printf("Meaning:   %s\n", meaning ? meaning : "-");
	free(meaning);
}

static void print_source(const char *root, const char *name,
			 enum event_source source)
{
	switch (source) {
	case EVENT_GENERIC:
		print_generic(name);
		break;
	case EVENT_RAW:
		puts("PMU:       the CPU's\n"
		     "Meaning:   a number of the CPU's own: see its manual");
		break;
	case EVENT_SYSFS:
		sysfs_event_describe(root, name, stdout);
		break;
	case EVENT_TRACEPOINT:
		puts("PMU:       the kernel's tracepoints");
		tracepoint_describe(root, name, stdout);
		break;
	case EVENT_PFMLIB:
		pfmlib_event_describe(name, stdout);
		break;
	}
}

static void print_encoding(const struct encoded_event *event)
{
	char *value = pmc_value_text(event->pmc);
	uint64_t config = event->pmc & PFM_PERF_ID_MASK;

	printf("Encoding:  config %#" PRIx64 ", config1 %#" PRIx64
	       ", config2 %#" PRIx64 "\n",
	       config, event->config[0], event->config[1]);
	printf("PMC:       0x%016" PRIx64 ": %s\n", event->pmc, value);
	free(value);
}

/* With a suffix; if nothing can be tried, all that can be written counts. */
static bool counts_with(const char *root, const char *plain,
			const char *suffix, struct event_trial *trial)
{
	char *name = checked_printf("%s%s%s", plain,
				    plain[strcspn(plain, "/")] ? "" : ":",
				    suffix);
	struct encoded_event event;
	bool counts = false, unknown = false;
	char *why;

	if (event_encode_quietly(root, name, 0, &event, &why)) {
		counts = event_trial_counts(trial, &event, &why, &unknown);
		free(event.cpus);
	}
	free(why);
	free(name);
	return counts || unknown;
}

static void print_suffixes(const char *root, const char *plain,
			   struct event_trial *trial)
{
	static const char * const suffixes[] = {
		"u", "k", "uk", "p", "pp", "ppp",
	};
	char *list = checked_strdup("");

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if (counts_with(root, plain, suffixes[i], trial))
			list = checked_append(list, ", ", suffixes[i]);
	}
	printf("Suffixes:  %s\n", *list ? list : "none");
	free(list);
}

static void print_counted(const struct encoded_event *event,
			  struct event_trial *trial)
{
	bool unknown;
	char *why;

	if (event_trial_counts(trial, event, &why, &unknown))
		puts("Here:      counted");
	else
		printf("Here:      %s: %s\n",
		       unknown ? "unknown" : "not counted", why);
	free(why);
}

void event_explain(const char *root, const char *name,
		   struct event_trial *trial)
{
	char *plain = event_plain_name(name), *why;
	struct encoded_event event;

	printf("Name:      %s\n", name);
	if (event_encode_quietly(root, name, 0, &event, &why)) {
		print_encoding(&event);
		print_counted(&event, trial);
		if (event.per_thread)
			print_suffixes(root, plain, trial);
		else
			printf("CPUs:      %s, at all levels\n", event.cpus);
		print_source(root, plain, event.source);
		free(event.cpus);
	} else {
		printf("Encoding:  %s\n", why ? why : "-");
		print_source(root, plain, EVENT_PFMLIB);
	}
	free(why);
	free(plain);
}
