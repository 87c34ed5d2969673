/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* events.h - event names and their encoding as PMC values */
#ifndef PFMON_EVENTS_EVENTS_H
#define PFMON_EVENTS_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "events/event_code.h"

/* Configuration words in addition to a PMC value: config1, config2. */
#define ENCODED_CONFIGS	2

/*
 * The event in PMC n has its config1 in PMC n + EVENT_CONFIG_STEP, and its
 * config2 in PMC n + 2 * EVENT_CONFIG_STEP.
 */
#define EVENT_CONFIG_STEP	64

struct encoded_event {
	enum event_source source;
	uint64_t pmc;
	uint64_t config[ENCODED_CONFIGS];
	bool per_thread;	/* can be counted per thread */
	char *cpus;		/* CPUs that count it, NULL: all; to be freed */
};

/*
 * Encodes one event: "NAME", "rHEX", an event of sysfs ("PMU/TERM,.../" or
 * "NAME:TERM..."), "SYSTEM:TRACEPOINT" or a name of libpfm4. The name may have
 * a suffix: u, k or uk overrides @levels, and p, pp or ppp is the precise
 * level. Reads the kernel's files below @root. Returns false, with a message,
 * if the event does not exist or if a PMC value cannot express it.
 */
bool event_encode(const char *root, const char *name, unsigned int levels,
		  struct encoded_event *event);

/* Like event_encode(), but stores the message in *why, to be freed. */
bool event_encode_quietly(const char *root, const char *name,
			  unsigned int levels, struct encoded_event *event,
			  char **why);

/*
 * Returns the number of the PMC that holds a configuration word of the event in
 * PMC 0: 64 for config1 (@word is 0), 128 for config2 (@word is 1).
 */
static inline unsigned int event_config_pmc(unsigned int word)
{
	return EVENT_CONFIG_STEP * (word + 1);
}

/* Returns an event's name without the suffix, to be freed. */
char *event_plain_name(const char *name);

/* Calls visit with every event's name, which is valid only during the call. */
void events_each(const char *root, void (*visit)(const char *name, void *data),
		 void *data);

#endif /* PFMON_EVENTS_EVENTS_H */
