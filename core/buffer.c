// SPDX-License-Identifier: GPL-2.0
/*
 * buffer.c - mapped memory: allocation, limit, mapping (3.5.4, 4.4.3)
 *
 * A buffer is held by its context and by each area (VMA) that maps it, and is
 * freed with the last of them. Areas refer to a file of their own, not to the
 * context's, because the context must be able to go away before its areas. When
 * a process closes its last descriptor, its areas become inaccessible, and drop
 * their references to the buffer. They are not unmapped, because the process
 * might be mapping something else at their address at the same time.
 *
 * A sampling buffer has one page, the front, that user space cannot map. It
 * precedes the pages that user space can map (a buffer with the page of an
 * event set has no front):
 *
 *   base                base + PAGE_SIZE
 *   |  ...  | front     | buffer, mapped read-only              |
 *           struct pfm_fmt_front
 *
 * A format can also request private memory of any size, the private area. User
 * space cannot map it. It is allocated, charged and freed with the buffer, but
 * is a separate allocation, so that the kernel maps nothing behind it: a write
 * beyond its last page causes an oops, and KASAN detects a write even one byte
 * beyond its end.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/personality.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "buffer.h"
#include "charge.h"
#include "compat.h"
#include "config.h"
#include "context.h"

static atomic_long_t pfm_smpl_buf_size = ATOMIC_LONG_INIT(0);

/**
 * struct pfm_buffer - a buffer
 * @ref:      one reference held by the context, and one by each area that maps
 *            it
 * @base: the allocation: @front pages, then @size bytes
 * @front:    number of pages in front that are not mapped
 * @size:     size of the mapping in bytes, whole pages
 * @area:     private area, or NULL
 * @area_size: its size in bytes
 * @charge:   memlock accounting of @base and @area
 */
struct pfm_buffer {
	struct kref		ref;
	void			*base;
	unsigned int		front;
	size_t			size;
	void			*area;
	size_t			area_size;
	struct pfm_charge	charge;
};

static size_t pfm_front_bytes(const struct pfm_buffer *b)
{
	return b->front * PAGE_SIZE;
}

/*
 * Get the number of bytes that count against smpl_buf_size_max: those of the
 * buffer and of its private area.
 */
static size_t pfm_buffer_bytes(const struct pfm_buffer *b)
{
	return b->size + PAGE_ALIGN(b->area_size);
}

static bool pfm_buffer_charge(struct pfm_buffer *b)
{
	size_t bytes = pfm_buffer_bytes(b);

	if (!pfm_charge_within(&pfm_smpl_buf_size, bytes,
			       READ_ONCE(pfm_config.smpl_buf_size_max)))
		return false;
	pfm_charge_begin(&b->charge);
	if (pfm_charge_more(&b->charge, bytes + pfm_front_bytes(b)))
		return true;
	pfm_charge_end(&b->charge);
	atomic_long_sub(bytes, &pfm_smpl_buf_size);
	return false;
}

static void pfm_buffer_uncharge(struct pfm_buffer *b)
{
	pfm_charge_end(&b->charge);
	atomic_long_sub(pfm_buffer_bytes(b), &pfm_smpl_buf_size);
}

static void pfm_pages_free(struct page **pages, size_t n)
{
	while (n)
		__free_page(pages[--n]);
	kvfree(pages);
}

/*
 * Allocate memory page by page; vfree() frees it. After a failure all pages
 * must be free on return, so __vmalloc() is not suitable: on 7.3 a work item
 * frees what a failing __vmalloc() has allocated. Until it has run, page faults
 * in the control group invoke the OOM killer.
 */
static void *pfm_buffer_alloc(size_t size)
{
	size_t n = size >> PAGE_SHIFT, i;
	struct page **pages;
	void *base;

	if (n > totalram_pages())
		return NULL;
	pages = kvmalloc_array(n, sizeof(*pages), PFM_GFP);
	if (!pages)
		return NULL;
	for (i = 0; i < n; i++) {
		/* A task that is being killed must not take more memory. */
		if (fatal_signal_pending(current))
			goto err;
		pages[i] = alloc_page(PFM_GFP | __GFP_ZERO);
		if (!pages[i])
			goto err;
		cond_resched();
	}
	base = vmap(pages, n, VM_MAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);
	if (base)
		return base;
err:
	pfm_pages_free(pages, i);
	return NULL;
}

