/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* events.h - event names and their encoding as PMC values */
#ifndef PFMON_EVENTS_H
#define PFMON_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "event_code.h"

/* The words of configuration beside a PMC value: config1, config2. */
#define ENCODED_CONFIGS	2

/* From PMCn to that of config1 of its event, and on to that of config2. */
#define EVENT_CONFIG_STEP	64

struct encoded_event {
	enum event_source source;
	uint64_t pmc;
	uint64_t config[ENCODED_CONFIGS];
	bool per_thread;	/* it can be counted for threads */
	char *cpus;		/* CPUs that count it, NULL: all; to be freed */
};

/*
 * Encodes one event: "NAME", "rHEX", "PMU/TERM,.../" and "NAME:TERM..." of
 * sysfs, "SYSTEM:TRACEPOINT" or a name of libpfm4; optionally with a suffix: u,
 * k or uk overrides levels, p, pp or ppp is its precise level. The files of the
 * kernel's are below root. Returns false with a message if there is no such
 * event or the kernel's PMC values cannot express it.
 */
bool event_encode(const char *root, const char *name, unsigned int levels,
		  struct encoded_event *event);

/* The same without a message: it is *why, to be freed, or NULL. */
bool event_encode_quietly(const char *root, const char *name,
			  unsigned int levels, struct encoded_event *event,
			  char **why);

/* The register of a word: PMC64 is config1 of the event of PMC0. */
static inline unsigned int event_config_pmc(unsigned int word)
{
	return EVENT_CONFIG_STEP * (word + 1);
}

/* Its name without the suffix, to be freed. */
char *event_plain_name(const char *name);

/* Calls visit with every name that there is; it lasts during the call only. */
void events_each(const char *root, void (*visit)(const char *name, void *data),
		 void *data);

#endif /* PFMON_EVENTS_H */
