// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * check.c - runs tests, each in a process group of its own, and reports TAP
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* Exit statuses of a process that runs a test. */
enum { PASSED, FAILED, SKIPPED };

/* Set by the linker around the section of the tests. */
extern const struct check_test __start_check_tests[];
extern const struct check_test __stop_check_tests[];

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

static void run_alone(void *arg)
{
	const struct check_test *test = arg;

	setpgid(0, 0);
	alarm(CHECK_TIMEOUT);
	test->run();
}

/* Nothing of the test is left when this returns. */
static void kill_group(pid_t group)
{
	kill(-group, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

/* Return: true unless the test failed. */
static bool run_test(const struct check_test *test, int number)
{
	pid_t pid = spawn(run_alone, (void *)test);
	int status = wait_for(pid);
	bool skipped = WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED;
	bool passed = WIFEXITED(status) && WEXITSTATUS(status) == PASSED;

	kill_group(pid);
	if (WIFSIGNALED(status))
		printf("# ended by signal %d (%s)\n", WTERMSIG(status),
		       strsignal(WTERMSIG(status)));
	printf("%sok %d - %s%s\n", passed || skipped ? "" : "not ", number,
	       test->name, skipped ? " # SKIP" : "");
	fflush(stdout);
	return passed || skipped;
}

static bool is_wanted(const struct check_test *test, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!strcmp(*names, test->name))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	bool list = argc == 2 && !strcmp(argv[1], "--list");
	const struct check_test *test;
	int number = 0, failed = 0;

	/* Orphans of a test become children of this process. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (test = __start_check_tests; test < __stop_check_tests; test++) {
		if (list)
			puts(test->name);
		else if (is_wanted(test, argv + 1))
			failed += !run_test(test, ++number);
	}
	if (!list)
		printf("1..%d\n", number);
	return failed || (!number && !list);
}
