// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * calls.c - monitored processes that call getppid() an exact number of times
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "check.h"
#include "ctx.h"
#include "files.h"
#include "worker.h"

#define SETID_FAMILY	"/tmp/setid-family"
#define CALLS_ID \
	"/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id"

void call(unsigned int n)
{
	while (n--)
		syscall(SYS_getppid);
}

__u64 event_of_calls(void)
{
	static __u64 id;

	if (!id)
		id = read_number(CALLS_ID);
	return PFM_PERF_EVENT(PERF_TYPE_TRACEPOINT, id);
}

pid_t fork_one(void)
{
	return CHECK_OK((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

unsigned long run_family(int fd, const char *what, const char *n)
{
	char text[4096] = "", *calls;
	int go[2], out[2];
	size_t len = 0;
	ssize_t got;
	pid_t pid;

	CHECK_OK(pipe2(go, O_CLOEXEC));
	CHECK_OK(pipe2(out, O_CLOEXEC));
	pid = CHECK_OK(fork());
	if (!pid) {
		wait_go(go[0]);
		dup2(out[1], STDOUT_FILENO);
		execl(program_path("family"), "family", what, n, "10", NULL);
		_exit(FAILED);
	}
	close(out[1]);
	ctx_start_on(fd, pid);
	CHECK_EQ(write(go[1], "", 1), 1);
	while ((got = CHECK_OK(read(out[0], text + len,
				    sizeof(text) - 1 - len))))
		len += got;
	CHECK_OK(waitpid(pid, NULL, 0));
	close(go[0]);
	close(go[1]);
	close(out[0]);
	calls = strstr(text, "calls: ");
	CHECK(calls);
	return strtoul(calls + 7, NULL, 10);
}

/*
 * In the child: make as many calls as each request asks for, until a request
 * for 0 calls.
 */
static void serve_calls(const struct caller *c)
{
	unsigned int n;

	while (read(c->ask[0], &n, sizeof(n)) == sizeof(n) && n) {
		call(n);
		CHECK_EQ(write(c->done[1], "", 1), 1);
	}
	_exit(PASSED);
}

static void make_pipes(struct caller *c)
{
	CHECK_OK(pipe(c->ask));
	CHECK_OK(pipe(c->done));
}

static void begin_to_serve(struct caller *c)
{
	c->pid = fork_one();
	if (!c->pid)
		serve_calls(c);
}

void caller_start(struct caller *c)
{
	make_pipes(c);
	begin_to_serve(c);
}

pid_t caller_start_by_other(struct caller *c, int fd, int go[2])
{
	pid_t pid;

	make_pipes(c);
	CHECK_OK(pipe(go));
	pid = fork_one();
	if (!pid) {
		close(fd);
		wait_go(go[0]);
		begin_to_serve(c);
		_exit(PASSED);
	}
	return pid;
}

void caller_do(const struct caller *c, unsigned int n)
{
	char done;

	CHECK_EQ(write(c->ask[1], &n, sizeof(n)), sizeof(n));
	CHECK_EQ(read(c->done[0], &done, 1), 1);
}

void caller_quit(const struct caller *c)
{
	unsigned int none = 0;

	CHECK_EQ(write(c->ask[1], &none, sizeof(none)), sizeof(none));
	reap(c->pid);
}

void make_setid_family(void)
{
	char command[512];

	snprintf(command, sizeof(command), "cp %s %s && chmod 4755 %s",
		 program_path("family"), SETID_FAMILY, SETID_FAMILY);
	CHECK(!system(command));
}

void exec_setid(const char *what)
{
	pid_t pid = fork_one();

	if (!pid) {
		if (!getuid())
			become_nobody();
		call(CALLS);
		execl(SETID_FAMILY, SETID_FAMILY, what, "1", "10", NULL);
		_exit(FAILED);
	}
	reap(pid);
}
