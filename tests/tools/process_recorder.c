// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * process_recorder - record processes as pfmon does
 *
 * usage: process_recorder [pfmon's options] PID...
 *
 * Instead of a PID, "divide" finishes the capture and begins the next one, and
 * "cat" runs cat and prints its PID. "events" records the events that perf has
 * reported about all processes or, in a session for threads, about this
 * process. "new" records processes that perf has possibly not reported. With
 * REFUSED in the environment, perf_ring_open() fails with EACCES, so perf
 * reports no events. With LOADS, the program prints "load" whenever pfmon would
 * load unwind tables, or "locked" if the recording is locked then. The program
 * also tries to record the clocks at the beginning and at the end, which is
 * possible only if perfmon is loaded.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/perf_ring.h"
#include "capture/recording.h"
#include "capture/recording_processes.h"
#include "capture/recording_state.h"
#include "options/options.h"
#include "session/context.h"
#include "stacks/table_set.h"

static struct recording *recording;

/* The linker replaces pfmon's functions with these. */
void __wrap_table_set_load(struct table_set *set);
int __wrap_perf_ring_open(struct perf_ring *ring, int cpu, size_t size,
			  const struct perf_scope *scope);
int __real_perf_ring_open(struct perf_ring *ring, int cpu, size_t size,
			  const struct perf_scope *scope);

int __wrap_perf_ring_open(struct perf_ring *ring, int cpu, size_t size,
			  const struct perf_scope *scope)
{
	return getenv("REFUSED") ? EACCES :
	       __real_perf_ring_open(ring, cpu, size, scope);
}

void __wrap_table_set_load(struct table_set *set)
{
	bool free = !pthread_mutex_trylock(&recording->lock);

	(void)set;
	if (free)
		pthread_mutex_unlock(&recording->lock);
	if (getenv("LOADS"))
		puts(free ? "load" : "locked");
}

static bool divide(const struct plan *plan)
{
	struct division division;
	bool ok = recording_divide(recording, plan, NULL, 0, &division);

	printf("%s\n", division.path ? division.path : "refused");
	free(division.path);
	return ok;
}

/* Run cat, wait until it has ended, and print its PID. */
static bool run_cat(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/cat", "cat", "/dev/null", NULL);
		_exit(127);
	}
	printf("%d\n", pid);
	return pid > 0 && waitpid(pid, NULL, 0) == pid;
}

static bool record(const struct plan *plan, char **pids)
{
	struct moment moment = clocks_read(NO_CPU);
	bool ok = recording_clocks(recording, &moment);

	for (; *pids; pids++) {
		if (!strcmp(*pids, "divide"))
			ok = divide(plan) && ok;
		else if (!strcmp(*pids, "events"))
			ok = recording_events(recording) && ok;
		else if (!strcmp(*pids, "cat"))
			ok = run_cat() && ok;
		else if (!strcmp(*pids, "new"))
			ok = recording_new_processes(recording,
						     ALL_PROCESSES) && ok;
		else
			ok = recording_process(recording, atoi(*pids)) && ok;
	}
	return recording_clocks(recording, &moment) && ok;
}

int main(int argc, char **argv)
{
	struct options options;
	struct plan plan;
	bool ok;

	if (!options_parse(&options, argc, argv))
		return 2;
	if (!plan_init(&plan, &options))
		return 1;
	recording = recording_open(&plan, options.system_wide ? ALL_PROCESSES :
				   getpid(), false);
	ok = recording && record(&plan, options.command);
	if (recording)
		ok = recording_close(recording) && ok;
	plan_free(&plan);
	options_free(&options);
	return ok ? 0 : 1;
}
