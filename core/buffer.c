// SPDX-License-Identifier: GPL-2.0
/*
 * buffer.c - memory that is mapped: allocation, accounting, mapping (3.5.4,
 *	      4.4.3)
 *
 * A buffer is a file of its own that is in no descriptor table. The context
 * holds it, and so does every mapping: it goes when both have gone, in whatever
 * order, while the context goes with its last descriptor. Sampling buffers have
 * a page in front that is not mapped, the pages of event sets have none:
 *
 *   base                base + PAGE_SIZE
 *   |  ...  | private   | buffer, mapped read-only              |
 *           PFM_FMT_PRIV_SIZE
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "buffer.h"
#include "compat.h"
#include "config.h"

static atomic_long_t pfm_smpl_buf_size = ATOMIC_LONG_INIT(0);

/**
 * struct pfm_mapping - a process that has mapped a buffer
 * @list: in pfm_buffer.mappings
 * @mm:   its address space; compared, never used
 * @vmas: areas there; more than one after a partial munmap()
 */
struct pfm_mapping {
	struct list_head	list;
	struct mm_struct	*mm;
	unsigned int		vmas;
};

/**
 * struct pfm_buffer - a buffer
 * @base:     what was allocated, @front pages and @size bytes
 * @front:    pages in front that are not mapped
 * @size:     size of the mapping in bytes, whole pages
 * @user:     user that is charged
 * @mm:       address space that is charged
 * @lock:     protects @mappings
 * @mappings: who has mapped it
 */
struct pfm_buffer {
	void			*base;
	unsigned int		front;
	size_t			size;
	struct user_struct	*user;
	struct mm_struct	*mm;
	struct mutex		lock;
	struct list_head	mappings;
};

static unsigned long pfm_buffer_pages(const struct pfm_buffer *b)
{
	return (b->size >> PAGE_SHIFT) + b->front;
}

static int pfm_charge_global(size_t size)
{
	long total = atomic_long_add_return(size, &pfm_smpl_buf_size);

	if ((unsigned long)total <= READ_ONCE(pfm_config.smpl_buf_size_max))
		return 0;
	atomic_long_sub(size, &pfm_smpl_buf_size);
	return -ENOMEM;
}

static void pfm_uncharge_user(struct pfm_buffer *b)
{
	atomic_long_sub(pfm_buffer_pages(b), &b->user->locked_vm);
	free_uid(b->user);
}

/* RLIMIT_MEMLOCK is for all processes of a user together, as it is for perf. */
static int pfm_charge_user(struct pfm_buffer *b)
{
	unsigned long total, max = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;

	b->user = get_uid(current_user());
	total = atomic_long_add_return(pfm_buffer_pages(b),
				       &b->user->locked_vm);
	if (total <= max || capable(CAP_IPC_LOCK))
		return 0;
	pfm_uncharge_user(b);
	return -ENOMEM;
}

/* And for each process, with the memory that it has locked itself. */
static int pfm_charge_process(struct pfm_buffer *b)
{
	int ret = account_locked_vm(current->mm, pfm_buffer_pages(b), true);

	if (ret)
		return ret;
	b->mm = current->mm;
	if (b->mm)
		mmgrab(b->mm);
	return 0;
}

/* Charge before allocating. */
static int pfm_charge(struct pfm_buffer *b)
{
	int ret = pfm_charge_global(b->size);

	if (ret)
		return ret;
	ret = pfm_charge_user(b);
	if (ret)
		goto err_global;
	ret = pfm_charge_process(b);
	if (ret)
		goto err_user;
	return 0;
err_user:
	pfm_uncharge_user(b);
err_global:
	atomic_long_sub(b->size, &pfm_smpl_buf_size);
	return ret;
}

static void pfm_uncharge(struct pfm_buffer *b)
{
	account_locked_vm(b->mm, pfm_buffer_pages(b), false);
	if (b->mm)
		mmdrop(b->mm);
	pfm_uncharge_user(b);
	atomic_long_sub(b->size, &pfm_smpl_buf_size);
}

static void pfm_buffer_free(struct pfm_buffer *b)
{
	pfm_uncharge(b);
	vfree(b->base);
	kfree(b);
}

static int pfm_buffer_release(struct inode *inode, struct file *file)
{
	pfm_buffer_free(file->private_data);
	return 0;
}

static const struct file_operations pfm_buffer_fops = {
	.owner		= THIS_MODULE,
	.release	= pfm_buffer_release,
};

