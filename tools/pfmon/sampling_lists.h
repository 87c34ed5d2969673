/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* sampling_lists.h - the lists that say how events are sampled */
#ifndef PFMON_SAMPLING_LISTS_H
#define PFMON_SAMPLING_LISTS_H

#include <stdbool.h>

#include "options.h"

/* Both return false with a message on a usage error. */

/* Gives the events what the lists have for them. */
bool sampling_lists_apply(struct options *options);

/* Adds what follows from that, and checks that it goes together. */
bool sampling_lists_complete(struct event_option *event);

#endif /* PFMON_SAMPLING_LISTS_H */
