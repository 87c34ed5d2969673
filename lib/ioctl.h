/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * ioctl.h - how the libraries send a command to the kernel
 *
 * The commands return 0, or -1 with errno set as section 3.1 of the
 * specification lists it for the command.
 */
#ifndef LIB_IOCTL_H
#define LIB_IOCTL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The libraries are built with hidden visibility; what this header declares is
 * API.
 */
#pragma GCC visibility push(default)
#include <perfmon/perfmon.h>
#pragma GCC visibility pop

/* To the device: PFM_CREATE_CONTEXT and PFM_GETINFO_*. */
int pfm_device_command(int cmd, struct pfm_ioc *ioc);
/* The same: PFM_CREATE_CONTEXT with the format's argument. */
int pfm_create_command(pfarg_ctx_t *ctx, const void *fmt_arg,
		       size_t fmt_arg_size);
/* To the context that a descriptor identifies: all others. */
int pfm_context_command(int fd, int cmd, struct pfm_ioc *ioc);
/* Does this descriptor identify a context? Asks /proc; may change errno. */
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
