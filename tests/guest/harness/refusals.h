/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * refusals.h - check that refused calls leave nothing behind
 *
 * These functions fail the test on any error. They need root, or
 * CAP_DAC_OVERRIDE.
 */
#ifndef GUEST_REFUSALS_H
#define GUEST_REFUSALS_H

#include <stdbool.h>

#include "check.h"

struct refusals {
	const char	*file;
	int		line;
	const char	*call;
	unsigned int	calls;
	char		*before;
};

#define REFUSALS_BEGIN(call_)						\
	{ .file = __FILE__, .line = __LINE__, .call = call_ }
bool refusals_go_on(struct refusals *r);

/*
 * Make a call many times. Each call must fail with this errno. Together, the
 * calls must not change this process's descriptors and locked memory, the
 * sampling buffers, the module reference counts and the configuration.
 */
#define REFUSED(call_, error)						\
	for (struct refusals r_ = REFUSALS_BEGIN(#call_);		\
	     refusals_go_on(&r_);)					\
		CHECK_ERRNO(call_, error)

/*
 * Run @run, which makes refused calls, in several child processes, one after
 * the other. Fail the test if anything that REFUSED() checks has changed after
 * the exit of a process, or if the memory that the kernel uses grows with each
 * process.
 */
void refusals_leave_nothing(void (*run)(void *arg), void *arg);

#endif /* GUEST_REFUSALS_H */
