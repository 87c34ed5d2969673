/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * unwind_set.h - a set with the unwind table of this program
 */
#ifndef BENCH_UNWIND_SET_H
#define BENCH_UNWIND_SET_H

/* Create the set at the first call. Return: its descriptor. */
int own_unwind_set(void);

#endif /* BENCH_UNWIND_SET_H */
