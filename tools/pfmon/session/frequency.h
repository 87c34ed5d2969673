/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * frequency.h - adapt sampling periods to a sampling frequency
 *
 * A frequency refers to the time in which the event's set is active. In a
 * per-thread context, a set is active only while the thread runs.
 */
#ifndef PFMON_SESSION_FREQUENCY_H
#define PFMON_SESSION_FREQUENCY_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct frequency;

/*
 * Interval of the periodic calls of frequency_look(). It is also called after
 * each notification.
 */
#define FREQUENCY_LOOK_NS	25000000

/* Returns NULL if no event of the context has a frequency. */
struct frequency *frequency_create(const struct context *context);
void frequency_destroy(struct frequency *frequency);

/*
 * Compares the rates of events with their frequencies, and changes inaccurate
 * periods. Call it before a restart frees the buffer, and periodically. Returns
 * false with a message on failure.
 */
bool frequency_look(struct context *context);

#endif /* PFMON_SESSION_FREQUENCY_H */
