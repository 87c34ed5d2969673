// SPDX-License-Identifier: MIT OR GPL-2.0
/* waiter.c - waiting for whatever a measurement has to handle */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "util.h"
#include "waiter.h"

static bool failed(const char *what)
{
	message("cannot %s: %s", what, strerror(errno));
	return false;
}

bool waiter_init(struct waiter *waiter)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGQUIT);
	waiter->timeout_fd = -1;
	waiter->tick_fd = -1;
	waiter->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (waiter->signal_fd < 0)
		return failed("wait for signals");
	waiter->alarm_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (waiter->alarm_fd < 0) {
		failed("make an eventfd");
		close(waiter->signal_fd);
		return false;
	}
	sigprocmask(SIG_BLOCK, &signals, &waiter->unblocked);
	return true;
}

void waiter_close(struct waiter *waiter)
{
	if (waiter->timeout_fd >= 0)
		close(waiter->timeout_fd);
	if (waiter->tick_fd >= 0)
		close(waiter->tick_fd);
	close(waiter->alarm_fd);
	close(waiter->signal_fd);
	sigprocmask(SIG_SETMASK, &waiter->unblocked, NULL);
}

/* Returns a descriptor, -1 with a message if that fails. */
static int start_timer(uint64_t first_ns, uint64_t interval_ns)
{
	struct itimerspec times = {
		.it_value.tv_sec = (time_t)(first_ns / 1000000000),
		.it_value.tv_nsec = (long)(first_ns % 1000000000),
		.it_interval.tv_sec = (time_t)(interval_ns / 1000000000),
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

bool waiter_start(struct waiter *waiter, uint64_t timeout_ns, bool ticks)
{
	if (timeout_ns) {
		waiter->timeout_fd = start_timer(timeout_ns, 0);
		if (waiter->timeout_fd < 0)
			return false;
	}
	if (ticks) {
		waiter->tick_fd = start_timer(1000000000, 1000000000);
		if (waiter->tick_fd < 0)
			return false;
	}
	return true;
}

/* Reads a timer or an event that has become readable. */
static bool has_come(int fd)
{
	uint64_t times;

	return read(fd, &times, sizeof(times)) == sizeof(times);
}

unsigned int waiter_wait(struct waiter *waiter, int fd)
{
	struct pollfd fds[] = {
		{ .fd = waiter->signal_fd, .events = POLLIN },
		{ .fd = waiter->timeout_fd, .events = POLLIN },
		{ .fd = waiter->tick_fd, .events = POLLIN },
		{ .fd = fd, .events = POLLIN },
		{ .fd = waiter->alarm_fd, .events = POLLIN },
	};
	unsigned int wake = 0;

	if (poll(fds, ARRAY_SIZE(fds), -1) < 0) {
		if (errno == EINTR)
			return 0;
		failed("wait");
		return WAKE_ERROR;
	}
	if (fds[0].revents)
		wake |= WAKE_SIGNAL;
	if (fds[1].revents && has_come(waiter->timeout_fd))
		wake |= WAKE_TIMEOUT;
	if (fds[2].revents && has_come(waiter->tick_fd))
		wake |= WAKE_TICK;
	if (fds[3].revents)
		wake |= WAKE_FD;
	if (fds[4].revents && has_come(waiter->alarm_fd))
		wake |= WAKE_ALARM;
	return wake;
}

void waiter_alarm(struct waiter *waiter)
{
	raise_event(waiter->alarm_fd);
}

bool waiter_next_signal(struct waiter *waiter, struct signalfd_siginfo *info)
{
	ssize_t got;

	do {
		got = read(waiter->signal_fd, info, sizeof(*info));
	} while (got < 0 && errno == EINTR);
	return got == sizeof(*info);
}

bool waiter_handle_signals(struct waiter *waiter, struct command *command)
{
	struct signalfd_siginfo info;
	bool end = false;

	while (waiter_next_signal(waiter, &info)) {
		if (info.ssi_signo == SIGCHLD)
			command_reap(command);
		else if (!command->pid)
			end = true;
		else if (info.ssi_code != SI_KERNEL)
			command_signal(command, (int)info.ssi_signo);
		/* Otherwise the terminal has sent it to the command, too. */
	}
	return end;
}
