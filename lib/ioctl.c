// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * ioctl.c - send each command as one ioctl, to the device or to the context
 *
 * The errors of open() and ioctl() are mapped to those that section 3.1 of the
 * specification lists.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ioctl.h"

/*
 * Mapping of open()'s errors. If the device is missing, perfmon is "not
 * compiled into the kernel" in the words of the specification.
 */
static const struct {
	int error;
	int reported;
} open_errors[] = {
	{ ENOENT,	ENOSYS },
	{ ENODEV,	ENOSYS },
	{ ENXIO,	ENOSYS },
	{ EACCES,	EPERM },
};

static int open_error(int error)
{
	const size_t n = sizeof(open_errors) / sizeof(*open_errors);

	for (size_t i = 0; i < n; i++) {
		if (open_errors[i].error == error)
			return open_errors[i].reported;
	}
	return error;
}

/*
 * Open the device for each call, as contexts are rarely created. A descriptor
 * kept by the library would be inherited, could be closed unnoticed, and would
 * be shared by threads.
 */
int pfm_device_command(int cmd, struct pfm_ioc *ioc)
{
	int fd = open(PFM_DEVICE, O_RDWR | O_CLOEXEC);
	int ret, error;

	if (fd < 0)
		return fail(open_error(errno));
	ret = ioctl(fd, PFM_IOC(cmd), ioc);
	error = errno;
	close(fd);
	if (ret < 0)
		return fail(error == ENOTTY ? ENOSYS : error);
	return 0;
}

int pfm_create_command(pfarg_ctx_t *ctx, const void *fmt_arg,
		       size_t fmt_arg_size)
{
	struct pfm_ioc ioc = {
		.arg = address(ctx),
		.fmt_arg = address(fmt_arg),
		.fmt_arg_size = fmt_arg_size,
		.narg = 1,
	};

	/*
	 * As a size, this value is too large. But the kernel would take it as
	 * a request for the size that the format declares.
	 */
	if (ioc.fmt_arg_size == PFM_FMT_ARG_IMPLICIT)
		return fail(E2BIG);
	return pfm_device_command(PFM_CREATE_CONTEXT, &ioc);
}

int pfm_context_command(int fd, int cmd, struct pfm_ioc *ioc)
{
	if (ioctl(fd, PFM_IOC(cmd), ioc) < 0)
		return fail(errno == ENOTTY ? EBADF : errno);
	return 0;
}

/* Do not probe with an ioctl: another driver may use its number. */
bool pfm_is_context(int fd)
{
	static const char name[] = "anon_inode:[perfmon]";
	char path[32], target[sizeof(name)];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, target, sizeof(target)) == sizeof(name) - 1 &&
	       !memcmp(target, name, sizeof(name) - 1);
}
