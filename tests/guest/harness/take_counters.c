// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * take_counters.c - occupy all hardware counters of all CPUs
 *
 * Scripts run this program. It leaves a background process that holds the
 * counters until it is killed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The number of events to open: more than the number of counters of any CPU */
#define EVENTS	64

/*
 * Open a pinned event for a CPU. Such events take precedence over events of
 * threads.
 */
static int take(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.pinned = 1,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
		       PERF_FLAG_FD_CLOEXEC) < 0 ? -1 : 0;
}

static int take_all(void)
{
	int failed = 0;

	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		for (int i = 0; i < EVENTS; i++)
			failed |= take(cpu);
	}
	return failed;
}

int main(void)
{
	int ready[2];
	char ok = 0;

	if (pipe2(ready, O_CLOEXEC) < 0) {
		perror("take_counters");
		return 1;
	}
	if (!fork()) {
		ok = !take_all();
		if (write(ready[1], &ok, 1) == 1)
			for (;;)
				pause();
		return 1;
	}
	if (read(ready[0], &ok, 1) == 1 && ok)
		return 0;
	fputs("take_counters: cannot open events on all counters\n", stderr);
	return 1;
}
