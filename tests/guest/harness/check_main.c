// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * check_main.c - run each test in its own process group and report TAP
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "keep_events.h"

static void run_alone(void *arg)
{
	const struct check_test *test = arg;

	setpgid(0, 0);
	alarm(check_timeout());
	test->run();
}

/* Kill the test's process group and reap all its processes. */
static void kill_group(pid_t group)
{
	kill(-group, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

/* Run a test. Return: true unless the test failed. */
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

	/* Become the parent of processes that a test orphans. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (!list)
		CHECK_OK(keep_events_on());
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
