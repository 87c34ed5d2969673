/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* event_check.h - the option --check-events-only */
#ifndef PFMON_EVENT_CHECK_H
#define PFMON_EVENT_CHECK_H

#include <stdbool.h>

#include "base/settings.h"

/*
 * For each event, prints whether this machine can count it, or why not. If it
 * can count all of them, then checks for each event set that its events can be
 * counted together, except with --system-wide. Returns false if a check fails.
 */
bool check_events(const struct options *options);

#endif /* PFMON_EVENT_CHECK_H */
