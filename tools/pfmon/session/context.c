// SPDX-License-Identifier: MIT OR GPL-2.0
/* context.c - start and pause a context, and read its messages */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "session/context.h"

bool context_has_family(const struct context *context)
{
	return plan_inherits(context->plan) && !context->alone;
}

static bool start_as(struct context *context, pfarg_start_t *how)
{
	context->started = !pfm_start(context->fd, how);
	if (context->started)
		return true;
	if (errno == EBUSY)
		message("cannot start measuring: there are not enough free counters for these events; see --switch-timeout");
	else
		message("cannot start measuring: %s", strerror(errno));
	return false;
}

bool context_start(struct context *context)
{
	return start_as(context, NULL);
}

bool context_start_at_exec(struct context *context, unsigned int set)
{
	pfarg_start_t how = {
		.start_set = (__u16)set,
		.start_flags = PFM_STARTFL_EXEC,
	};

	return start_as(context, &how);
}

/* EBUSY and ENODEV mean that the thread has ended or the CPU is offline. */
bool context_is_gone(int error)
{
	return error == EBUSY || error == ENODEV;
}

bool context_pause(struct context *context)
{
	if (!context->started || context->pauses++ || !pfm_stop(context->fd) ||
	    context_is_gone(errno))
		return true;
	message("cannot pause measuring: %s", strerror(errno));
	return false;
}

bool context_go_on(struct context *context)
{
	int error;

	if (!context->started || --context->pauses ||
	    !pfm_start(context->fd, NULL))
		return true;
	error = errno;
	/*
	 * EBUSY may also mean that other events use the counters. pfm_stop()
	 * then succeeds; for a detached context it fails.
	 */
	if (context_is_gone(error) && pfm_stop(context->fd))
		return true;
	message("cannot resume measuring: %s", strerror(error));
	return false;
}

int context_next_message(struct context *context)
{
	pfm_msg_t msg;
	ssize_t got;

	do {
		got = read(context->fd, &msg, sizeof(msg));
	} while (got < 0 && errno == EINTR);
	if (got == (ssize_t)sizeof(msg)) {
		if (msg.msg_type == PFM_MSG_OVFL)
			context->notifier = msg.ovfl.msg_ovfl_cpu;
		return (int)msg.msg_type;
	}
	if (got == 0 || (got < 0 && errno == EAGAIN))
		return 0;
	message("cannot read from a context: %s", got < 0 ? strerror(errno) :
		"incomplete message");
	return -1;
}
