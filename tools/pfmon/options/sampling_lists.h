/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* sampling_lists.h - sampling options with an element per event */
#ifndef PFMON_OPTIONS_SAMPLING_LISTS_H
#define PFMON_OPTIONS_SAMPLING_LISTS_H

#include <stdbool.h>

#include "base/settings.h"

/* Both return false with a message on a usage error. */

/* Parses the lists and stores their elements in the events. */
bool sampling_lists_apply(struct options *options);

/* Adds defaults for an event, and checks for conflicts. */
bool sampling_lists_complete(struct event_option *event);

#endif /* PFMON_OPTIONS_SAMPLING_LISTS_H */
