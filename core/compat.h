/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat.h - what differs between the kernels we run on (6.1 to 7.3)
 *
 * The only file that tests a kernel version; all others are written for 7.3,
 * but for what is called pfm_ here.
 */
#ifndef PFM_CORE_COMPAT_H
#define PFM_CORE_COMPAT_H

#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/sysfs.h>
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

/* zap_page_range() until commit e9adcfecf572 ("mm: remove zap_page_range and
 * create zap_vma_pages"), in 6.3; zap_vma() since 7.1
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void zap_vma(struct vm_area_struct *vma)
{
	zap_page_range(vma, vma->vm_start, vma->vm_end - vma->vm_start);
}
#elif LINUX_VERSION_CODE < KERNEL_VERSION(7, 1, 0)
static inline void zap_vma(struct vm_area_struct *vma)
{
	zap_vma_pages(vma);
}
#endif

/* commit 529ce23a764f ("mm: switch mm->get_unmapped_area() to a flag"), in
 * 6.10; commit 9ac09bb9feac, in 6.19, takes the first argument away
 */
static inline unsigned long
pfm_get_unmapped_area(struct file *file, unsigned long addr, unsigned long len,
		      unsigned long pgoff, unsigned long flags)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
	return current->mm->get_unmapped_area(file, addr, len, pgoff, flags);
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)
	return mm_get_unmapped_area(current->mm, file, addr, len, pgoff,
				    flags);
#else
	return mm_get_unmapped_area(file, addr, len, pgoff, flags);
#endif
}

/* What the call-backs of an attribute get is constant since 6.16. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
typedef struct bin_attribute pfm_bin_attr_t;
#else
typedef const struct bin_attribute pfm_bin_attr_t;
#endif

/*
 * Whether whoever has a thread's ids may watch it, and the name space in which
 * others need a capability. The caller holds rcu_read_lock() and a reference
 * to the thread's memory. Since 7.2 both are the thread's (task->exec_state)
 * and no more its memory's.
 */
#ifdef SUID_DUMP_USER
static inline bool pfm_is_dumpable(const struct task_struct *task,
				   const struct mm_struct *mm)
{
	return get_dumpable((struct mm_struct *)mm) == SUID_DUMP_USER;
}

static inline struct user_namespace *
pfm_dump_ns(const struct task_struct *task, const struct mm_struct *mm)
{
	return mm->user_ns;
}
#else
#include <linux/sched/exec_state.h>

static inline bool pfm_is_dumpable(const struct task_struct *task,
				   const struct mm_struct *mm)
{
	return READ_ONCE(rcu_dereference(task->exec_state)->dumpable) ==
	       TASK_DUMPABLE_OWNER;
}

static inline struct user_namespace *
pfm_dump_ns(const struct task_struct *task, const struct mm_struct *mm)
{
	return rcu_dereference(task->exec_state)->user_ns;
}
#endif

/* commit 54e6842d0775 ("fork/vm: Move common PF_IO_WORKER behavior to new
 * flag"), in 6.4
 */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER	0
#endif

/* commit 128ea9f6ccfb ("workqueue: Add system_percpu_wq and system_dfl_wq"), in
 * 6.17
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define system_dfl_wq	system_unbound_wq
#endif

/* The probe of sched_process_exit is also told, since 6.16, whether its process
 * ends.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define PFM_PROBE_EXIT_ARGS	void *unused, struct task_struct *task
#else
#define PFM_PROBE_EXIT_ARGS	void *unused, struct task_struct *task, \
				bool group_dead
#endif

#endif /* PFM_CORE_COMPAT_H */
