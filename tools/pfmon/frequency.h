/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * frequency.h - periods that are adapted, so that an event is sampled so many
 * times a second
 *
 * The second is one in which the event's set is active; in a thread's context
 * it is of the thread's own time.
 */
#ifndef PFMON_FREQUENCY_H
#define PFMON_FREQUENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

struct context;
struct frequency;

/* How often contexts are looked at besides notifications. */
#define FREQUENCY_LOOK_NS	25000000

/* The period until anything is known of the event with this PMC value. */
uint64_t frequency_first_period(uint64_t pmc, uint64_t frequency);

/* Takes the kernel so many samples? False with a message if not. */
bool frequency_check(const struct options *options);

/* NULL if no event of the context has a frequency. */
struct frequency *frequency_create(const struct context *context);
void frequency_destroy(struct frequency *frequency);

/*
 * Compares what was counted with what was asked for, and changes the periods
 * that are off. To be called before what is in the buffer is freed, and now and
 * then. False with a message if the kernel refuses.
 */
bool frequency_look(struct context *context);

/* A restart has freed the buffer. */
void frequency_restarted(struct context *context);

#endif /* PFMON_FREQUENCY_H */
