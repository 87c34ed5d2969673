/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* default_events.h - the events that are counted or sampled without -e */
#ifndef PFMON_OPTIONS_DEFAULT_EVENTS_H
#define PFMON_OPTIONS_DEFAULT_EVENTS_H

#include <stdbool.h>

#include "base/settings.h"

/*
 * Unless -u or -k is given, chooses all privilege levels that this user may
 * measure.
 */
void default_events_choose_levels(struct options *options);

/*
 * Adds the events to count: a clock, software events and hardware events.
 * Unless -u or -k is given, they count at all privilege levels that the user
 * may measure.
 */
bool default_events_add(struct options *options);

/*
 * Adds the event to sample: cycles or, with a call graph or if this machine
 * does not count cycles, the CPU clock.
 */
bool default_sampling_event_add(struct options *options);

#endif /* PFMON_OPTIONS_DEFAULT_EVENTS_H */
