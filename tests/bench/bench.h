/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * bench.h - what the benchmark's programs share
 *
 * They run in guests whose clock counts instructions: QEMU -icount shift=1,
 * 2 ns each.
 */
#ifndef BENCH_H
#define BENCH_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/types.h>
#include <perfmon/perfmon.h>

#define PAGE_FAULTS	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, \
				       PERF_COUNT_SW_PAGE_FAULTS)

/* A bound that holds for arm64 only: 0 is none. */
#ifdef __aarch64__
#define IS_ARM64	1
#else
#define IS_ARM64	0
#endif
#define ON_ARM64(bound)	(IS_ARM64 ? (bound) : 0)

_Noreturn void __attribute__((__format__(printf, 1, 2)))
die(const char *fmt, ...);

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* How often something is done, of which the least counts. */
#define ROUNDS		3

/* The clock, in instructions. */
uint64_t now(void);

/* What @what takes, the least of some rounds. */
uint64_t least(void (*what)(void));

/*
 * End a row of a table: with its bound, and whether @value is above that. A
 * missed bound is no failure. tests/bench/run looks for these words.
 */
void end_row(double value, double bound);

/* Touch as many pages as this. */
#define FAULTS		20000UL
void run_faults(void);

/*
 * Let PMDn of a set count, from @value; if that is negative, it samples, and
 * the first @values PMDs are recorded.
 */
void write_counter(int fd, int set, int num, uint64_t event, uint64_t value,
		   int values);

/* A context without a format. Return: its descriptor. */
int new_context(void);
/* One of the default format. @size: of its buffer. */
int new_default(size_t size);
/* Attach to a thread and start. */
void start_on(int fd, pid_t tid);

/* As many descriptors as wanted. */
void allow_files(unsigned int n);

#endif /* BENCH_H */
