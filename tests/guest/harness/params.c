// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * params.c - change parameters, settings and limits for the duration of a test
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "check.h"
#include "files.h"
#include "params.h"

static void run_with(const char *path, const char *value,
		     void (*set)(const char *path, const char *value),
		     void (*run)(void *arg), void *arg)
{
	char old[32];
	int status;

	read_text(path, old, sizeof(old));
	set(path, value);
	status = wait_for(spawn(run, arg));
	set(path, old);
	CHECK_EQ(status, 0);
}

void with_setting(const char *path, const char *value, void (*run)(void *arg),
		  void *arg)
{
	run_with(path, value, write_text, run, arg);
}

void with_param(const struct param_run *r)
{
	char path[128];

	snprintf(path, sizeof(path), PFM_PARAMETERS "%s", r->name);
	with_setting(path, r->value, r->run, r->arg);
}

/*
 * Set perf_cpu_time_max_percent to 25 during the write, because the kernel
 * refuses a new rate while that setting is 0, as it is in most guests.
 */
static void set_sample_rate(const char *path, const char *per_second)
{
	char percent[32];

	read_text(CPU_LIMIT, percent, sizeof(percent));
	write_text(CPU_LIMIT, "25");
	write_text(path, per_second);
	write_text(CPU_LIMIT, percent);
}

void with_sample_rate(const char *per_second, void (*run)(void *arg),
		      void *arg)
{
	run_with(SAMPLE_RATE, per_second, set_sample_rate, run, arg);
}

long charged_to(pid_t pid)
{
	char path[64], status[4096];
	const char *line;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	read_text(path, status, sizeof(status));
	line = strstr(status, "VmPin:");
	CHECK(line);
	return strtol(line + strlen("VmPin:"), NULL, 10);
}

void limit_locked_pages(unsigned int pages)
{
	const rlim_t bytes = pages * sysconf(_SC_PAGESIZE);
	const struct rlimit limit = { bytes, bytes };

	CHECK_OK(setrlimit(RLIMIT_MEMLOCK, &limit));
}

void with_locked_pages(unsigned int pages, void (*run)(void *arg))
{
	struct param_run r = { "paranoid", "0", run, NULL };

	limit_locked_pages(pages);
	with_param(&r);
}
