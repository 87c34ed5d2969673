/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * retire.h - a loop with a known number of instructions
 */
#ifndef GUEST_RETIRE_H
#define GUEST_RETIRE_H

/* Retire two instructions per round. @rounds must not be 0. */
static inline void retire(unsigned long rounds)
{
#if defined(__aarch64__)
	asm volatile("1: subs %0, %0, #1\n\tb.ne 1b"
		     : "+r"(rounds) : : "cc");
#else
	asm volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
#endif
}

#endif /* GUEST_RETIRE_H */
