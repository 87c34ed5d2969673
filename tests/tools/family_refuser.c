// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * family_refuser - pfmon with a kernel that refuses families
 *
 * usage: family_refuser CREATE LOAD [pfmon's options] COMMAND
 *
 * Replaces /dev/perfmon. To create a context with PFM_FL_INHERIT fails with the
 * errno CREATE, and to load any context with LOAD, unless these are 0. All
 * other commands succeed, and counts are 0.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "dry_run.h"
#include "measure/measure.h"
#include "options/options.h"

static int create_error, load_error;

/* The linker replaces the C library's functions with these. */
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __wrap_ioctl(int fd, unsigned long request, ...);

static const char *redirect(const char *path)
{
	return strcmp(path, PFM_DEVICE) ? path : "/dev/null";
}

int __wrap_open(const char *path, int flags, ...)
{
	return __real_open(redirect(path), flags, 0666);
}

int __wrap_access(const char *path, int mode)
{
	return __real_access(redirect(path), mode);
}

/* Nothing can be read from the context. */
static void create(pfarg_ctx_t *ctx)
{
	if (ctx->ctx_flags & PFM_FL_INHERIT)
		errno = create_error;
	if (!errno)
		ctx->ctx_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	const struct pfm_ioc *ioc;
	va_list args;

	(void)fd;
	va_start(args, request);
	ioc = va_arg(args, const struct pfm_ioc *);
	va_end(args);
	errno = request == PFM_IOC(PFM_LOAD_CONTEXT) ? load_error : 0;
	if (request == PFM_IOC(PFM_CREATE_CONTEXT))
		create((void *)(uintptr_t)ioc->arg);
	return errno ? -1 : 0;
}

static int count(const struct options *options)
{
	struct counting counting;
	struct waiter waiter;
	int status;

	if (!counting_open(&counting, options) || !waiter_init(&waiter))
		return 2;
	status = measure_thread(options, &waiter, &counting);
	waiter_close(&waiter);
	return counting_close(&counting) ? status : 2;
}

int main(int argc, char **argv)
{
	struct options options;
	int status;

	if (argc < 4)
		return 2;
	create_error = atoi(argv[1]);
	load_error = atoi(argv[2]);
	argv[2] = argv[0];
	if (!options_parse(&options, argc - 2, argv + 2))
		return 2;
	status = options.action != ACTION_DRY_RUN ? count(&options) :
		 dry_run(&options) ? 0 : 1;
	options_free(&options);
	return status;
}
