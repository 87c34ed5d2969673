/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* event_text.h - print the description of an event as text */
#ifndef PFMON_EVENT_TEXT_H
#define PFMON_EVENT_TEXT_H

struct json_object;

/* Prints the result of event_describe(). */
void event_print(const struct json_object *event);

#endif /* PFMON_EVENT_TEXT_H */
