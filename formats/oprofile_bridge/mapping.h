/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mapping.h - map an address of a process to a file and an offset
 */
#ifndef PFM_OP_MAPPING_H
#define PFM_OP_MAPPING_H

struct mm_struct;
struct pfm_op_cookies;
struct pfm_op_point;

/*
 * Look up the file and offset of an address. @patience: how many times the
 * function may still wait about 50 us for the mmap_lock. Context: process, may
 * sleep. Return: 0; -ENOENT if the address is not mapped, or if its file and
 * offset cannot be found or encoded.
 */
int pfm_op_locate(struct pfm_op_cookies *c, struct mm_struct *mm,
		  unsigned long addr, struct pfm_op_point *point,
		  unsigned int *patience);

/*
 * Look up the cookie of the program that an address space executes. Context:
 * process, may sleep. Return: the cookie, or PFM_OPROFILE_NO_COOKIE.
 */
unsigned long pfm_op_program(struct pfm_op_cookies *c, struct mm_struct *mm);

#endif /* PFM_OP_MAPPING_H */
