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
void touch_pages(unsigned long n, unsigned long *done);

/* Set by the linker around the section of touch_pages(). */
extern const char __start_touch_pages_text[];
extern const char __stop_touch_pages_text[];

/* Is the address in touch_pages()? */
static inline bool in_touch_pages(uint64_t ip)
{
	return ip >= (uintptr_t)__start_touch_pages_text &&
	       ip < (uintptr_t)__stop_touch_pages_text;
}

#endif /* GUEST_FAULTS_H */
