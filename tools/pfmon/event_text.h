/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* event_text.h - what there is to know of an event, as lines of text */
#ifndef PFMON_EVENT_TEXT_H
#define PFMON_EVENT_TEXT_H

struct json_object;

/* Prints what event_describe() has found. */
void event_print(const struct json_object *event);

#endif /* PFMON_EVENT_TEXT_H */
