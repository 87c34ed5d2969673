/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* waiter.h - wait for signals, timers and other events of a measurement */
#ifndef PFMON_MEASURE_WAITER_H
#define PFMON_MEASURE_WAITER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "measure/control.h"
#include "process/command.h"

enum waiter_timer {
	TIMER_TIMEOUT,		/* end the session */
	TIMER_DELAY,		/* start measuring */
	TIMER_DURATION,		/* stop measuring */
	TIMER_PROGRESS,		/* print the progress */
	TIMER_SNAPSHOT,		/* take a snapshot */
	TIMER_REFRESH,		/* refresh the live view */
	TIMER_LOOK,		/* adapt sampling periods */
	TIMER_RECORDS,		/* read perf's records, look for mapped code */
	WAITER_TIMERS
};

#define WAKE_SIGNAL	0x1	/* then call waiter_handle_signals() */
#define WAKE_FD		0x2	/* the caller's descriptor is readable */
#define WAKE_ALARM	0x4	/* another thread has failed */
#define WAKE_ERROR	0x8	/* waiting failed; a message was printed */
#define WAKE_UNWATCHED	0x10	/* the viewer has ended; reported once */
#define WAKE_CONTROL	0x20	/* then call control_serve() */
#define WAKE_TIMER(timer)	(0x40U << (timer))

/* Bits that say what signals request. */
#define WISH_END	0x1	/* end the measurement */
#define WISH_BEGIN	0x2	/* start measuring, if it is delayed */
#define WISH_SNAPSHOT	0x4

/* The process that shows a live view. */
struct viewer {
	struct bystander process;
	int fd;			/* a pidfd, or -1 */
};

struct waiter {
	sigset_t unblocked;	/* signal mask before waiter_init() */
	int signal_fd;
	struct viewer *viewer;	/* or NULL */
	bool unwatched;		/* WAKE_UNWATCHED has been reported */
	struct control *control;	/* or NULL */
	int timer_fds[WAITER_TIMERS];
	int alarm_fd;
	bool interrupted;	/* a signal has requested the end */
};

/*
 * Blocks the signals that a measurement handles, so that they arrive through a
 * descriptor. Call it before any thread is created. Returns false with a
 * message on failure.
 */
bool waiter_init(struct waiter *waiter);
void waiter_close(struct waiter *waiter);

/*
 * Make waiter_wait() return once, after @ns, or periodically, every @ns. If @ns
 * is 0, the timer is disabled.
 */
bool waiter_start_once(struct waiter *waiter, enum waiter_timer timer,
		       uint64_t ns);
bool waiter_start_ticking(struct waiter *waiter, enum waiter_timer timer,
			  uint64_t ns);

/*
 * Waits until at least one of the WAKE_* events has happened, and returns their
 * bits. @fd is the caller's descriptor for WAKE_FD, or -1.
 */
unsigned int waiter_wait(struct waiter *waiter, int fd);

/*
 * Makes waiter_wait() return WAKE_ALARM once. To be called by another thread.
 */
void waiter_alarm(struct waiter *waiter);

/*
 * Handles all pending signals. Calls command_reap(), and passes termination
 * signals to the command and followed processes while the command runs. Returns
 * WISH_* bits.
 */
unsigned int waiter_handle_signals(struct waiter *waiter,
				   struct command *command);

#endif /* PFMON_MEASURE_WAITER_H */
