/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * disturb.h - processes that disturb contexts until they are told to end
 */
#ifndef GUEST_DISTURB_H
#define GUEST_DISTURB_H

#include <stdbool.h>

/* Before any of them is spawned. */
void disturb_begin(void);
/* Tell them to end; have they been told? */
void disturb_end(void);
bool disturb_is_over(void);
/* How many modules were unloaded. */
unsigned int disturb_unloaded(void);

/* To spawn: unload the formats again and again. */
void disturb_formats(void *unused);
/* To spawn: take the second CPU offline and back online, again and again. */
void disturb_cpus(void *unused);

#endif /* GUEST_DISTURB_H */
