/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * disturb.h - who is in the way of contexts, until it is told to end
 */
#ifndef GUEST_DISTURB_H
#define GUEST_DISTURB_H

#include <stdbool.h>

/* Before anybody is spawned who disturbs. */
void disturb_begin(void);
/* Who disturbs shall end, and has it been told so? */
void disturb_end(void);
bool disturb_is_over(void);
/* How many modules were unloaded. */
unsigned int disturb_unloaded(void);

/* To spawn: unload the formats again and again. */
void disturb_formats(void *unused);
/* To spawn: take the second CPU away, and give it back in the end. */
void disturb_cpus(void *unused);

#endif /* GUEST_DISTURB_H */
