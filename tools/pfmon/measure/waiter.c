// SPDX-License-Identifier: MIT OR GPL-2.0
/* waiter.c - wait for signals, timers and other events of a measurement */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/util.h"
#include "measure/waiter.h"

/* More than the number of handled signals. */
#define MOST_SIGNALS	8

static bool failed(const char *what)
{
	message("cannot %s: %s", what, strerror(errno));
	return false;
}

/* Returns whether pfmon's parent, such as nohup(1), ignored SIGHUP. */
static bool ignores_hangup(void)
{
	struct sigaction now;

	return !sigaction(SIGHUP, NULL, &now) && now.sa_handler == SIG_IGN;
}

bool waiter_init(struct waiter *waiter)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGQUIT);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGUSR2);
	/* A signalfd reports a blocked signal even if it is ignored. */
	if (!ignores_hangup())
		sigaddset(&signals, SIGHUP);
	waiter->interrupted = false;
	for (int i = 0; i < WAITER_TIMERS; i++)
		waiter->timer_fds[i] = -1;
	waiter->viewer = NULL;
	waiter->control = NULL;
	waiter->unwatched = false;
	waiter->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (waiter->signal_fd < 0)
		return failed("wait for signals");
	waiter->alarm_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (waiter->alarm_fd < 0) {
		failed("create an eventfd");
		close(waiter->signal_fd);
		return false;
	}
	sigprocmask(SIG_BLOCK, &signals, &waiter->unblocked);
	return true;
}

void waiter_close(struct waiter *waiter)
{
	for (int i = 0; i < WAITER_TIMERS; i++) {
		if (waiter->timer_fds[i] >= 0)
			close(waiter->timer_fds[i]);
	}
	close(waiter->alarm_fd);
	close(waiter->signal_fd);
	sigprocmask(SIG_SETMASK, &waiter->unblocked, NULL);
}

/* Returns a descriptor, or -1 with a message on failure. */
static int make_timer(uint64_t first_ns, uint64_t interval_ns)
{
	struct itimerspec times = {
		.it_value.tv_sec = (time_t)(first_ns / 1000000000),
		.it_value.tv_nsec = (long)(first_ns % 1000000000),
		.it_interval.tv_sec = (time_t)(interval_ns / 1000000000),
		.it_interval.tv_nsec = (long)(interval_ns % 1000000000),
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0 || timerfd_settime(fd, 0, &times, NULL)) {
		failed("start a timer");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

static bool start_timer(struct waiter *waiter, enum waiter_timer timer,
			uint64_t first_ns, uint64_t interval_ns)
{
	if (!first_ns)
		return true;
	waiter->timer_fds[timer] = make_timer(first_ns, interval_ns);
	return waiter->timer_fds[timer] >= 0;
}

bool waiter_start_once(struct waiter *waiter, enum waiter_timer timer,
		       uint64_t ns)
{
	return start_timer(waiter, timer, ns, 0);
}

bool waiter_start_ticking(struct waiter *waiter, enum waiter_timer timer,
			  uint64_t ns)
{
	return start_timer(waiter, timer, ns, ns);
}

static int viewer_fd(const struct waiter *waiter)
{
	return waiter->viewer && !waiter->unwatched ? waiter->viewer->fd : -1;
}

static int control_fd(const struct waiter *waiter)
{
	return waiter->control ? waiter->control->fd : -1;
}

unsigned int waiter_wait(struct waiter *waiter, int fd)
{
	struct pollfd fds[5 + WAITER_TIMERS] = {
		{ .fd = waiter->signal_fd, .events = POLLIN },
		{ .fd = fd, .events = POLLIN },
		{ .fd = waiter->alarm_fd, .events = POLLIN },
		{ .fd = viewer_fd(waiter), .events = POLLIN },
		{ .fd = control_fd(waiter), .events = POLLIN },
	};
	struct pollfd *timers = fds + 5;
	unsigned int wake = 0;

	for (int i = 0; i < WAITER_TIMERS; i++)
		timers[i] = (struct pollfd){ .fd = waiter->timer_fds[i],
					     .events = POLLIN };
	if (poll(fds, ARRAY_SIZE(fds), -1) < 0) {
		if (errno == EINTR)
			return 0;
		failed("wait");
		return WAKE_ERROR;
	}
	if (fds[0].revents)
		wake |= WAKE_SIGNAL;
	if (fds[1].revents)
		wake |= WAKE_FD;
	if (fds[2].revents && lower_event(waiter->alarm_fd))
		wake |= WAKE_ALARM;
	if (fds[3].revents) {
		wake |= WAKE_UNWATCHED;
		waiter->unwatched = true;
	}
	if (fds[4].revents) {
		control_read(waiter->control);
		wake |= WAKE_CONTROL;
	}
	for (int i = 0; i < WAITER_TIMERS; i++) {
		if (timers[i].revents && lower_event(timers[i].fd))
			wake |= WAKE_TIMER(i);
	}
	return wake;
}

void waiter_alarm(struct waiter *waiter)
{
	raise_event(waiter->alarm_fd);
}

/*
 * Reads all pending signals, and returns their number. Each signal is pending
 * at most once.
 */
static size_t take_signals(const struct waiter *waiter,
			   struct signalfd_siginfo infos[MOST_SIGNALS])
{
	ssize_t got;

	do {
		got = read(waiter->signal_fd, infos,
			   MOST_SIGNALS * sizeof(*infos));
	} while (got < 0 && errno == EINTR);
	return got < 0 ? 0 : (size_t)got / sizeof(*infos);
}

/*
 * Returns what a signal requests, or passes the signal to the command's
 * processes and returns 0.
 */
static unsigned int take_signal(const struct signalfd_siginfo *info,
				struct command *command)
{
	switch (info->ssi_signo) {
	case SIGCHLD:
		return 0;
	case SIGUSR1:
		return WISH_BEGIN;
	case SIGUSR2:
		return WISH_SNAPSHOT;
	}
	if (!command->pid || command->ended)
		return WISH_END;
	/*
	 * SI_KERNEL means that the signal comes from the terminal, which has
	 * sent it to the command's processes, too.
	 */
	if (info->ssi_code != SI_KERNEL)
		command_signal_all(command, (int)info->ssi_signo);
	return 0;
}

static bool ends_programs(uint32_t signal)
{
	return signal != SIGCHLD && signal != SIGUSR1 && signal != SIGUSR2;
}

unsigned int waiter_handle_signals(struct waiter *waiter,
				   struct command *command)
{
	struct signalfd_siginfo infos[MOST_SIGNALS];
	size_t count = take_signals(waiter, infos);
	unsigned int wishes = 0;

	/*
	 * Reap first, so that pfmon knows all new processes when it passes
	 * signals to the command's processes.
	 */
	command_reap(command);
	for (size_t i = 0; i < count; i++) {
		waiter->interrupted |= ends_programs(infos[i].ssi_signo);
		wishes |= take_signal(&infos[i], command);
	}
	return wishes;
}
