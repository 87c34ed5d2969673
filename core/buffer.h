/* SPDX-License-Identifier: GPL-2.0 */
/*
 * buffer.h - memory that is mapped: allocation, accounting, mapping
 */
#ifndef PFM_CORE_BUFFER_H
#define PFM_CORE_BUFFER_H

#include <linux/types.h>

struct file;
struct vm_area_struct;

/**
 * pfm_buffer_create() - allocate a zeroed buffer, and charge the caller for it
 * @size:     size in bytes, not 0
 * @front:    pages in front of it that are not mapped, few
 * @file:     out: the buffer; fput() gives it up
 * @buf:      out: its first byte
 * @buf_size: out: size of its mapping, @size rounded up to pages
 *
 * Context: process, may sleep.
 * Return: 0; -ENOMEM if it exceeds a limit or there is no memory.
 */
int pfm_buffer_create(size_t size, unsigned int front, struct file **file,
		      void **buf, size_t *buf_size);

/**
 * pfm_buffer_mmap() - map a buffer into a process
 * @buffer: the buffer that is at the mapping's offset
 * @vma:    where
 *
 * Context: process, mmap_lock held.
 * Return: 0; -EINVAL if the mapping breaks a rule of 3.5.4; -EBUSY if the
 * process has mapped it already; -ENOMEM.
 */
int pfm_buffer_mmap(struct file *buffer, struct vm_area_struct *vma);

#endif /* PFM_CORE_BUFFER_H */
