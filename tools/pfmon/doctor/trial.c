// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * trial.c - trial measurements, in which pfmon measures itself
 *
 * A trial uses the same code as other measurements. It runs in a child process,
 * so that pfmon can kill it if it hangs, and so that its locked memory is
 * released when it ends. The parent reads the messages from the child's
 * standard error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"
#include "doctor/trial.h"
#include "options/options.h"
#include "session/context.h"
#include "session/lifetime.h"
#include "session/saving.h"

#define TIMEOUT_MS	30000
#define PAGES		16

/* Causes a page fault on each of several new pages. */
static bool fault(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED) {
		message("cannot map memory: %s", strerror(errno));
		return false;
	}
	madvise(pages, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		((volatile char *)pages)[i * page] = 1;
	munmap(pages, PAGES * page);
	return true;
}

/* Measures the calling thread while it causes page faults. */
static bool measure(struct context *context)
{
	bool good;

	if (!context_load(context, gettid()) || !context_start(context))
		return false;
	good = fault();
	context_unload(context);
	return good;
}

static bool has_samples(struct context *context)
{
	const struct smpl_format *format = &context->plan->format;

	if (context_save_rest(context) &&
	    format->module->samples(format, &context->buffers.list->image,
				    0))
		return true;
	message("the kernel reported no error, but sampled none of %d page faults",
		PAGES);
	return false;
}

static bool has_counts(struct context *context)
{
	if (!context_read_counts(context))
		return false;
	if (context->result.events[0].count)
		return true;
	message("the kernel reported no error, but counted nothing");
	return false;
}

static bool try(int argc, const char * const argv[])
{
	struct options options;
	struct context context;
	struct plan plan;
	bool good;

	/* Make getopt_long() start with the first argument again. */
	optind = 0;
	if (!options_parse(&options, argc, (char **)argv) ||
	    !plan_init(&plan, &options))
		return false;
	if (!context_open(&context, &plan, 0, NO_CPU))
		return false;
	good = measure(&context) && (options.sampling ?
				     has_samples(&context) :
				     has_counts(&context));
	context_close(&context);
	return good;
}

/*
 * Waits until the child has ended, and returns its messages, to be freed.
 * Returns NULL on a timeout.
 */
static char *read_messages(int fd)
{
	struct pollfd end = { .fd = fd, .events = POLLIN };
	char text[1024];
	size_t used = 0;
	ssize_t got = -1;

	while (got && used < sizeof(text) - 1) {
		if (!poll(&end, 1, TIMEOUT_MS))
			return NULL;
		got = read(fd, text + used, sizeof(text) - 1 - used);
		if (got > 0)
			used += (size_t)got;
		else if (got < 0 && errno != EINTR)
			break;
	}
	text[used] = '\0';
	return checked_strdup(text);
}

/* Returns the first line without the prefix "pfmon: ". */
static char *first_reason(const char *messages)
{
	char *reason;

	if (!strncmp(messages, "pfmon: ", strlen("pfmon: ")))
		messages += strlen("pfmon: ");
	reason = checked_strdup(messages);
	reason[strcspn(reason, "\n")] = '\0';
	return reason;
}

/*
 * Waits for the child, and stores the result in @trial. Kills the child on a
 * timeout, but then does not wait for it, because it may be stuck in the
 * kernel.
 */
static void follow_child(pid_t child, int fd, struct trial *trial)
{
	char *messages = read_messages(fd);
	int status;

	if (!messages) {
		kill(child, SIGKILL);
		trial->reason = checked_printf("the trial did not end within %d seconds; see the kernel log",
					       TIMEOUT_MS / 1000);
		return;
	}
	if (waitpid(child, &status, 0) != child) {
		trial->reason = checked_printf("cannot get the exit status of the trial: %s",
					       strerror(errno));
		free(messages);
		return;
	}
	trial->worked = !status;
	if (WIFSIGNALED(status))
		trial->reason = checked_printf("signal %d ended the trial",
					       WTERMSIG(status));
	else
		trial->reason = first_reason(messages);
	free(messages);
}

static void run_child(const int ends[2], int argc, const char * const argv[])
{
	dup2(ends[1], STDERR_FILENO);
	_exit(!try(argc, argv));
}

static void run(struct trial *trial, int argc, const char * const argv[])
{
	int ends[2];
	pid_t child;

	trial->worked = false;
	trial->reason = NULL;
	fflush(stdout);
	if (pipe2(ends, O_CLOEXEC)) {
		trial->reason = checked_strdup(strerror(errno));
		return;
	}
	child = fork();
	if (!child)
		run_child(ends, argc, argv);
	close(ends[1]);
	if (child > 0)
		follow_child(child, ends[0], trial);
	else
		trial->reason = checked_strdup(strerror(errno));
	close(ends[0]);
}

void trial_sample(struct trial *trial)
{
	static const char * const argv[] = {
		"pfmon", "-e", "page-faults", "--long-smpl-periods=1",
		"--no-inherit", "pfmon",
		NULL
	};

	run(trial, ARRAY_SIZE(argv) - 1, argv);
}

void trial_count(struct trial *trial)
{
	static const char * const argv[] = {
		"pfmon", "-e", "cycles", "--no-inherit", "pfmon", NULL
	};

	run(trial, ARRAY_SIZE(argv) - 1, argv);
}
