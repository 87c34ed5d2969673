/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* follow_watch.h - wait for events of followed threads */
#ifndef PFMON_MEASURE_FOLLOW_WATCH_H
#define PFMON_MEASURE_FOLLOW_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

struct follow;
struct thread;

/*
 * Opens the epoll instance. Returns false with a message on failure; the caller
 * calls follow_watch_close() in any case.
 */
bool follow_watch_open(struct follow *follow);
void follow_watch_close(const struct follow *follow);

/* Watches an attached context for messages; false with a message on failure. */
bool follow_watch_thread(const struct follow *follow,
			 const struct thread *thread);

void follow_watch_no_more(const struct follow *follow,
			  const struct thread *thread);

/* Watches the context under the thread's new ID, after the ID has changed. */
bool follow_watch_renamed(const struct follow *follow,
			  const struct thread *thread);

/*
 * If the pool needs contexts, makes follow->epoll_fd readable, so that the main
 * loop calls follow_serve(). Call it after taking or creating contexts.
 */
void follow_watch_pool(struct follow *follow);

/*
 * Calls serve() for each thread whose context has messages. If the pool needs
 * contexts, and nothing else is to be done, creates one.
 */
void follow_watch_serve(struct follow *follow,
			void (*serve)(struct follow *follow, pid_t tid));

/*
 * Starts to check periodically whether processes have left pfmon's session, as
 * daemons do, because no event reports that.
 */
void follow_watch_daemons(struct follow *follow);

#endif /* PFMON_MEASURE_FOLLOW_WATCH_H */