/*
 * Allocate a private area. With KASAN use __vmalloc(): KASAN detects every
 * access beyond the end of such an area, but with vmap() only accesses beyond
 * its last page.
 */
static void *pfm_private_alloc(size_t size)
{
	if (IS_ENABLED(CONFIG_KASAN_VMALLOC))
		return __vmalloc(size, PFM_GFP | __GFP_ZERO);
	return pfm_buffer_alloc(PAGE_ALIGN(size));
}

struct pfm_buffer *pfm_buffer_create(size_t size, unsigned int front,
				     size_t area)
{
	struct pfm_buffer *b;

	/*
	 * Reject sizes far above any limit, so that the sums below cannot
	 * overflow.
	 */
	if (size > LONG_MAX / 2 || area > LONG_MAX / 2 - size)
		return NULL;
	b = kzalloc(sizeof(*b), PFM_GFP);
	if (!b)
		return NULL;
	kref_init(&b->ref);
	b->size = PAGE_ALIGN(size);
	b->front = front;
	b->area_size = area;
	if (!pfm_buffer_charge(b))
		goto err_charge;
	b->base = pfm_buffer_alloc(b->size + pfm_front_bytes(b));
	if (!b->base)
		goto err_alloc;
	if (!area)
		return b;
	b->area = pfm_private_alloc(area);
	if (!b->area)
		goto err_area;
	return b;
err_area:
	vfree(b->base);
err_alloc:
	pfm_buffer_uncharge(b);
err_charge:
	kfree(b);
	return NULL;
}

static void pfm_buffer_free(struct kref *ref)
{
	struct pfm_buffer *b = container_of(ref, struct pfm_buffer, ref);

	vfree(b->area);
	vfree(b->base);
	pfm_buffer_uncharge(b);
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
	return b->base + pfm_front_bytes(b);
}

void *pfm_buffer_area(const struct pfm_buffer *b)
{
	return b->area;
}

size_t pfm_buffer_size(const struct pfm_buffer *b)
{
	return b->size;
}

/*
 * Release the file of an area. The file has references to this module and to
 * the structure of the context, so that the address of the context is not
 * reused while the file exists.
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

/* Take a reference. fork() and a partial munmap() create areas, too. */
static void pfm_vma_open(struct vm_area_struct *vma)
{
	struct pfm_buffer *b = vma->vm_private_data;

	if (!b)
		return;
	pfm_buffer_get(b);
	atomic_inc(&pfm_area_context(vma)->areas);
}

/* Drop the area's reference: the area no longer shows the buffer. */
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
 * Check that the area maps the whole buffer, shared and read-only (3.5.4).
 * Flags that the process has set for all its mappings are ignored.
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
 * Prevent the area from becoming writable or executable later. mlock() skips
 * areas with VM_DONTEXPAND.
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

/* Make the area inaccessible, as with PROT_NONE. */
static void pfm_vma_remove(struct vm_area_struct *vma)
{
	zap_vma(vma);
	vm_flags_mod(vma, 0, VM_READ | VM_MAYREAD);
	vma->vm_page_prot = vm_get_page_prot(vma->vm_flags);
	pfm_vma_close(vma);
}

void pfm_buffer_unmap_all(const struct pfm_context *ctx)
{
	VMA_ITERATOR(vmi, current->mm, 0);
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;

	/* When a process is killed, its areas are removed anyway. */
	if (mmap_write_lock_killable(mm))
		return;
	for_each_vma(vmi, vma)
		if (vma->vm_ops == &pfm_vm_ops && vma->vm_private_data &&
		    pfm_area_context(vma) == ctx)
			pfm_vma_remove(vma);
	mmap_write_unlock(mm);
}
