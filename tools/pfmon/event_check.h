/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* event_check.h - --check-events-only */
#ifndef PFMON_EVENT_CHECK_H
#define PFMON_EVENT_CHECK_H

#include <stdbool.h>

#include "options.h"

/*
 * Prints of each event whether this machine counts it, and why not; then
 * whether it counts them together. False if not.
 */
bool check_events(const struct options *options);

#endif /* PFMON_EVENT_CHECK_H */
