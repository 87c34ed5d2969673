/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * faults.h - cause an exact number of page faults, the event that most tests
 *	      count
 *
 * If the environment variable PFM_NMI is set, the tests count NMIs instead
 * (rig.h).
 */
#ifndef GUEST_FAULTS_H
#define GUEST_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Make touch_pages() the only cause of page faults in this process. This does
 * not hold for its child processes.
 */
void faults_prepare(void);

/* Return whether the events are NMIs. */
bool faults_are_nmis(void);

/*
 * Cause @n page faults, all by instructions of this function, or receive @n
 * NMIs. If @done is not NULL, increment *done after each event.
 */
void touch_pages(unsigned long n, unsigned long *done);

/* The linker defines these symbols at the bounds of touch_pages()'s section. */
extern const char __start_touch_pages_text[];
extern const char __stop_touch_pages_text[];

/*
 * Return whether the address is in touch_pages(). If the events are NMIs,
 * return whether the address is in the kernel.
 */
static inline bool in_touch_pages(uint64_t ip)
{
	if (faults_are_nmis())
		return ip >> 63;
	return ip >= (uintptr_t)__start_touch_pages_text &&
	       ip < (uintptr_t)__stop_touch_pages_text;
}

#endif /* GUEST_FAULTS_H */
