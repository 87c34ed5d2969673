/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * faults.h - page faults in an exact number, the event of most tests
 */
#ifndef GUEST_FAULTS_H
#define GUEST_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * From now on this process has no page faults but those of touch_pages(). A
 * child does not inherit that.
 */
void faults_prepare(void);

/*
 * Cause n page faults, all by instructions of this function. *done, if given,
 * grows by one after each.
 */
void touch_pages(unsigned long n, volatile unsigned long *done);

/* Is the address in touch_pages()? */
bool in_touch_pages(uint64_t ip);

#endif /* GUEST_FAULTS_H */
