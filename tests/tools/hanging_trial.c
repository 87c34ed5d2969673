// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * hanging_trial - pfmon doctor's trial with a kernel that does not answer
 *
 * Time is short: what is waited for is waited for a hundredth of it. Prints
 * why the trial did not work.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "doctor/trial.h"

/* The linker puts these in the place of the libraries' functions. */
int __wrap_pfm_create_context(pfarg_ctx_t *ctx, void *arg, size_t size);
int __real_poll(struct pollfd *files, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *files, nfds_t count, int timeout);

int __wrap_pfm_create_context(pfarg_ctx_t *ctx, void *arg, size_t size)
{
	(void)ctx;
	(void)arg;
	(void)size;
	for (;;)
		pause();
}

int __wrap_poll(struct pollfd *files, nfds_t count, int timeout)
{
	return __real_poll(files, count, timeout / 100);
}

int main(void)
{
	struct trial trial;

	trial_sample(&trial);
	puts(trial.reason);
	free(trial.reason);
	return trial.worked ? 0 : 1;
}
