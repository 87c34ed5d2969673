// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * hanging_trial - pfmon doctor's trial with a kernel that does not answer
 *
 * usage: hanging_trial [refuse]; with an argument the kernel refuses instead.
 *
 * Time is short: what is waited for is waited for a hundredth of it. Prints
 * why the trial did not work.
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

/* The linker puts these in the place of the libraries' functions. */
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
