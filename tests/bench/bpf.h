/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * bpf.h - BPF programs that count samples in a hash map, to compare with
 * formats
 */
#ifndef BPF_H
#define BPF_H

#include <stdint.h>

/*
 * Make a BPF program count the overflows of an event by address, or by user
 * stack if @stacks.
 */
void bpf_attach(int event, int stacks);
/* Remove the program and its maps. Return: the sum of all counts. */
uint64_t bpf_detach(void);

#endif /* BPF_H */
