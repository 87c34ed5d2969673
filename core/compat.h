/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat.h - what differs between the kernels we run on (6.1 and 6.12)
 *
 * The only file that tests a kernel version; all others are written for 6.12.
 */
#ifndef PFM_CORE_COMPAT_H
#define PFM_CORE_COMPAT_H

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/version.h>

/*
 * There, interrupts by irq_work are threads, which an overflow may interrupt
 * and a command wait for with interrupts off.
 */
#ifdef CONFIG_PREEMPT_RT
#error "perfmon cannot be built for PREEMPT_RT kernels"
#endif

/* commit 1c71222e5f23 ("mm: replace vma->vm_flags direct modifications with
 * modifier calls"), in 6.3
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set,
				vm_flags_t clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

/* commit e9adcfecf572 ("mm: remove zap_page_range and create zap_vma_pages"),
 * in 6.3
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void zap_vma_pages(struct vm_area_struct *vma)
{
	zap_page_range(vma, vma->vm_start, vma->vm_end - vma->vm_start);
}
#endif

/* commit 529ce23a764f ("mm: switch mm->get_unmapped_area() to a flag"), in
 * 6.10
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
static inline unsigned long
mm_get_unmapped_area(struct mm_struct *mm, struct file *file,
		     unsigned long addr, unsigned long len,
		     unsigned long pgoff, unsigned long flags)
{
	return mm->get_unmapped_area(file, addr, len, pgoff, flags);
}
#endif

/* commit 54e6842d0775 ("fork/vm: Move common PF_IO_WORKER behavior to new
 * flag"), in 6.4
 */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER	0
#endif

#endif /* PFM_CORE_COMPAT_H */
