/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* events.h - event names and their encoding as PMC values */
#ifndef PFMON_EVENTS_H
#define PFMON_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Privilege levels at which an event is measured; 0 leaves the choice open. */
#define LEVEL_USER	0x1
#define LEVEL_KERNEL	0x2

/*
 * Encodes one event, "NAME", "rHEX" or a name of libpfm4, optionally with a
 * suffix: u, k or uk overrides levels, p, pp or ppp is its precise level.
 * Returns false with a message if there is no such event or the kernel's PMC
 * values cannot express it.
 */
bool event_encode(const char *name, unsigned int levels, uint64_t *pmc);

/*
 * Prints the names that match a regular expression, all if pattern is NULL.
 * Returns false with a message if the expression is wrong.
 */
bool events_list(const char *pattern);

#endif /* PFMON_EVENTS_H */
