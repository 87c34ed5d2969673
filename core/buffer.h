/* SPDX-License-Identifier: GPL-2.0 */
/*
 * buffer.h - mapped memory: allocation, accounting, mapping
 */
#ifndef PFM_CORE_BUFFER_H
#define PFM_CORE_BUFFER_H

#include <linux/types.h>

struct pfm_buffer;
struct pfm_context;
struct vm_area_struct;

/**
 * pfm_buffer_create() - Allocate a zeroed buffer and charge the caller for it
 * @size:  size in bytes, not 0
 * @front: number of pages, 0 or 1, that precede the mapping and are not part of
 *         it
 * @area:  size in bytes of a private area that is zeroed, charged and freed
 *         together with the buffer; 0 for none
 *
 * Context: process, may sleep; takes no lock that others can hold for long.
 * Return: the buffer, which the caller must put; NULL if it exceeds a limit or
 * memory is short.
 */
struct pfm_buffer *pfm_buffer_create(size_t size, unsigned int front,
				     size_t area);

/* Take or drop a reference. Context: process, may sleep. */
struct pfm_buffer *pfm_buffer_get(struct pfm_buffer *b);
void pfm_buffer_put(struct pfm_buffer *b);

/* Get the first byte, and the size in bytes (whole pages), of the mapping. */
void *pfm_buffer_start(const struct pfm_buffer *b);
size_t pfm_buffer_size(const struct pfm_buffer *b);
/* Get the private area, or NULL. */
void *pfm_buffer_area(const struct pfm_buffer *b);

/**
 * pfm_buffer_mmap() - Map a buffer into a process
 * @ctx: the buffer's context
 * @b:   the buffer at the mapping's offset
 * @vma: the area
 *
 * Context: process, mmap_lock held.
 * Return: 0; -EINVAL if the mapping breaks a rule of 3.5.4; -EBUSY if the
 * process has already mapped the buffer; -ENOMEM.
 */
int pfm_buffer_mmap(struct pfm_context *ctx, struct pfm_buffer *b,
		    struct vm_area_struct *vma);

/*
 * Remove all mappings of a context from the calling process, which must have an
 * mm. Context: process, mmap_lock not held, may sleep.
 */
void pfm_buffer_unmap_all(const struct pfm_context *ctx);

#endif /* PFM_CORE_BUFFER_H */
