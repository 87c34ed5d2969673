/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace.h - who called the code that was interrupted at user level
 */
#ifndef PFM_OP_TRACE_H
#define PFM_OP_TRACE_H

struct pt_regs;

#define PFM_OP_MAX_DEPTH	64

/*
 * Follow the frame pointers of the current thread, which was interrupted at
 * user level. Context: any, NMI included; does not fault.
 * Return: number of return addresses in @callers, at most @max.
 */
unsigned int pfm_op_user_callers(struct pt_regs *regs, unsigned long *callers,
				 unsigned int max);

#endif /* PFM_OP_TRACE_H */
