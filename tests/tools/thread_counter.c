// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * thread_counter - list events for a user who may measure threads but not CPUs
 *
 * usage: thread_counter ROOT list PATTERN [json]
 *        thread_counter ROOT info NAME,... [json]
 *
 * ROOT is a directory with the kernel's files that define events. Creating a
 * system-wide context fails with EPERM, and every event can be counted per
 * thread. If CREATE or WRITE is in the environment, creating any other context,
 * or writing a PMC, fails with this errno.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon.h>

#include "events/event_list.h"

/* The linker redirects calls of X() to __wrap_X(); __real_X() is X() itself. */
int __wrap_pfm_create_context(pfarg_ctx_t *ctx, void *arg, size_t size);
int __wrap_pfm_write_pmcs(int fd, pfarg_pmc_t *pmcs, int count);

static int error_of(const char *call)
{
	const char *error = getenv(call);

	return error ? atoi(error) : 0;
}

int __wrap_pfm_create_context(pfarg_ctx_t *ctx, void *arg, size_t size)
{
	(void)arg;
	(void)size;
	errno = ctx->ctx_flags & PFM_FL_SYSTEM_WIDE ? EPERM : error_of("CREATE");
	return errno ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int __wrap_pfm_write_pmcs(int fd, pfarg_pmc_t *pmcs, int count)
{
	(void)fd;
	(void)pmcs;
	(void)count;
	errno = error_of("WRITE");
	return errno ? -1 : 0;
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	if (!strcmp(argv[2], "list"))
		return events_list(argv[1], argv[3], argv[4]);
	return events_explain(argv[1], argv[3], argv[4]);
}
