/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat.h - differences between the supported kernels (6.1 to 7.3)
 *
 * The only file of the core that tests the kernel version. The other files are
 * written for 7.3 and use the pfm_ wrappers defined here.
 */
#ifndef PFM_CORE_COMPAT_H
#define PFM_CORE_COMPAT_H

#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/sysfs.h>
#include <linux/task_work.h>
#include <linux/version.h>

/* perfmon is not tested on PREEMPT_RT kernels before 6.12. */
#if defined(CONFIG_PREEMPT_RT) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#error "perfmon cannot be built for PREEMPT_RT kernels before 6.12"
#endif

/* vm_flags_mod() exists since commit 1c71222e5f23 ("mm: replace vma->vm_flags
 * direct modifications with modifier calls"), in 6.3.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set,
				vm_flags_t clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

/* zap_page_range() became zap_vma_pages() in 6.3 (commit e9adcfecf572 ("mm:
 * remove zap_page_range and create zap_vma_pages")), and zap_vma() in 7.1.
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

/* mm_get_unmapped_area() exists since commit 529ce23a764f ("mm: switch
 * mm->get_unmapped_area() to a flag"), in 6.10. Commit 9ac09bb9feac, in 6.19,
 * removes its first argument.
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

/* kthread_run_worker() was called kthread_create_worker() until commit
 * b04e317b5226 ("treewide: Introduce kthread_run_worker[_on_cpu]()"), in 6.14.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define kthread_run_worker(flags, ...)				\
	kthread_create_worker(flags, __VA_ARGS__)
#endif

/* Before commit d40797d6720e ("kasan: make kasan_record_aux_stack_noalloc() the
 * default behaviour"), in 6.14, task_work_add() allocates memory if KASAN is
 * on. PREEMPT_RT forbids allocations where interrupts are off. TWAF_NO_ALLOC,
 * which prevents this one, exists since commit 73ab05aa46b0 ("sched/core:
 * Disable page allocation in task_tick_mm_cid()"), in 6.12.
 */
static inline int pfm_task_work_add(struct task_struct *task,
				    struct callback_head *work,
				    enum task_work_notify_mode notify)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0) && \
	LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
	notify |= TWAF_NO_ALLOC;
#endif
	return task_work_add(task, work, notify);
}

/* The attribute argument of a binary file's call-backs is const since 6.16. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
typedef struct bin_attribute pfm_bin_attr_t;
#else
typedef const struct bin_attribute pfm_bin_attr_t;
#endif

/*
 * pfm_is_dumpable(): may a caller with the thread's user and group IDs monitor
 * the thread? pfm_dump_ns(): the user namespace in which other callers need a
 * capability.
 * The caller holds rcu_read_lock() and a reference to the thread's mm. Since
 * 7.2 both properties belong to the thread (task->exec_state), not to its mm.
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

/* PF_USER_WORKER exists since commit 54e6842d0775 ("fork/vm: Move common
 * PF_IO_WORKER behavior to new flag"), in 6.4.
 */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER	0
#endif

/* Since 6.16 the probe of sched_process_exit has an argument that tells whether
 * the process ends.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define PFM_PROBE_EXIT_ARGS	void *unused, struct task_struct *task
#else
#define PFM_PROBE_EXIT_ARGS	void *unused, struct task_struct *task, \
				bool group_dead
#endif

#endif /* PFM_CORE_COMPAT_H */
