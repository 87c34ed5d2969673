/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * disturb.h - processes that disturb contexts until they are told to stop
 */
#ifndef GUEST_DISTURB_H
#define GUEST_DISTURB_H

#include <stdbool.h>

/* Call this before spawning any of the processes. */
void disturb_begin(void);
/* Tell the processes to stop; tell whether they were told. */
void disturb_end(void);
bool disturb_is_over(void);
/* Return the number of modules that were unloaded. */
unsigned int disturb_unloaded(void);

/* For spawn(): unload the formats repeatedly. */
void disturb_formats(void *unused);
/*
 * For spawn(): count and sample in families whose children are born and exit
 * meanwhile.
 */
void disturb_births(void *unused);
/* For spawn(): repeatedly take the second CPU offline and back online. */
void disturb_cpus(void *unused);

#endif /* GUEST_DISTURB_H */
