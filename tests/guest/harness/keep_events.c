// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * keep_events.c - a background process that keeps events and probes alive
 *
 * Scripts run this program first, and it runs until the guest ends.
 * keep_events.h explains why events are kept open. The kernel also patches its
 * code when the first or second probe is added to a tracepoint, and when one of
 * these two is removed. So each scheduler tracepoint that perfmon probes gets
 * two permanent probes: one from the tracer and one from perf. The system call
 * tracepoint gets only a perf probe, because the tests add only perf probes to
 * it. For contexts that can block a thread, perfmon adds a kprobe to a kernel
 * function, and removes it again. Therefore the function also gets a permanent
 * kprobe. Only one CPU is online during the setup, so that no other CPU can
 * crash.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "keep_events.h"

#define TRACEFS	"/sys/kernel/tracing"
#define SCHED	TRACEFS "/events/sched/"
#define SYSCALL	TRACEFS "/events/syscalls/sys_enter_getppid/id"
#define KPROBES	TRACEFS "/kprobe_events"
#define KPROBE	TRACEFS "/events/kprobes/keep_events/"

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) > 0;

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Take all CPUs except the first offline, or bring them online. */
static void put_cpus(const char *online)
{
	glob_t cpus;

	if (glob("/sys/devices/system/cpu/cpu[1-9]*/online", 0, NULL, &cpus))
		return;
	for (size_t i = 0; i < cpus.gl_pathc; i++)
		write_text(cpus.gl_pathv[i], online);
	globfree(&cpus);
}

/* Open a perf event on the tracepoint whose number is in the file @id. */
static bool keep_tracepoint(const char *id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.disabled = 1,
	};
	char text[32] = "";
	int fd = open(id, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (size <= 0)
		return false;
	attr.config = strtol(text, NULL, 10);
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1,
		       PERF_FLAG_FD_CLOEXEC) >= 0;
}

static const struct {
	const char	*enable, *id;
} probed[] = {
#define PROBED(name)	{ SCHED name "/enable", SCHED name "/id" }
	PROBED("sched_switch"),
	PROBED("sched_process_fork"),
	PROBED("sched_process_exec"),
	PROBED("sched_process_exit"),
};

static bool keep_tracepoints(void)
{
	/* The mount fails if tracefs is already mounted. */
	mount("tracefs", TRACEFS, "tracefs", 0, NULL);
	for (size_t i = 0; i < sizeof(probed) / sizeof(*probed); i++)
		if (!write_text(probed[i].enable, "1") ||
		    !keep_tracepoint(probed[i].id))
			return false;
	return keep_tracepoint(SYSCALL);
}

/* On a kernel without kprobe_events, do nothing and succeed. */
static bool keep_function_probed(void)
{
	if (access(KPROBES, F_OK))
		return true;
	return write_text(KPROBES,
			  "p:keep_events blkcg_maybe_throttle_current") &&
	       write_text(KPROBE "enable", "1");
}

int main(void)
{
	int ready[2];
	char ok = 0;

	if (pipe2(ready, O_CLOEXEC) < 0) {
		perror("keep_events");
		return 1;
	}
	/*
	 * Events belong to a thread, so create them in the process that keeps
	 * running.
	 */
	if (!fork()) {
		put_cpus("0");
		ok = !keep_events_on() && keep_tracepoints() &&
		     keep_function_probed();
		put_cpus("1");
		if (write(ready[1], &ok, 1) == 1)
			for (;;)
				pause();
		return 1;
	}
	if (read(ready[0], &ok, 1) != 1 || !ok) {
		fputs("keep_events: cannot open an event or a probe\n",
		      stderr);
		return 1;
	}
	return 0;
}
