/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* waiter.h - waiting for whatever a measurement has to handle */
#ifndef PFMON_WAITER_H
#define PFMON_WAITER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/signalfd.h>

#include "command.h"

#define WAKE_SIGNAL	0x1	/* waiter_next_signal() has one */
#define WAKE_TIMEOUT	0x2	/* the time is up; reported once */
#define WAKE_TICK	0x4	/* a second has passed */
#define WAKE_FD		0x8	/* the caller's descriptor is readable */
#define WAKE_ALARM	0x10	/* another thread has failed */
#define WAKE_ERROR	0x20	/* waiting failed; a message was printed */

struct waiter {
	sigset_t unblocked;	/* signal mask from before waiter_init() */
	int signal_fd;
	int timeout_fd;
	int tick_fd;
	int alarm_fd;
};

/*
 * Blocks the signals that a measurement handles, so that they arrive through a
 * descriptor. To be called before any thread is created. False with a message.
 */
bool waiter_init(struct waiter *waiter);
void waiter_close(struct waiter *waiter);

/* Starts the measurement's time and the ticks; timeout_ns is 0 for no end. */
bool waiter_start(struct waiter *waiter, uint64_t timeout_ns, bool ticks);

/* Waits and returns WAKE_* bits; fd is -1 for none. */
unsigned int waiter_wait(struct waiter *waiter, int fd);

/* Called by another thread: wakes with WAKE_ALARM, once. */
void waiter_alarm(struct waiter *waiter);

/* Takes the next signal; false if there is none. */
bool waiter_next_signal(struct waiter *waiter, struct signalfd_siginfo *info);

/*
 * Takes all signals that are there: SIGCHLD goes to command_reap(), the others
 * to the command if there is one. Returns true if the measurement is to end.
 */
bool waiter_handle_signals(struct waiter *waiter, struct command *command);

#endif /* PFMON_WAITER_H */
