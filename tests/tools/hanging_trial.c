// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * hanging_trial.c - run the trial measurement of pfmon doctor with a kernel
 * that does not respond
 *
 * usage: hanging_trial [refuse]
 *
 * With an argument, the kernel returns an error instead. Timeouts are a hundred
 * times shorter. Prints why the trial failed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "doctor/trial.h"

static bool refuses;

/* The linker redirects calls of X() to __wrap_X(); __real_X() is X() itself. */
int __wrap_pfm_create_context(pfarg_ctx_t *ctx, void *arg, size_t size);
int __real_poll(struct pollfd *files, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *files, nfds_t count, int timeout);

int __wrap_pfm_create_context(pfarg_ctx_t *ctx, void *arg, size_t size)
{
	(void)ctx;
	(void)arg;
	(void)size;
	while (!refuses)
		pause();
	errno = ENODEV;
	return -1;
}

int __wrap_poll(struct pollfd *files, nfds_t count, int timeout)
{
	return __real_poll(files, count, timeout / 100);
}

int main(int argc, char **argv)
{
	struct trial trial;

	(void)argv;
	refuses = argc > 1;
	trial_sample(&trial);
	puts(trial.reason);
	free(trial.reason);
	return trial.worked ? 0 : 1;
}
