// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * check.c - checks that exit the process on failure, and helpers for child
 * processes
 */
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

unsigned int check_timeout(void)
{
	const char *seconds = getenv("CHECK_TIMEOUT");

	return seconds ? strtoul(seconds, NULL, 0) : 120;
}

void check_failed(const char *file, int line, const char *format, ...)
{
	int error = errno;
	va_list args;

	printf("# %s:%d: ", file, line);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(" (errno %d, %s)\n", error, strerror(error));
	fflush(stdout);
	_exit(FAILED);
}

void check_skip(const char *format, ...)
{
	va_list args;

	printf("# SKIP ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	_exit(SKIPPED);
}

void check_errno(const char *file, int line, const char *expr, long result,
		 int error, int expected)
{
	if (result == -1 && error == expected)
		return;
	check_failed(file, line, "%s is %ld, errno %s; expected -1 and %s",
		     expr, result, result == -1 ? strerror(error) : "unset",
		     strerror(expected));
}

void check_eq(const char *file, int line, const char *expr,
	      unsigned long long value, unsigned long long expected)
{
	if (value != expected)
		check_failed(file, line, "%s: %lld, not %lld (%#llx, %#llx)",
			     expr, value, expected, value, expected);
}

pid_t spawn(void (*function)(void *arg), void *arg)
{
	pid_t pid;

	fflush(stdout);
	pid = CHECK_OK(fork());
	if (pid)
		return pid;
	function(arg);
	fflush(stdout);
	_exit(PASSED);
}

int wait_for(pid_t pid)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

void reap(pid_t pid)
{
	int status = wait_for(pid);

	if (!WIFEXITED(status) || WEXITSTATUS(status) != PASSED)
		check_failed(__FILE__, __LINE__,
			     "child %d ended with wait status %#x", pid,
			     status);
}

void wait_go(int pipe)
{
	char byte;

	CHECK_EQ(read(pipe, &byte, 1), 1);
}

/* Read one word from the file /proc/@pid/@name. */
static void scan_proc(pid_t pid, const char *name, const char *format,
		      char *word)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	file = fopen(path, "r");
	CHECK(file && fscanf(file, format, word) == 1);
	fclose(file);
}

/*
 * Return whether the thread has left its CPU. The thread's state becomes
 * "sleeping" earlier than that, but /proc/PID/syscall shows "running" until the
 * thread has left.
 */
static bool is_off_cpu(pid_t pid)
{
	char call[32];

	scan_proc(pid, "syscall", "%31s", call);
	return strcmp(call, "running");
}

void wait_asleep(pid_t pid)
{
	char state = 0;

	do {
		sched_yield();
		scan_proc(pid, "stat", "%*d (%*[^)]) %c", &state);
	} while ((state != 'S' && state != 'D') || !is_off_cpu(pid));
}

struct sleeper {
	pid_t	pid;
	int	pipe[2];
};

static void wake(void *arg)
{
	const struct sleeper *s = arg;

	wait_asleep(s->pid);
	CHECK_EQ(write(s->pipe[1], "", 1), 1);
}

void sleep_once(void)
{
	struct sleeper s = { .pid = getpid() };
	pid_t waker;

	CHECK_OK(pipe(s.pipe));
	waker = spawn(wake, &s);
	wait_go(s.pipe[0]);
	reap(waker);
	close(s.pipe[0]);
	close(s.pipe[1]);
}
