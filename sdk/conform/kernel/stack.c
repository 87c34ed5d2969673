// SPDX-License-Identifier: GPL-2.0
/*
 * stack.c - user frames of any depth, for overflows with registers
 *
 * The guest's programs have short call chains. Only with these artificial
 * frames do formats with call chains write their largest records.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>
#include <perfmon/perfmon_fmt_callers.h>
#include "conform.h"

#define STACK_SIZE	(CONFORM_FRAMES * sizeof(struct pfm_frame))
#define STACK_CODE	0x400000

static unsigned long stack_frame(unsigned long stack, unsigned int n)
{
	return stack + n * sizeof(struct pfm_frame);
}

int conform_stack_make(unsigned long *stack)
{
	struct pfm_frame frame;
	unsigned int n;

	*stack = vm_mmap(NULL, 0, STACK_SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(*stack))
		return *stack;
	for (n = 0; n < CONFORM_FRAMES; n++) {
		frame.next = n + 1 < CONFORM_FRAMES ?
			     stack_frame(*stack, n + 1) : 0;
		frame.ret = STACK_CODE + n;
		if (copy_to_user((void __user *)stack_frame(*stack, n), &frame,
				 sizeof(frame))) {
			conform_stack_free(*stack);
			return -EFAULT;
		}
	}
	return 0;
}

void conform_stack_free(unsigned long stack)
{
	vm_munmap(stack, STACK_SIZE);
}

void conform_stack_enter(struct pt_regs *regs, unsigned long stack,
			 unsigned int depth)
{
	unsigned long fp = depth ?
		stack_frame(stack, CONFORM_FRAMES - depth) : 0;

#ifdef CONFIG_ARM64
	regs->regs[29] = fp;
#else
	regs->bp = fp;
#endif
}
