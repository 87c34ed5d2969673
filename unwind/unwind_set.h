/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_set.h - a set of unwind tables, and the processes that use it
 *
 * Files have tables, which tools add. Processes have copies of their mappings,
 * which refer to these tables. An overflow only reads both.
 */
#ifndef PFM_UNWIND_SET_H
#define PFM_UNWIND_SET_H

#include "unwind_maps.h"

struct pfm_unwind_set;

/*
 * Create an empty set; the caller owns a reference. Copies of mappings take up
 * at most @room bytes, usually 1 to 2 KiB a process: the oldest copies are
 * discarded to make room for a new one.
 * Context: process. Return: the set, or NULL without memory.
 */
struct pfm_unwind_set *pfm_unwind_set_create(size_t room);

/* Take another reference. Context: any; the caller holds one. */
void pfm_unwind_set_get(struct pfm_unwind_set *set);

/*
 * Drop a reference. The caller's overflows have ended.
 * Context: process, may sleep.
 */
void pfm_unwind_set_put(struct pfm_unwind_set *set);

/*
 * Add the table of a file that does not have one. Processes that have a copy of
 * their mappings get a new one at their next overflow. On success the set owns
 * @bytes, which kvfree() can free.
 * Context: process, may sleep. Return: 0; -EINVAL: not a valid table for this
 * @machine; -EEXIST: the file has a table; -ENOMEM.
 */
int pfm_unwind_set_add(struct pfm_unwind_set *set,
		       const struct pfm_unwind_key *key, void *bytes,
		       size_t size, unsigned int machine);

/*
 * Get the mappings of the current process, and request a new copy if there is
 * none or it is out of date. @at_user: the overflow was at user level; requests
 * are made only then, because the request is served when the thread returns to
 * user level, and until then the CPU serves no other.
 * Context: any, NMI included; the caller holds a reference, and migration is
 * disabled.
 * Return: the mappings, valid until the caller leaves its RCU read-side section
 * (any overflow is one), or NULL.
 */
const struct pfm_unwind_space *
pfm_unwind_set_space(struct pfm_unwind_set *set, bool at_user);

/*
 * Copy the mappings of the current process, which has an mm.
 * Context: process, may sleep. Return: 0, -ENOMEM, -ENOSPC or -EINTR.
 */
int pfm_unwind_set_copy(struct pfm_unwind_set *set);

#endif /* PFM_UNWIND_SET_H */
