/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * ioctl.h - send commands to the kernel
 *
 * The functions that return int return 0, or -1 with errno set to an error that
 * section 3.1 of the specification lists for the command.
 */
#ifndef LIB_IOCTL_H
#define LIB_IOCTL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Export the functions that perfmon.h declares. The libraries are built with
 * hidden visibility.
 */
#pragma GCC visibility push(default)
#include <perfmon/perfmon.h>
#pragma GCC visibility pop

/* Send the device a command that does not need a context. */
int pfm_device_command(int cmd, struct pfm_ioc *ioc);
/* Send PFM_CREATE_CONTEXT, with the format's argument. */
int pfm_create_command(pfarg_ctx_t *ctx, const void *fmt_arg,
		       size_t fmt_arg_size);
/* Send any other command to the context of a descriptor. */
int pfm_context_command(int fd, int cmd, struct pfm_ioc *ioc);
/* Does this descriptor belong to a context? Reads /proc; may change errno. */
bool pfm_is_context(int fd);

static inline int fail(int error)
{
	errno = error;
	return -1;
}

static inline __u64 address(const void *pointer)
{
	return (uintptr_t)pointer;
}

#endif /* LIB_IOCTL_H */
