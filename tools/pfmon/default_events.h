/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* default_events.h - what is counted if nobody says what */
#ifndef PFMON_DEFAULT_EVENTS_H
#define PFMON_DEFAULT_EVENTS_H

#include <stdbool.h>

#include "options.h"

/*
 * Time, what the kernel does for a program, and what the CPU does, at the
 * levels that the user may measure.
 */
bool default_events_add(struct options *options);

#endif /* PFMON_DEFAULT_EVENTS_H */
