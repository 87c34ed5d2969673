// SPDX-License-Identifier: GPL-2.0
/*
 * buffer.c - memory that is mapped: allocation, accounting, mapping (3.5.4,
 *	      4.4.3)
 *
 * A buffer is held by its context and by every area of a process that shows
 * it: it goes when all of them have gone. Areas have a file of their own, not
 * the context's, which must be able to go before them. When a process closes
 * its last descriptor, its areas show the buffer no more: nothing can be read
 * there until munmap(). To unmap them is left to the process, which may be
 * about to map something else there.
 *
 * Sampling buffers have a page in front that is not mapped, the pages of event
 * sets have none:
 *
 *   base                base + PAGE_SIZE
 *   |  ...  | private   | buffer, mapped read-only              |
 *           PFM_FMT_PRIV_SIZE
 *
 * Charging takes no lock: a process that keeps its mmap_lock keeps nobody
 * waiting but itself.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/personality.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "buffer.h"
#include "compat.h"
#include "config.h"
#include "context.h"

static atomic_long_t pfm_smpl_buf_size = ATOMIC_LONG_INIT(0);

/**
 * struct pfm_buffer - a buffer
 * @ref:      the context's, and one of each area that shows it
 * @base:     what was allocated, @front pages and @size bytes
 * @front:    pages in front that are not mapped
 * @size:     size of the mapping in bytes, whole pages
 * @user:     user that is charged
 * @mm:       address space that is charged, or NULL
 */
struct pfm_buffer {
	struct kref		ref;
	void			*base;
	unsigned int		front;
	size_t			size;
	struct user_struct	*user;
	struct mm_struct	*mm;
};

static size_t pfm_buffer_bytes(const struct pfm_buffer *b)
{
	return b->size + b->front * PAGE_SIZE;
}

/* Charge @n more, unless that makes it more than @max. */
static bool pfm_charge_within(atomic_long_t *used, unsigned long n,
			      unsigned long max)
{
	long old = atomic_long_read(used);

	do {
		if (n > max || (unsigned long)old > max - n)
			return false;
	} while (!atomic_long_try_cmpxchg(used, &old, old + n));
	return true;
}

/* The same, within RLIMIT_MEMLOCK, of which @taken pages are not in @used. */
static bool pfm_charge_locked(atomic_long_t *used, unsigned long pages,
			      unsigned long taken)
{
	unsigned long max = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;

	if (taken <= max && pfm_charge_within(used, pages, max - taken))
		return true;
	return capable(CAP_IPC_LOCK) &&
	       pfm_charge_within(used, pages, LONG_MAX);
}

/* RLIMIT_MEMLOCK is for all processes of a user together, as it is for perf. */
static bool pfm_charge_user(struct pfm_buffer *b, unsigned long pages)
{
	struct user_struct *user = current_user();

	if (!pfm_charge_locked(&user->locked_vm, pages, 0))
		return false;
	b->user = get_uid(user);
	return true;
}

static void pfm_uncharge_user(struct pfm_buffer *b, unsigned long pages)
{
	atomic_long_sub(pages, &b->user->locked_vm);
	free_uid(b->user);
}

/* And for each process, with the memory that it has locked itself. */
static bool pfm_charge_process(struct pfm_buffer *b, unsigned long pages)
{
	struct mm_struct *mm = current->mm;

	if (!mm)
		return true;
	if (!pfm_charge_locked(&mm->pinned_vm, pages, READ_ONCE(mm->locked_vm)))
		return false;
	mmgrab(mm);
	b->mm = mm;
	return true;
}

static void pfm_uncharge_process(struct pfm_buffer *b, unsigned long pages)
{
	if (!b->mm)
		return;
	atomic64_sub(pages, &b->mm->pinned_vm);
	mmdrop(b->mm);
}

static bool pfm_charge(struct pfm_buffer *b)
{
	unsigned long pages = pfm_buffer_bytes(b) >> PAGE_SHIFT;

	if (!pfm_charge_within(&pfm_smpl_buf_size, b->size,
			       READ_ONCE(pfm_config.smpl_buf_size_max)))
		return false;
	if (!pfm_charge_user(b, pages))
		goto err_user;
	if (!pfm_charge_process(b, pages))
		goto err_process;
	return true;
err_process:
	pfm_uncharge_user(b, pages);
err_user:
	atomic_long_sub(b->size, &pfm_smpl_buf_size);
	return false;
}

static void pfm_uncharge(struct pfm_buffer *b)
{
	unsigned long pages = pfm_buffer_bytes(b) >> PAGE_SHIFT;

	pfm_uncharge_process(b, pages);
	pfm_uncharge_user(b, pages);
	atomic_long_sub(b->size, &pfm_smpl_buf_size);
}

struct pfm_buffer *pfm_buffer_create(size_t size, unsigned int front)
{
	struct pfm_buffer *b;

	/* Far above any limit; what follows cannot overflow. */
	if (size > LONG_MAX / 2)
		return NULL;
	b = kzalloc(sizeof(*b), GFP_KERNEL_ACCOUNT);
	if (!b)
		return NULL;
	kref_init(&b->ref);
	b->size = PAGE_ALIGN(size);
	b->front = front;
	/* Charge before allocating. */
	if (!pfm_charge(b))
		goto err_charge;
	b->base = __vmalloc(pfm_buffer_bytes(b),
			    GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!b->base)
		goto err_alloc;
	return b;
err_alloc:
	pfm_uncharge(b);
err_charge:
	kfree(b);
	return NULL;
}

static void pfm_buffer_free(struct kref *ref)
{
	struct pfm_buffer *b = container_of(ref, struct pfm_buffer, ref);

	vfree(b->base);
	pfm_uncharge(b);
	kfree(b);
}

