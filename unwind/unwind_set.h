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
 * @node:    entry in the set's hash table of processes
 * @age:     entry in the set's list of processes, oldest copy first
 * @pid:     the process, with a reference
 * @exec_id: self_exec_id of the process, which each exec changes
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
 * Create an empty set; the caller owns a reference. The copies of all processes
 * together take up at most @room bytes; one copy usually takes 1 to 2 KiB. If
 * necessary, the oldest copies are discarded to make room for a new one. The
 * caller's user and process are charged for the set and for @room.
 * Context: process. Return: the set, or NULL if memory is short or
 * RLIMIT_MEMLOCK does not allow this.
 */
struct pfm_unwind_set *pfm_unwind_set_create(size_t room);

/* Take another reference. Context: any; the caller holds one. */
void pfm_unwind_set_get(struct pfm_unwind_set *set);

/*
 * Has the calling process created the set? Others must not add tables: the
 * creator would be charged, but the limits checked would be the caller's.
 * Context: process.
 */
bool pfm_unwind_set_is_own(const struct pfm_unwind_set *set);

/*
 * Charge the set's creator for a table of @size bytes, before it is copied.
 * pfm_unwind_set_uncharge() takes the charge back.
 * Context: process, may sleep. Return: false if RLIMIT_MEMLOCK does not allow
 * the charge.
 */
bool pfm_unwind_set_charge(struct pfm_unwind_set *set, size_t size);
void pfm_unwind_set_uncharge(struct pfm_unwind_set *set, size_t size);

/*
 * Add a table for a file that does not have one yet. For a process whose
 * mappings have been copied, a new copy is requested at its next overflow in
 * user space. On success the set owns @bytes. The caller must have allocated
 * @bytes with kvmalloc(), and charged for them with pfm_unwind_set_charge().
 * Context: process, may sleep. Return: 0; -EINVAL: not a valid table for this
 * @machine; -EEXIST: the file already has a table; -ENOSPC: the set already has
 * PFM_UNWIND_MAX_TABLES; -ENOMEM.
 */
int pfm_unwind_set_add(struct pfm_unwind_set *set,
		       const struct pfm_unwind_key *key, void *bytes,
		       size_t size, unsigned int machine);

/*
 * Get the mappings of the current process. If @at_user is true, and the
 * mappings have not been copied or the copy is out of date, request a new copy.
 * @sp: the thread's stack pointer. @at_user: the overflow interrupted user
 * space. After other overflows a copy is not requested: the thread might return
 * to user space only much later, and the CPU could not accept another request
 * until then.
 * Context: any, NMI included; the caller holds a reference, migration is
 * disabled, and the thread has an mm.
 * Return: the mappings, valid until the caller leaves its RCU read-side section
 * (any overflow is one), or NULL.
 */
const struct pfm_unwind_space *
pfm_unwind_set_space(struct pfm_unwind_set *set, u64 sp, bool at_user);

/*
 * Request a new copy of the mappings because a walk found an address that is in
 * no mapping of @space, which pfm_unwind_set_space() has returned: the process
 * may have replaced code by other code of the same size. Does nothing if @space
 * is recent. The overflow interrupted user space. Context: as for
 * pfm_unwind_set_space().
 */
void pfm_unwind_set_missed(struct pfm_unwind_set *set,
			   const struct pfm_unwind_space *space);

/*
 * Look up the mappings of the current process, after pfm_unwind_set_space() has
 * returned NULL. This is for overflows that interrupted the kernel, or that the
 * thread itself caused (unwind_live.h). Context: as for pfm_unwind_set_space().
 * Return: the mappings, valid until pfm_unwind_live_end(); or NULL.
 */
struct pfm_unwind_live *pfm_unwind_set_look(struct pfm_unwind_set *set, u64 sp);

/*
 * Copy the mappings of the current process, which has an mm. Does not wait for
 * other threads, because this would delay the monitored thread.
 * Context: process, may sleep. Return: 0; -EBUSY if another thread changes the
 * set or the mappings; -ENOMEM; -ENOSPC.
 */
int pfm_unwind_set_copy(struct pfm_unwind_set *set);

/*
 * Copy the mappings of the process @pid, which may be running. Context:
 * process, may sleep. Return: as pfm_unwind_set_copy(); -ESRCH if the process
 * has ended, or has no memory; -EPERM if the process belongs to another user
 * and the caller does not have CAP_PERFMON.
 */
int pfm_unwind_set_copy_of(struct pfm_unwind_set *set, struct pid *pid);

#endif /* PFM_UNWIND_SET_H */
