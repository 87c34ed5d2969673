// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_maps.c - copying the mappings of a process
 */
#include <linux/dcache.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <perfmon/perfmon_pmu.h>
#include "compat.h"
#include "unwind_maps.h"

struct pfm_unwind_key pfm_unwind_key_of(const struct file *file)
{
	/*
	 * With overlayfs, the file of a mapping may have the underlying inode,
	 * while a descriptor has overlayfs's own. Use the underlying inode for
	 * both.
	 */
	const struct inode *inode = d_real_inode(file->f_path.dentry);

	return (struct pfm_unwind_key) {
		.dev = inode->i_sb->s_dev,
		.ino = inode->i_ino,
		.size = i_size_read(inode),
		.mtime = inode_get_mtime(inode),
	};
}

bool pfm_unwind_key_equal(const struct pfm_unwind_key *a,
			  const struct pfm_unwind_key *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       timespec64_equal(&a->mtime, &b->mtime);
}

static bool is_vdso(struct vm_area_struct *vma)
{
	const char *name;

	if (vma->vm_file || !vma->vm_ops || !vma->vm_ops->name)
		return false;
	name = vma->vm_ops->name(vma);
	return name && !strcmp(name, "[vdso]");
}

static bool is_text(const struct vm_area_struct *vma)
{
	return vma->vm_flags & VM_EXEC;
}

/*
 * May the mapping be a stack? This includes mappings of the program's
 * variables, because one of these may be an alternate signal stack.
 */
static bool is_stack(const struct vm_area_struct *vma)
{
	return (vma->vm_flags & (VM_WRITE | VM_SHARED | VM_IO | VM_PFNMAP)) ==
	       VM_WRITE;
}

static struct pfm_unwind_text text_of(struct vm_area_struct *vma,
				      pfm_unwind_lookup_t lookup, void *arg)
{
	struct pfm_unwind_text text = {
		.start = vma->vm_start,
		.end = vma->vm_end,
	};
	struct pfm_unwind_key key = {};

	if (vma->vm_file)
		key = pfm_unwind_key_of(vma->vm_file);
	else if (!is_vdso(vma))
		return text;
	text.table = lookup(arg, &key);
	if (!text.table)
		return text;
	text.shift = vma->vm_start + text.table->start;
	if (vma->vm_file)
		text.shift -= (u64)vma->vm_pgoff << PAGE_SHIFT;
	return text;
}

/*
 * Get the range of a stack. A stack that grows down may later use the gap below
 * its mapping, so the gap is included.
 */
static struct pfm_unwind_stack stack_of(const struct vm_area_struct *vma,
					u64 last_end)
{
	return (struct pfm_unwind_stack) {
		.start = vma->vm_flags & VM_GROWSDOWN ? last_end :
							vma->vm_start,
		.end = vma->vm_end,
	};
}

struct map_numbers {
	u32 texts, stacks;
};

/* Count the mappings to copy. Context: process, mmap_lock held. */
static struct map_numbers maps_count(struct mm_struct *mm)
{
	VMA_ITERATOR(vmi, mm, 0);
	struct map_numbers n = {};
	struct vm_area_struct *vma;

	for_each_vma(vmi, vma) {
		n.texts += is_text(vma);
		n.stacks += is_stack(vma);
	}
	n.texts = min_t(u32, n.texts, PFM_UNWIND_MAX_TEXTS);
	n.stacks = min_t(u32, n.stacks, PFM_UNWIND_MAX_STACKS);
	return n;
}

static struct pfm_unwind_maps *maps_alloc(struct map_numbers n)
{
	struct pfm_unwind_maps *maps;
	size_t size = struct_size(maps, texts, n.texts) +
		      array_size(n.stacks, sizeof(struct pfm_unwind_stack));

	/* If this fails, a later overflow tries again. */
	maps = kvzalloc(size, PFM_GFP);
	if (!maps)
		return NULL;
	maps->size = size;
	maps->space.nr_texts = n.texts;
	maps->space.nr_stacks = n.stacks;
	maps->space.texts = maps->texts;
	maps->space.stacks = (void *)&maps->texts[n.texts];
	return maps;
}

void pfm_unwind_maps_fill(struct pfm_unwind_space *space, struct mm_struct *mm,
			  pfm_unwind_lookup_t lookup, void *arg)
{
	VMA_ITERATOR(vmi, mm, 0);
	struct pfm_unwind_text *texts = (void *)space->texts;
	struct pfm_unwind_stack *stacks = (void *)space->stacks;
	struct map_numbers n = {};
	struct vm_area_struct *vma;
	u64 last_end = 0;

	for_each_vma(vmi, vma) {
		if (is_text(vma) && n.texts < space->nr_texts)
			texts[n.texts++] = text_of(vma, lookup, arg);
		if (is_stack(vma)) {
			n.stacks -= n.stacks == space->nr_stacks;
			stacks[n.stacks++] = stack_of(vma, last_end);
		}
		last_end = vma->vm_end;
	}
	space->nr_texts = n.texts;
	space->nr_stacks = n.stacks;
}

/*
 * Copy the mappings to @maps. Return: false if the mmap_lock cannot be taken at
 * once, or the numbers of mappings have changed since they were counted.
 */
static bool maps_copy(struct pfm_unwind_maps *maps, struct mm_struct *mm,
		      pfm_unwind_lookup_t lookup, void *arg)
{
	struct map_numbers now;
	bool same;

	if (!mmap_read_trylock(mm))
		return false;
	now = maps_count(mm);
	same = now.texts == maps->space.nr_texts &&
	       now.stacks == maps->space.nr_stacks;
	if (same) {
		pfm_unwind_maps_fill(&maps->space, mm, lookup, arg);
		maps->exec_vm = READ_ONCE(mm->exec_vm);
		maps->total_vm = READ_ONCE(mm->total_vm);
		maps->made = jiffies;
	}
	mmap_read_unlock(mm);
	return same;
}

struct pfm_unwind_maps *pfm_unwind_maps_create(struct mm_struct *mm,
					       pfm_unwind_lookup_t lookup,
					       void *arg)
{
	struct pfm_unwind_maps *maps;
	struct map_numbers n;

	if (!mmap_read_trylock(mm))
		return ERR_PTR(-EBUSY);
	n = maps_count(mm);
	mmap_read_unlock(mm);
	/*
	 * Do not hold the mmap_lock here: allocating may take long, and a
	 * thread that exits needs the lock.
	 */
	maps = maps_alloc(n);
	if (!maps)
		return ERR_PTR(-ENOMEM);
	if (maps_copy(maps, mm, lookup, arg))
		return maps;
	kvfree(maps);
	return ERR_PTR(-EBUSY);
}