struct pfm_buffer *pfm_buffer_get(struct pfm_buffer *b)
{
	kref_get(&b->ref);
	return b;
}

void pfm_buffer_put(struct pfm_buffer *b)
{
	kref_put(&b->ref, pfm_buffer_free);
}

void *pfm_buffer_start(const struct pfm_buffer *b)
{
	return b->base + b->front * PAGE_SIZE;
}

size_t pfm_buffer_size(const struct pfm_buffer *b)
{
	return b->size;
}

/*
 * The file of areas. It holds this module, and the structure of the context:
 * no other context has its address meanwhile.
 */
static int pfm_area_release(struct inode *inode, struct file *file)
{
	pfm_context_put(file->private_data);
	return 0;
}

static const struct file_operations pfm_area_fops = {
	.owner		= THIS_MODULE,
	.release	= pfm_area_release,
};

static struct file *pfm_area_file(struct pfm_context *ctx)
{
	struct file *file = anon_inode_getfile("[perfmon-buffer]",
					       &pfm_area_fops, ctx, O_RDONLY);

	if (!IS_ERR(file))
		kref_get(&ctx->ref);
	return file;
}

static struct pfm_context *pfm_area_context(const struct vm_area_struct *vma)
{
	return vma->vm_file->private_data;
}

/* fork() and partial munmap() make areas too. */
static void pfm_vma_open(struct vm_area_struct *vma)
{
	struct pfm_buffer *b = vma->vm_private_data;

	if (!b)
		return;
	pfm_buffer_get(b);
	atomic_inc(&pfm_area_context(vma)->areas);
}

/* It shows the buffer no more. */
static void pfm_vma_close(struct vm_area_struct *vma)
{
	struct pfm_buffer *b = vma->vm_private_data;

	if (!b)
		return;
	vma->vm_private_data = NULL;
	atomic_dec(&pfm_area_context(vma)->areas);
	pfm_buffer_put(b);
}

static const struct vm_operations_struct pfm_vm_ops = {
	.open	= pfm_vma_open,
	.close	= pfm_vma_close,
};

static bool pfm_is_mapped(const struct pfm_buffer *b, struct mm_struct *mm)
{
	VMA_ITERATOR(vmi, mm, 0);
	struct vm_area_struct *vma;

	for_each_vma(vmi, vma)
		if (vma->vm_ops == &pfm_vm_ops && vma->vm_private_data == b)
			return true;
	return false;
}

/*
 * The whole buffer, shared, readable and nothing else (3.5.4). What a process
 * wants for all its mappings is not asked for here, and has no effect.
 */
static bool pfm_vma_is_legal(const struct pfm_buffer *b,
			     const struct vm_area_struct *vma)
{
	const unsigned long must = VM_READ | VM_SHARED;
	unsigned long may_not = VM_WRITE | VM_EXEC | VM_LOCKED | VM_GROWSDOWN;

	if (current->personality & READ_IMPLIES_EXEC)
		may_not &= ~VM_EXEC;
	if (vma->vm_mm->def_flags & VM_LOCKED)
		may_not &= ~VM_LOCKED;
	return vma->vm_end - vma->vm_start == b->size &&
	       (vma->vm_flags & must) == must && !(vma->vm_flags & may_not);
}

/*
 * Nor may it ever become writable or executable. An area that cannot grow is
 * never locked.
 */
static void pfm_vma_restrict(struct vm_area_struct *vma)
{
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP,
		     VM_EXEC | VM_MAYEXEC | VM_MAYWRITE);
	vma->vm_page_prot = vm_get_page_prot(vma->vm_flags);
}

static int pfm_vma_fill(struct vm_area_struct *vma, const struct pfm_buffer *b)
{
	const void *from = pfm_buffer_start(b);
	unsigned long at;
	int ret = 0;

	for (at = vma->vm_start; at < vma->vm_end && !ret; at += PAGE_SIZE) {
		ret = vm_insert_page(vma, at, vmalloc_to_page(from));
		from += PAGE_SIZE;
	}
	return ret;
}

int pfm_buffer_mmap(struct pfm_context *ctx, struct pfm_buffer *b,
		    struct vm_area_struct *vma)
{
	struct file *file;
	int ret;

	mmap_assert_write_locked(vma->vm_mm);
	if (!pfm_vma_is_legal(b, vma))
		return -EINVAL;
	if (pfm_is_mapped(b, vma->vm_mm))
		return -EBUSY;
	pfm_vma_restrict(vma);
	ret = pfm_vma_fill(vma, b);
	if (ret)
		return ret;
	file = pfm_area_file(ctx);
	if (IS_ERR(file))
		return PTR_ERR(file);
	vma_set_file(vma, file);
	fput(file);
	vma->vm_ops = &pfm_vm_ops;
	vma->vm_private_data = b;
	pfm_vma_open(vma);
	return 0;
}

/* Nothing can be read there any more, as with PROT_NONE. */
static void pfm_vma_remove(struct vm_area_struct *vma)
{
	zap_vma_pages(vma);
	vm_flags_mod(vma, 0, VM_READ | VM_MAYREAD);
	vma->vm_page_prot = vm_get_page_prot(vma->vm_flags);
	pfm_vma_close(vma);
}

void pfm_buffer_unmap_all(const struct pfm_context *ctx)
{
	VMA_ITERATOR(vmi, current->mm, 0);
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;

	/* What is killed loses its areas without us. */
	if (mmap_write_lock_killable(mm))
		return;
	for_each_vma(vmi, vma)
		if (vma->vm_ops == &pfm_vm_ops && vma->vm_private_data &&
		    pfm_area_context(vma) == ctx)
			pfm_vma_remove(vma);
	mmap_write_unlock(mm);
}
