/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The registers with which the current thread entered the kernel
 *
 * An NMI may arrive while the kernel is saving these registers. Until then the
 * place for them has those of an earlier entry. The stack may have changed
 * since then, so a chain that began at old registers could have callers of both
 * moments and still look complete.
 */
#ifndef PERFMON_PERFMON_USER_REGS_H
#define PERFMON_PERFMON_USER_REGS_H

#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)

#include <asm/pgtable.h>

/*
 * While the kernel saves or restores @user, its stack pointer is still or again
 * that of user space, or on a stack in the CPU entry area, or in @user.
 */
static inline bool pfm_user_regs_are_saved(const struct pt_regs *user,
					   const struct pt_regs *kernel)
{
	long sp = kernel->sp;

	return sp < 0 && sp >> P4D_SHIFT != (long)CPU_ENTRY_AREA_PGD &&
	       (sp <= (long)user || sp > (long)(user + 1));
}

#else

/* Entry code masks all interrupts with which handlers may be called. */
static inline bool pfm_user_regs_are_saved(const struct pt_regs *user,
					   const struct pt_regs *kernel)
{
	return true;
}

#endif

/**
 * pfm_user_regs_of() - get the user registers of the current thread
 * @regs: registers of the interrupted code
 *
 * Context: any, NMI included.
 * Return: @regs if user space was interrupted, otherwise the registers with
 * which the thread entered the kernel; NULL for a kernel thread, for a thread
 * that has released its memory because it exits, and if the kernel was saving
 * or restoring these registers. A thread without memory may be using another
 * process's memory.
 */
static inline struct pt_regs *pfm_user_regs_of(struct pt_regs *regs)
{
	struct pt_regs *user = task_pt_regs(current);

	if (likely(user_mode(regs)))
		return regs;
	if (current->flags & PF_KTHREAD || !current->mm ||
	    !pfm_user_regs_are_saved(user, regs))
		return NULL;
	/* Workers of io_uring, for example, never run in user mode. */
	return user_mode(user) && instruction_pointer(user) ? user : NULL;
}

#endif /* PERFMON_PERFMON_USER_REGS_H */
