// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * trial_runner - run a trial measurement of pfmon doctor with a faulty kernel
 *
 * usage: trial_runner hang|kill|refuse|count|sample
 *
 * The kernel does not respond, kills the process, or returns an error; with
 * "count" or "sample", it accepts all calls, but measures nothing. Timeouts are
 * a hundred times shorter. Prints why the trial failed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "doctor/trial.h"

static const char *kernel;

/* The linker redirects calls of X() to __wrap_X(); __real_X() is X() itself. */
int __wrap_pfm_create_context(pfarg_ctx_t *ctx, void *arg, size_t size);
int __wrap_ioctl(int fd, unsigned long command, ...);
int __real_poll(struct pollfd *files, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *files, nfds_t count, int timeout);

int __wrap_pfm_create_context(pfarg_ctx_t *ctx, void *arg, size_t size)
{
	int fd;

	(void)arg;
	(void)size;
	while (!strcmp(kernel, "hang"))
		pause();
	if (!strcmp(kernel, "kill"))
		raise(SIGKILL);
	if (!strcmp(kernel, "refuse")) {
		errno = ENODEV;
		return -1;
	}
	ctx->ctx_smpl_buf_size = 1 << 16;
	fd = memfd_create("buffer", MFD_CLOEXEC);
	return ftruncate(fd, (off_t)ctx->ctx_smpl_buf_size) ? -1 : fd;
}

int __wrap_ioctl(int fd, unsigned long command, ...)
{
	(void)fd;
	(void)command;
	return 0;
}

int __wrap_poll(struct pollfd *files, nfds_t count, int timeout)
{
	return __real_poll(files, count, timeout / 100);
}

int main(int argc, char **argv)
{
	struct trial trial;

	if (argc != 2)
		return 2;
	kernel = argv[1];
	if (!strcmp(kernel, "count"))
		trial_count(&trial);
	else
		trial_sample(&trial);
	puts(trial.reason);
	free(trial.reason);
	return trial.worked ? 0 : 1;
}
