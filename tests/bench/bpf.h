/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * bpf.h - BPF programs that count samples in a hash map, for comparison
 */
#ifndef BPF_H
#define BPF_H

#include <stdint.h>

/*
 * Let a BPF program count the overflows of an event by address; if @stacks, by
 * user stack.
 */
void bpf_attach(int event, int stacks);
/* Remove the program and its maps. Return: the sum of all counts. */
uint64_t bpf_detach(void);

#endif /* BPF_H */
