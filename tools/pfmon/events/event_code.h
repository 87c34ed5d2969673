/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* event_code.h - an event as perf_event_open(2) identifies it */
#ifndef PFMON_EVENTS_EVENT_CODE_H
#define PFMON_EVENTS_EVENT_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* Privilege levels at which an event is measured; 0 is the default. */
#define LEVEL_USER	0x1
#define LEVEL_KERNEL	0x2

/* Number of configuration words: config, config1 and config2. */
#define CODE_CONFIGS	3

/* Where the event name is defined. */
enum event_source {
	EVENT_GENERIC,		/* generic kernel event, with perf's name */
	EVENT_RAW,
	EVENT_SYSFS,
	EVENT_TRACEPOINT,
	EVENT_PFMLIB,
};

struct event_code {
	enum event_source source;
	uint32_t type;
	uint64_t config[CODE_CONFIGS];
	unsigned int levels;	/* default levels; 0: user space */
	bool per_thread;	/* false: only per CPU, at all levels */
	char *cpus;		/* CPUs that count it, or NULL; to be freed */
};

#endif /* PFMON_EVENTS_EVENT_CODE_H */
