/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* waiter.h - waiting for whatever a measurement has to handle */
#ifndef PFMON_WAITER_H
#define PFMON_WAITER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "command.h"

enum waiter_timer {
	TIMER_TIMEOUT,		/* the session's time is up */
	TIMER_DELAY,		/* measuring is to begin */
	TIMER_DURATION,		/* it is to end */
	TIMER_PROGRESS,		/* it is to be printed */
	TIMER_SNAPSHOT,		/* all that is there is to be saved */
	TIMER_REFRESH,		/* who watches is to see it */
	TIMER_LOOK,		/* periods are to be looked at */
	WAITER_TIMERS
};

#define WAKE_SIGNAL	0x1	/* waiter_handle_signals() has some */
#define WAKE_FD		0x2	/* the caller's descriptor is readable */
#define WAKE_ALARM	0x4	/* another thread has failed */
#define WAKE_ERROR	0x8	/* waiting failed; a message was printed */
#define WAKE_UNWATCHED	0x10	/* nobody watches any more; reported once */
#define WAKE_TIMER(timer)	(0x20U << (timer))

/* What signals asked for. */
#define WISH_END	0x1	/* the measurement is to end */
#define WISH_BEGIN	0x2	/* it is to begin now, if it was put off */
#define WISH_SNAPSHOT	0x4
#define WISH_REAP	0x8	/* it was done: command_reap() */

/* Who watches what is measured. */
struct viewer {
	struct bystander process;
	int fd;			/* readable when it has ended, or -1 */
};

struct waiter {
	sigset_t unblocked;	/* signal mask from before waiter_init() */
	int signal_fd;
	struct viewer *viewer;	/* or NULL */
	bool unwatched;		/* it was reported */
	int timer_fds[WAITER_TIMERS];
	int alarm_fd;
	bool interrupted;	/* a signal has asked for the end */
};

/*
 * Blocks the signals that a measurement handles, so that they arrive through a
 * descriptor. To be called before any thread is created. False with a message.
 */
bool waiter_init(struct waiter *waiter);
void waiter_close(struct waiter *waiter);

/* Wakes once after a time, or again and again; never if that is 0. */
bool waiter_start_once(struct waiter *waiter, enum waiter_timer timer,
		       uint64_t ns);
bool waiter_start_ticking(struct waiter *waiter, enum waiter_timer timer,
			  uint64_t ns);

/* Waits and returns WAKE_* bits; fd is -1 for none. */
unsigned int waiter_wait(struct waiter *waiter, int fd);

/* Called by another thread: wakes with WAKE_ALARM, once. */
void waiter_alarm(struct waiter *waiter);

/*
 * Takes all signals that are there: SIGCHLD goes to command_reap(), those that
 * end programs to the command as long as it runs. Returns WISH_* bits.
 */
unsigned int waiter_handle_signals(struct waiter *waiter,
				   struct command *command);

#endif /* PFMON_WAITER_H */
