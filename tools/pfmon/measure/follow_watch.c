// SPDX-License-Identifier: MIT OR GPL-2.0
/* follow_watch.c - wait for events of followed threads */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/util.h"
#include "measure/follow_watch.h"
#include "measure/followed.h"

#define DAEMON_NS	100000000
#define MOST_EVENTS	32

/*
 * The epoll data of events other than messages. For a context's messages, the
 * epoll data is the thread ID.
 */
#define READY_WORK	UINT64_MAX
#define READY_TIMER	(UINT64_MAX - 1)

static bool control(const struct follow *follow, int operation, int fd,
		    uint64_t what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = what };

	if (!epoll_ctl(follow->epoll_fd, operation, fd, &event))
		return true;
	message("cannot wait for messages from a context: %s", strerror(errno));
	return false;
}

static bool watch(const struct follow *follow, int fd, uint64_t what)
{
	return control(follow, EPOLL_CTL_ADD, fd, what);
}

bool follow_watch_open(struct follow *follow)
{
	follow->timer_fd = -1;
	follow->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	follow->work_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (follow->epoll_fd >= 0 && follow->work_fd >= 0)
		return watch(follow, follow->work_fd, READY_WORK);
	message("cannot wait for messages from contexts: %s", strerror(errno));
	return false;
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

void follow_watch_close(const struct follow *follow)
{
	close_if_open(follow->timer_fd);
	close_if_open(follow->work_fd);
	close_if_open(follow->epoll_fd);
}

bool follow_watch_thread(const struct follow *follow,
			 const struct thread *thread)
{
	return watch(follow, thread->context->fd, (uint64_t)thread->entry.pid);
}

bool follow_watch_renamed(const struct follow *follow,
			  const struct thread *thread)
{
	return control(follow, EPOLL_CTL_MOD, thread->context->fd,
		       (uint64_t)thread->entry.pid);
}

void follow_watch_no_more(const struct follow *follow,
			  const struct thread *thread)
{
	control(follow, EPOLL_CTL_DEL, thread->context->fd, 0);
}

void follow_watch_pool(struct follow *follow)
{
	bool low = pool_is_low(&follow->pool);

	if (low == follow->working)
		return;
	follow->working = low;
	if (low)
		raise_event(follow->work_fd);
	else
		lower_event(follow->work_fd);
}

void follow_watch_daemons(struct follow *follow)
{
	const struct itimerspec times = {
		.it_value.tv_nsec = DAEMON_NS,
		.it_interval.tv_nsec = DAEMON_NS,
	};

	if (follow->timer_fd >= 0)
		return;
	follow->timer_fd = timerfd_create(CLOCK_MONOTONIC,
					  TFD_CLOEXEC | TFD_NONBLOCK);
	if (follow->timer_fd >= 0 &&
	    !timerfd_settime(follow->timer_fd, 0, &times, NULL))
		watch(follow, follow->timer_fd, READY_TIMER);
}

void follow_watch_serve(struct follow *follow,
			void (*serve)(struct follow *follow, pid_t tid))
{
	struct epoll_event ready[MOST_EVENTS];
	int count = epoll_wait(follow->epoll_fd, ready, MOST_EVENTS, 0);

	for (int i = 0; i < count; i++) {
		if (ready[i].data.u64 == READY_TIMER)
			lower_event(follow->timer_fd);
		else if (ready[i].data.u64 != READY_WORK)
			serve(follow, (pid_t)ready[i].data.u64);
		else if (count == 1)
			pool_refill(&follow->pool);
	}
	follow_watch_pool(follow);
}
