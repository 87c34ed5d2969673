/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_set.h - a set of unwind tables, and the processes that use it
 *
 * Tools add tables for files. Each process has a copy of its mappings, which
 * refers to these tables. An overflow only reads tables and copies.
 */
#ifndef PFM_UNWIND_SET_H
#define PFM_UNWIND_SET_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <perfmon/perfmon_fmt_unwind.h>
#include "unwind_maps.h"

struct pfm_unwind_live;
struct pid;

/**
 * struct pfm_unwind_process - a process with a copy of its mappings
 * @node:    in the set's processes
 * @age:     in the set's list, oldest first
 * @pid:     the process; a reference
 * @exec_id: number of its execs
 * @maps:    the copy
 * @files:   number of the set's files when the copy was made
 * @rcu:     frees the structure and the copy
 */
struct pfm_unwind_process {
	struct hlist_node	node;
	struct list_head	age;
	struct pid		*pid;
	u64			exec_id;
	struct pfm_unwind_maps	*maps;
	u32			files;
	struct rcu_head		rcu;
};

/*
 * Create an empty set; the caller owns a reference. Processes with their copies
 * take up at most @room bytes, usually 1 to 2 KiB each. If necessary, the
 * oldest copies are discarded to make room for a new one. The caller's user and
 * process are charged for the set and for @room.
 * Context: process. Return: the set, or NULL if memory is short or
 * RLIMIT_MEMLOCK does not allow this.
 */
struct pfm_unwind_set *pfm_unwind_set_create(size_t room);

/* Take another reference. Context: any; the caller holds one. */
void pfm_unwind_set_get(struct pfm_unwind_set *set);

/*
 * Has the calling process created the set? Others must not add tables: they
 * would be charged to the creator, but the limits of the caller would apply.
 * Context: process.
 */
bool pfm_unwind_set_is_own(const struct pfm_unwind_set *set);

/*
 * Charge the set's creator for a table of @size bytes, before it is copied.
 * Context: process, may sleep. Return: false if RLIMIT_MEMLOCK does not allow
 * it; pfm_unwind_set_uncharge() takes the charge back.
 */
bool pfm_unwind_set_charge(struct pfm_unwind_set *set, size_t size);
void pfm_unwind_set_uncharge(struct pfm_unwind_set *set, size_t size);

/*
 * Add the table of a file that does not have one. Processes with a copy of
 * their mappings get a new copy at their next overflow. On success the set owns
 * @bytes, which kvfree() can free and for which it is charged.
 * Context: process, may sleep. Return: 0; -EINVAL: not a valid table for this
 * @machine; -EEXIST: the file has a table; -ENOSPC: PFM_UNWIND_MAX_TABLES;
 * -ENOMEM.
 */
int pfm_unwind_set_add(struct pfm_unwind_set *set,
		       const struct pfm_unwind_key *key, void *bytes,
		       size_t size, unsigned int machine);

/*
 * Get the mappings of the current process, and request a new copy if there is
 * no copy or it is out of date. @sp: the thread's stack pointer. @at_user: the
 * overflow interrupted user space. Only then is a copy requested, because the
 * request is served when the thread returns to user space, and until then the
 * CPU cannot accept another one.
 * Context: any, NMI included; the caller holds a reference, migration is
 * disabled, and the thread has an mm.
 * Return: the mappings, valid until the caller leaves its RCU read-side section
 * (any overflow is one), or NULL.
 */
const struct pfm_unwind_space *
pfm_unwind_set_space(struct pfm_unwind_set *set, u64 sp, bool at_user);

/*
 * Look up the mappings of the current process, after pfm_unwind_set_space() has
 * returned NULL, for an overflow in the kernel. Context: as for that function.
 * Return: the mappings, valid until pfm_unwind_live_end(); or NULL.
 */
struct pfm_unwind_live *pfm_unwind_set_look(struct pfm_unwind_set *set, u64 sp);

/*
 * Copy the mappings of the current process, which has an mm. Does not wait for
 * other threads, because a monitored thread waits for this.
 * Context: process, may sleep. Return: 0; -EBUSY if another thread changes the
 * set or the mappings; -ENOMEM; -ENOSPC.
 */
int pfm_unwind_set_copy(struct pfm_unwind_set *set);

/*
 * Copy the mappings of the process @pid, which may be changing them. Context:
 * process, may sleep. Return: as pfm_unwind_set_copy(); -ESRCH if the process
 * has ended, or has no memory; -EPERM if it is another user's, unless the
 * caller has CAP_PERFMON.
 */
int pfm_unwind_set_copy_of(struct pfm_unwind_set *set, struct pid *pid);

#endif /* PFM_UNWIND_SET_H */
