// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * family_refuser - run pfmon with a kernel that refuses families
 *
 * usage: family_refuser CREATE LOAD [pfmon's options] COMMAND
 *
 * Replaces /dev/perfmon. A family is a context with PFM_FL_INHERIT. Creating it
 * fails with the errno CREATE, and loading any context fails with the errno
 * LOAD, unless these are 0. All other commands succeed, and all counts are 0.
 * In a family that samples, each CPU with an even number has a buffer, but
 * pfmon is told that only CPU 1023 is online. With STORM in the environment,
 * each read from such a family returns an overflow message. With ONCE in the
 * environment, loading a second context fails with EBUSY.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "dry_run.h"
#include "measure/measure.h"
#include "options/options.h"

#define BUFFER_SIZE	4096
#define HIGHEST_CPU	"1023"

static int create_error, load_error;
static int family_fd = -1;

/* The linker redirects calls of X() to __wrap_X(); __real_X() is X() itself. */
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __wrap_ioctl(int fd, unsigned long request, ...);
void *__real_mmap(void *address, size_t size, int protection, int flags, int fd,
		  off_t offset);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd,
		  off_t offset);
ssize_t __real_read(int fd, void *data, size_t size);
ssize_t __wrap_read(int fd, void *data, size_t size);
bool __wrap_cpus_online(int **cpus, unsigned int *count);

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

bool __wrap_cpus_online(int **cpus, unsigned int *count)
{
	return cpus_parse(HIGHEST_CPU, cpus, count);
}

void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd,
		  off_t offset)
{
	if (fd < 0 || fd != family_fd)
		return __real_mmap(address, size, protection, flags, fd,
				   offset);
	if (offset / BUFFER_SIZE % 2) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	return __real_mmap(NULL, size, protection, flags | MAP_ANONYMOUS, -1,
			   0);
}

ssize_t __wrap_read(int fd, void *data, size_t size)
{
	const pfm_msg_t msg = { .ovfl = { .msg_type = PFM_MSG_OVFL } };

	if (fd < 0 || fd != family_fd || !getenv("STORM"))
		return __real_read(fd, data, size);
	memcpy(data, &msg, sizeof(msg));
	return sizeof(msg);
}

/* Create a context. Its descriptor is ready for reading only with STORM. */
static void create(pfarg_ctx_t *ctx)
{
	static const pfm_uuid_t none;
	bool samples = memcmp(ctx->ctx_smpl_buf_id, none, sizeof(none));
	bool family = ctx->ctx_flags & PFM_FL_INHERIT;

	if (family)
		errno = create_error;
	if (errno)
		return;
	ctx->ctx_fd = eventfd(!!getenv("STORM"), EFD_CLOEXEC | EFD_NONBLOCK);
	if (!family || !samples)
		return;
	family_fd = ctx->ctx_fd;
	ctx->ctx_smpl_buf_size = BUFFER_SIZE;
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
	if (request == PFM_IOC(PFM_LOAD_CONTEXT) && getenv("ONCE"))
		load_error = EBUSY;
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
