/* SPDX-License-Identifier: GPL-2.0 */
/*
 * charge.h - memlock accounting
 */
#ifndef PFM_CORE_CHARGE_H
#define PFM_CORE_CHARGE_H

#include <linux/atomic.h>
#include <linux/types.h>

struct mm_struct;
struct user_struct;

/**
 * struct pfm_charge - the charge for one context or buffer
 * @user:  user that is charged
 * @mm:    address space that is charged, or NULL
 * @bytes: number of bytes; they are charged in whole pages
 */
struct pfm_charge {
	struct user_struct	*user;
	struct mm_struct	*mm;
	size_t			bytes;
};

/* Begin to charge the calling user and process. Context: process. */
void pfm_charge_begin(struct pfm_charge *c);

/* Begin to charge the user and process of @payer. Context: process. */
void pfm_charge_share(struct pfm_charge *c, const struct pfm_charge *payer);

/*
 * Charge @bytes more, unless that exceeds the caller's RLIMIT_MEMLOCK. Two sums
 * must not exceed the limit: all charges of the user, as for perf; and all
 * charges of the process (@c->mm) plus its locked memory. CAP_IPC_LOCK lifts
 * the limit. Nothing is charged if @c is NULL.
 * Context: process; calls for one @c are serialized by the caller.
 * Return: false, and nothing is charged, if the limit would be exceeded; else
 * true.
 */
bool pfm_charge_more(struct pfm_charge *c, size_t bytes);

/* Uncharge @bytes. Context: as pfm_charge_more(). */
void pfm_charge_less(struct pfm_charge *c, size_t bytes);

/* Uncharge all and end the charge. Context: any but interrupts. */
void pfm_charge_end(struct pfm_charge *c);

/*
 * Add @n to @used unless the sum exceeds @max. Takes no lock. Context: any.
 * Return: true if added.
 */
bool pfm_charge_within(atomic_long_t *used, unsigned long n,
		       unsigned long max);

#endif /* PFM_CORE_CHARGE_H */
