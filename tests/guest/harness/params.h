/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * params.h - change parameters, settings and limits for the duration of a test
 */
#ifndef GUEST_PARAMS_H
#define GUEST_PARAMS_H

#include <sys/types.h>

#define PFM_PARAMETERS	"/sys/module/perfmon/parameters/"
#define SAMPLE_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define CPU_LIMIT	"/proc/sys/kernel/perf_cpu_time_max_percent"
/* Whether the kernel's kprobes fire */
#define KPROBES		"/sys/kernel/debug/kprobes/enabled"

struct param_run {
	const char	*name;
	const char	*value;
	void		(*run)(void *arg);
	void		*arg;
};

/* Write a value to a file, run a function in a child, and restore the file. */
void with_setting(const char *path, const char *value, void (*run)(void *arg),
		  void *arg);

/*
 * Run a function in a child while a parameter of perfmon.ko has a given value.
 */
void with_param(const struct param_run *r);

/*
 * Run a function in a child with another value of perf's maximum sample rate.
 */
void with_sample_rate(const char *per_second, void (*run)(void *arg),
		      void *arg);

/* Return how many KiB of pinned memory (VmPin) are charged to a process. */
long charged_to(pid_t pid);
/* Set RLIMIT_MEMLOCK of the calling process. */
void limit_locked_pages(unsigned int pages);
/*
 * Set RLIMIT_MEMLOCK of the calling process, and run a function in a child.
 * While the child runs, perfmon.ko's parameter paranoid is 0, so that any user
 * may monitor anything.
 */
void with_locked_pages(unsigned int pages, void (*run)(void *arg));

#endif /* GUEST_PARAMS_H */
