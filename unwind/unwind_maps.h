/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_maps.h - copies of the mappings of a process, for stack walks
 *
 * An overflow cannot rely on looking up mappings, because it may interrupt code
 * that changes them. Therefore it uses a copy that was made in process context.
 */
#ifndef PFM_UNWIND_MAPS_H
#define PFM_UNWIND_MAPS_H

#include <linux/err.h>
#include <linux/mm_types.h>
#include <linux/time64.h>
#include <linux/types.h>
#include "unwind_walk.h"

/*
 * Maximum numbers of executable mappings and of stacks in a copy. If there are
 * more, those at the lowest addresses are copied, and the highest stack, which
 * is the main thread's.
 */
#define PFM_UNWIND_MAX_TEXTS	1024
#define PFM_UNWIND_MAX_STACKS	4096

struct file;

/**
 * struct pfm_unwind_key - identity of a mapped file
 * @dev:   device of the file system; 0 for the vDSO, which has no file
 * @ino:   number of the inode
 * @size:  size in bytes
 * @mtime: time of the last change
 */
struct pfm_unwind_key {
	dev_t			dev;
	u64			ino;
	loff_t			size;
	struct timespec64	mtime;
};

/**
 * struct pfm_unwind_maps - copy of the mappings of a process
 * @space:    the mappings
 * @exec_vm:  number of executable pages when the copy was made
 * @total_vm: number of all pages when the copy was made
 * @made:     jiffies when the copy was made
 * @size:     bytes of this structure and its arrays
 * @texts:    the array @space.texts, followed by the array @space.stacks
 */
struct pfm_unwind_maps {
	struct pfm_unwind_space	space;
	unsigned long		exec_vm;
	unsigned long		total_vm;
	unsigned long		made;
	size_t			size;
	struct pfm_unwind_text	texts[];
};

/*
 * Find the table of a file. Context: as pfm_unwind_maps_fill(). Return: NULL if
 * not found.
 */
typedef const struct pfm_unwind_table *
(*pfm_unwind_lookup_t)(void *arg, const struct pfm_unwind_key *key);

/* Get the identity of a file. Context: process. */
struct pfm_unwind_key pfm_unwind_key_of(const struct file *file);

/* Test whether two files are the same. Context: any. */
bool pfm_unwind_key_equal(const struct pfm_unwind_key *a,
			  const struct pfm_unwind_key *b);

/*
 * Copy the mappings of a process; @lookup is called with the mmap_lock held.
 * Context: process, may sleep; the caller holds a reference to @mm->mm_users.
 * Return: the copy, to be freed with kvfree(), or ERR_PTR(): -ENOMEM, -EBUSY if
 * another thread changes the mappings.
 */
struct pfm_unwind_maps *pfm_unwind_maps_create(struct mm_struct *mm,
					       pfm_unwind_lookup_t lookup,
					       void *arg);

/*
 * Fill the arrays of @space with the mappings of a process. nr_texts and
 * nr_stacks are the sizes of the arrays on entry, and the numbers of mappings
 * on return. If there are too many mappings that may be stacks, the highest one
 * is the last entry. The time is linear in the number of mappings.
 * Context: any but NMI, mmap_lock held. The caller may have interrupted the
 * scheduler while it held locks, so this function never waits. d_real_inode()
 * does not wait either, because overlayfs found the real file when the file was
 * mapped.
 */
void pfm_unwind_maps_fill(struct pfm_unwind_space *space, struct mm_struct *mm,
			  pfm_unwind_lookup_t lookup, void *arg);

/*
 * Test whether executable mappings have been added or removed since the copy
 * was made. This does not detect a mapping that has replaced another of the
 * same size. Context: any, NMI included.
 */
static inline bool pfm_unwind_maps_are_stale(const struct pfm_unwind_maps *maps,
					     const struct mm_struct *mm)
{
	return maps->exec_vm != READ_ONCE(mm->exec_vm);
}

/*
 * Test whether the stack that contains @sp may have been mapped since the copy
 * was made. This does not detect a stack that has replaced other mappings of
 * the same size. Context: any, NMI included.
 */
static __always_inline bool
pfm_unwind_maps_lack_stack(const struct pfm_unwind_maps *maps,
			   const struct mm_struct *mm, u64 sp)
{
	return maps->total_vm != READ_ONCE(mm->total_vm) &&
	       !pfm_unwind_find_end(&maps->space, sp);
}

#endif /* PFM_UNWIND_MAPS_H */
