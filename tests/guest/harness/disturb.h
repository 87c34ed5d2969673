/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * disturb.h - processes that disturb contexts until they are asked to stop
 */
#ifndef GUEST_DISTURB_H
#define GUEST_DISTURB_H

#include <stdbool.h>

/* Must be called before any of these processes is spawned. */
void disturb_begin(void);
/* Ask the processes to stop. */
void disturb_end(void);
/* Return whether the processes were asked to stop. */
bool disturb_is_over(void);
/* Return the number of modules that were unloaded. */
unsigned int disturb_unloaded(void);

/* For spawn(): unload the formats repeatedly. */
void disturb_formats(void *unused);
/*
 * For spawn(): monitor the spawned process and its children (PFM_FL_INHERIT)
 * while the children start and exit. Some contexts count, others sample.
 */
void disturb_births(void *unused);
/* For spawn(): repeatedly take the second CPU offline and back online. */
void disturb_cpus(void *unused);

#endif /* GUEST_DISTURB_H */
