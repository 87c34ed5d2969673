/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * bench.h - code that the benchmark's programs share
 *
 * The programs run in guests whose clock counts instructions. With QEMU's
 * -icount shift=1, an instruction takes 2 ns.
 */
#ifndef BENCH_H
#define BENCH_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/types.h>
#include <perfmon/perfmon.h>

#define PAGE_FAULTS	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, \
				       PERF_COUNT_SW_PAGE_FAULTS)

/*
 * A bound that holds on arm64. On other architectures it is 0, and is not
 * checked.
 */
#ifdef __aarch64__
#define IS_ARM64	1
#else
#define IS_ARM64	0
#endif
#define ON_ARM64(bound)	(IS_ARM64 ? (bound) : 0)

_Noreturn void __attribute__((__format__(printf, 1, 2)))
die(const char *fmt, ...);

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* The number of rounds of a measurement. The smallest result is used. */
#define ROUNDS		3

/* Return the current time, in instructions. */
uint64_t now(void);

/*
 * Return the smallest number of instructions that @what takes in ROUNDS rounds.
 */
uint64_t least(void (*what)(void));

/*
 * End a row of a table: print the bound, and whether @value exceeds it. A
 * missed bound is not a failure; tests/bench/run searches the output for the
 * words printed here.
 */
void end_row(double value, double bound);

/* The number of pages that run_faults() touches. */
#define FAULTS		20000UL
void run_faults(void);

/*
 * Make PMD @num of a set count @event, beginning with @value. If @value is
 * negative, the PMD is a sampling PMD that records the first @values PMDs.
 */
void write_counter(int fd, int set, int num, uint64_t event, uint64_t value,
		   int values);

/* Create a context without a format. Return: its descriptor. */
int new_context(void);
/*
 * Create a context with the default format. @size is the size of the buffer;
 * @flags are PFM_DFL_SMPL_* flags.
 */
int new_default(size_t size, uint32_t flags);
/* Load the context onto a thread and start it. */
void start_on(int fd, pid_t tid);

/*
 * Switch off perfmon's limit on the CPU time of handlers, which would mask the
 * context. It is restored when the program exits.
 */
void lift_cpu_limit(void);

/* Raise the limit of open files to @n. */
void allow_files(unsigned int n);

#endif /* BENCH_H */
