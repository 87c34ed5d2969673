/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * faults.h - an exact number of page faults, the event of most tests; or of
 *	      NMIs, with PFM_NMI in the environment (rig.h)
 */
#ifndef GUEST_FAULTS_H
#define GUEST_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * From now on only touch_pages() causes page faults in this process. Children
 * do not inherit this.
 */
void faults_prepare(void);

/* Are they NMIs? */
bool faults_are_nmis(void);

/*
 * Cause n page faults, all by instructions of this function; or receive n NMIs.
 * *done, if given, grows by one after each.
 */
void touch_pages(unsigned long n, unsigned long *done);

/* Set by the linker around the section of touch_pages(). */
extern const char __start_touch_pages_text[];
extern const char __stop_touch_pages_text[];

/* Is the address in touch_pages(), or where it receives NMIs: in the kernel? */
static inline bool in_touch_pages(uint64_t ip)
{
	if (faults_are_nmis())
		return ip >> 63;
	return ip >= (uintptr_t)__start_touch_pages_text &&
	       ip < (uintptr_t)__stop_touch_pages_text;
}

#endif /* GUEST_FAULTS_H */
