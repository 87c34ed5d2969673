/* SPDX-License-Identifier: GPL-2.0 */
/*
 * charge.h - who pays for memory that a user can have as much of as he asks for
 */
#ifndef PFM_CORE_CHARGE_H
#define PFM_CORE_CHARGE_H

#include <linux/atomic.h>
#include <linux/types.h>

struct mm_struct;
struct user_struct;

/**
 * struct pfm_charge - what is charged for one thing, a context or a buffer
 * @user:  user that is charged
 * @mm:    address space that is charged, or NULL
 * @bytes: how much; whole pages are charged for them
 */
struct pfm_charge {
	struct user_struct	*user;
	struct mm_struct	*mm;
	size_t			bytes;
};

/* From now on the caller's user and process pay. Context: process. */
void pfm_charge_begin(struct pfm_charge *c);

/*
 * Charge @bytes more, to nobody if @c is NULL, unless that exceeds the caller's
 * RLIMIT_MEMLOCK. The limit is for all processes of the user together, as it is
 * for perf, and for each process with what it has locked itself. CAP_IPC_LOCK
 * goes beyond.
 * Context: process; the caller sees to it that there is one at a time for @c.
 * Return: true, or false and nothing is charged.
 */
bool pfm_charge_more(struct pfm_charge *c, size_t bytes);

/* Give @bytes back. Context: as pfm_charge_more(). */
void pfm_charge_less(struct pfm_charge *c, size_t bytes);

/* Give everything back; nobody pays any more. Context: any but interrupts. */
void pfm_charge_end(struct pfm_charge *c);

/*
 * Charge @n more, unless that makes it more than @max. Takes no lock: a process
 * that holds some lock of its own keeps nobody waiting but itself.
 * Context: any.
 */
bool pfm_charge_within(atomic_long_t *used, unsigned long n,
		       unsigned long max);

#endif /* PFM_CORE_CHARGE_H */
