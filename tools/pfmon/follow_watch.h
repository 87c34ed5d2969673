/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* follow_watch.h - waits until threads that are followed are to be served */
#ifndef PFMON_FOLLOW_WATCH_H
#define PFMON_FOLLOW_WATCH_H

#include <stdbool.h>

struct follow;
struct thread;

/* False with a message; it is to be closed all the same. */
bool follow_watch_open(struct follow *follow);
void follow_watch_close(const struct follow *follow);

/* Messages of its context, which is attached. False with a message. */
bool follow_watch_thread(const struct follow *follow,
			 const struct thread *thread);

void follow_watch_no_more(const struct follow *follow,
			  const struct thread *thread);

/* Its number has changed. */
bool follow_watch_renamed(const struct follow *follow,
			  const struct thread *thread);

/* Are contexts to be made? To be called when some were taken or made. */
void follow_watch_pool(struct follow *follow);

/* Nothing tells of a process that leaves the session: it is looked at. */
void follow_watch_daemons(struct follow *follow);

#endif /* PFMON_FOLLOW_WATCH_H */
