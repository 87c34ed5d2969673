/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_cpu.h - registers and stack of the interrupted thread
 */
#ifndef PFM_UNWIND_CPU_H
#define PFM_UNWIND_CPU_H

#include <linux/ptrace.h>
#include <linux/uaccess.h>
#include <perfmon/perfmon_fmt_callers.h>
#include "unwind_walk.h"

/*
 * Read a word of user memory. The caller has disabled page faults, so this
 * fails if the page is not present. Return: false on failure.
 */
static __always_inline bool pfm_unwind_read_user(__u64 addr, __u64 *word)
{
	const __u64 __user *at = (void __user *)(unsigned long)addr;

	if (!user_read_access_begin(at, sizeof(*at)))
		return false;
	unsafe_get_user(*word, at, fault);
	user_read_access_end();
	return true;
fault:
	user_read_access_end();
	return false;
}

/* Get a register by its DWARF number. */
#ifdef CONFIG_X86_64
static __always_inline __u64 pfm_unwind_user_reg(const void *of,
						 unsigned int number)
{
	static const __u16 offsets[] = {
		offsetof(struct pt_regs, ax), offsetof(struct pt_regs, dx),
		offsetof(struct pt_regs, cx), offsetof(struct pt_regs, bx),
		offsetof(struct pt_regs, si), offsetof(struct pt_regs, di),
		offsetof(struct pt_regs, bp), offsetof(struct pt_regs, sp),
		offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9),
		offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r11),
		offsetof(struct pt_regs, r12), offsetof(struct pt_regs, r13),
		offsetof(struct pt_regs, r14), offsetof(struct pt_regs, r15),
	};

	return *(const unsigned long *)(of + offsets[number]);
}

#define PFM_UNWIND_SP	7
#define PFM_UNWIND_FP	6
#define PFM_UNWIND_LR	0
#define PFM_UNWIND_RBX	3
#else
static __always_inline __u64 pfm_unwind_user_reg(const void *of,
						 unsigned int number)
{
	const struct pt_regs *regs = of;

	return number == 31 ? regs->sp : regs->regs[number];
}

#define PFM_UNWIND_SP	31
#define PFM_UNWIND_FP	29
#define PFM_UNWIND_LR	30
#define PFM_UNWIND_RBX	0
#endif

static __always_inline __u64 pfm_unwind_strip(__u64 addr)
{
	return pfm_user_address(addr);
}

static const struct pfm_unwind_cpu pfm_unwind_this_cpu = {
	.sp = PFM_UNWIND_SP,
	.fp = PFM_UNWIND_FP,
	.lr = PFM_UNWIND_LR,
	.read = pfm_unwind_read_user,
	.reg = pfm_unwind_user_reg,
	.strip = pfm_unwind_strip,
	.rbx = PFM_UNWIND_RBX,
};

#endif /* PFM_UNWIND_CPU_H */
