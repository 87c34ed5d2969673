/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* event_info.h - what there is to know of one event */
#ifndef PFMON_EVENT_INFO_H
#define PFMON_EVENT_INFO_H

#include "event_trial.h"

struct json_object;

/* What it counts, how it is encoded, whether this machine has it. */
struct json_object *event_describe(const char *root, const char *name,
				   struct event_trial *trial);

#endif /* PFMON_EVENT_INFO_H */
