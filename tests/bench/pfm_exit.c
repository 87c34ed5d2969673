// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * pfm_exit - the cost, in guest instructions, of creating and ending a thread
 * or process that is not monitored. It is measured with perfmon's modules, then
 * while another thread is monitored, and then without the modules, which this
 * program unloads.
 *
 * While a thread is monitored, and until one second after the last event was
 * closed, perf inspects each thread switch. Therefore each measurement begins
 * with a pause, and the cost while perfmon monitors is compared with the cost
 * while perf does.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench.h"
#include "sleepers.h"

#define LIVES		500U

static void *exit_at_once(void *arg)
{
	return arg;
}

static void run_threads(void)
{
	pthread_t thread;

	for (unsigned int i = 0; i < LIVES; i++) {
		errno = pthread_create(&thread, NULL, exit_at_once, NULL);
		if (errno)
			die("pthread_create");
		pthread_join(thread, NULL);
	}
}

static void run_processes(void)
{
	for (unsigned int i = 0; i < LIVES; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			die("fork");
	}
}

/* Remove the modules. Each pass removes those that are not in use. */
static void remove_modules(void)
{
	char line[256], name[64];

	for (int pass = 0; pass < 2; pass++) {
		FILE *file = fopen("/proc/modules", "r");

		if (!file)
			die("/proc/modules");
		while (fgets(line, sizeof(line), file)) {
			if (sscanf(line, "%63s", name) != 1 ||
			    (strncmp(name, "pfm_", 4) &&
			     strcmp(name, "perfmon")))
				continue;
			syscall(SYS_delete_module, name, O_NONBLOCK);
		}
		fclose(file);
	}
	if (!access("/dev/perfmon", F_OK))
		die("perfmon.ko cannot be unloaded");
}

/* The descriptors stay open, because closing them would end the contexts. */
static void monitor(pid_t tid)
{
	int fd = new_context();

	write_counter(fd, 0, 0, PAGE_FAULTS, 0, 0);
	start_on(fd, tid);
}

/* Monitor with perf's events: page faults, and a clock, as in a context. */
static void monitor_with_perf(pid_t tid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
	};

	if (syscall(SYS_perf_event_open, &attr, tid, -1, -1, 0) < 0)
		die("perf_event_open");
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	if (syscall(SYS_perf_event_open, &attr, tid, -1, -1, 0) < 0)
		die("perf_event_open");
}

struct costs {
	double	thread, process;
};

static struct costs measure(void)
{
	/* Sleep because perf does not tell when it stops its inspections. */
	sleep(2);
	return (struct costs){ (double)least(run_threads) / LIVES,
			       (double)least(run_processes) / LIVES };
}

static struct costs measure_beside(watch_t watch)
{
	pid_t pid = sleepers_beside(1, watch);
	struct costs costs = measure();

	sleepers_beside_end(pid);
	return costs;
}

static void print_row(const char *what, double insns, double without,
		      double bound)
{
	printf("%-36s %12.0f %12.4f", what, insns, insns / without);
	end_row(insns / without, bound);
}

static void print_rows(const char *what, double without, double none,
		       double perfs, double ours)
{
	print_row(what, without, without, 0);
	print_row("with our modules", none, without, 1.01);
	print_row("while perf monitors another thread", perfs, perfs, 0);
	print_row("while perfmon monitors another one", ours, perfs, 1.01);
}

int main(void)
{
	struct costs none = measure(), ours = measure_beside(monitor);
	struct costs without, perfs;

	remove_modules();
	without = measure();
	perfs = measure_beside(monitor_with_perf);
	printf("creation and exit without monitoring, instructions\n");
	printf("%-36s %12s %12s\n", "", "insns", "ratio");
	print_rows("thread, without our modules", without.thread, none.thread,
		   perfs.thread, ours.thread);
	print_rows("process, without our modules", without.process,
		   none.process, perfs.process, ours.process);
	return 0;
}
