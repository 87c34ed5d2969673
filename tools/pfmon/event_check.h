/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* event_check.h - the option --check-events-only */
#ifndef PFMON_EVENT_CHECK_H
#define PFMON_EVENT_CHECK_H

#include <stdbool.h>

#include "base/settings.h"

/*
 * For each event, prints whether this machine can count it, or why not. If the
 * machine can count all events, and --system-wide is not given, then checks for
 * each event set that the set's events can be counted together. Returns false
 * if a check fails.
 */
bool check_events(const struct options *options);

#endif /* PFMON_EVENT_CHECK_H */