static int pfm_buffer_alloc(size_t size, unsigned int front,
			    struct pfm_buffer **buffer)
{
	struct pfm_buffer *b;
	int ret;

	/* Far above any limit; what follows cannot overflow. */
	if (size > LONG_MAX / 2)
		return -ENOMEM;
	b = kzalloc(sizeof(*b), GFP_KERNEL_ACCOUNT);
	if (!b)
		return -ENOMEM;
	b->size = PAGE_ALIGN(size);
	b->front = front;
	mutex_init(&b->lock);
	INIT_LIST_HEAD(&b->mappings);
	ret = pfm_charge(b);
	if (ret)
		goto err_free;
	b->base = vmalloc_user(b->size + front * PAGE_SIZE);
	if (!b->base) {
		pfm_uncharge(b);
		ret = -ENOMEM;
		goto err_free;
	}
	*buffer = b;
	return 0;
err_free:
	kfree(b);
	return ret;
}

int pfm_buffer_create(size_t size, unsigned int front, struct file **file,
		      void **buf, size_t *buf_size)
{
	struct pfm_buffer *b;
	struct file *f;
	int ret;

	ret = pfm_buffer_alloc(size, front, &b);
	if (ret)
		return ret;
	f = anon_inode_getfile("[perfmon-buffer]", &pfm_buffer_fops, b,
			       O_RDONLY);
	if (IS_ERR(f)) {
		pfm_buffer_free(b);
		return PTR_ERR(f);
	}
	*file = f;
	*buf = b->base + front * PAGE_SIZE;
	*buf_size = b->size;
	return 0;
}

static struct pfm_mapping *pfm_mapping_find(struct pfm_buffer *b,
					    const struct mm_struct *mm)
{
	struct pfm_mapping *m;

	lockdep_assert_held(&b->lock);
	list_for_each_entry(m, &b->mappings, list)
		if (m->mm == mm)
			return m;
	return NULL;
}

/*
 * fork() and partial munmap() make areas too. Without memory for the note, the
 * process may map the buffer once more than it should: harmless.
 */
static void pfm_vma_open(struct vm_area_struct *vma)
{
	struct pfm_buffer *b = vma->vm_file->private_data;
	struct pfm_mapping *m;

	mutex_lock(&b->lock);
	m = pfm_mapping_find(b, vma->vm_mm);
	if (!m) {
		m = kzalloc(sizeof(*m), GFP_KERNEL);
		if (m) {
			m->mm = vma->vm_mm;
			list_add(&m->list, &b->mappings);
		}
	}
	if (m)
		m->vmas++;
	mutex_unlock(&b->lock);
}

static void pfm_vma_close(struct vm_area_struct *vma)
{
	struct pfm_buffer *b = vma->vm_file->private_data;
	struct pfm_mapping *m;

	mutex_lock(&b->lock);
	m = pfm_mapping_find(b, vma->vm_mm);
	if (m && !--m->vmas) {
		list_del(&m->list);
		kfree(m);
	}
	mutex_unlock(&b->lock);
}

static const struct vm_operations_struct pfm_vm_ops = {
	.open	= pfm_vma_open,
	.close	= pfm_vma_close,
};

/* The whole buffer, shared, readable and nothing else (3.5.4). */
static bool pfm_vma_is_legal(const struct pfm_buffer *b,
			     const struct vm_area_struct *vma)
{
	const unsigned long must = VM_READ | VM_SHARED;
	const unsigned long may_not = VM_WRITE | VM_EXEC | VM_LOCKED |
				      VM_GROWSDOWN;

	return vma->vm_end - vma->vm_start == b->size &&
	       (vma->vm_flags & must) == must && !(vma->vm_flags & may_not);
}

int pfm_buffer_mmap(struct file *buffer, struct vm_area_struct *vma)
{
	struct pfm_buffer *b = buffer->private_data;
	bool mapped;
	int ret;

	mmap_assert_write_locked(vma->vm_mm);
	if (!pfm_vma_is_legal(b, vma))
		return -EINVAL;
	mutex_lock(&b->lock);
	mapped = pfm_mapping_find(b, vma->vm_mm);
	mutex_unlock(&b->lock);
	if (mapped)
		return -EBUSY;
	/* Nor may it ever become writable or executable. */
	vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
	/* Sets VM_DONTEXPAND and VM_DONTDUMP; inherited by fork(). */
	ret = remap_vmalloc_range(vma, b->base, b->front);
	if (ret)
		return ret;
	vma_set_file(vma, buffer);
	vma->vm_ops = &pfm_vm_ops;
	pfm_vma_open(vma);
	return 0;
}
