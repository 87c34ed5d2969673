/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mapping.h - which file an address of a process is in, and where there
 */
#ifndef PFM_OP_MAPPING_H
#define PFM_OP_MAPPING_H

struct mm_struct;
struct pfm_op_cookies;
struct pfm_op_point;

/*
 * The place in code that an address stands for. @patience: how often to wait
 * some 50 us for the lock of the address space; is counted down.
 * Context: process, may sleep. Return: 0; -ENOENT if nothing is mapped there,
 * or that cannot be said.
 */
int pfm_op_locate(struct pfm_op_cookies *c, struct mm_struct *mm,
		  unsigned long addr, struct pfm_op_point *point,
		  unsigned int *patience);

/*
 * The cookie of the program that an address space executes.
 * Context: process, may sleep. Return: it, or PFM_OPROFILE_NO_COOKIE.
 */
unsigned long pfm_op_program(struct pfm_op_cookies *c, struct mm_struct *mm);

#endif /* PFM_OP_MAPPING_H */
