/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* threads.h - record names and processes of threads in the capture */
#ifndef PFMON_CAPTURE_THREADS_H
#define PFMON_CAPTURE_THREADS_H

#include <stdbool.h>
#include <sys/types.h>

/* The threads recorded so far; the owner provides locking. */
struct threads;

struct threads *threads_create(void);
void threads_destroy(struct threads *threads);

/*
 * Returns the text of a THRD chunk, to be freed, with the new and changed
 * threads of a process; NULL if none. Unless @all is true, a thread that was
 * once found unchanged is not examined again, because threads usually set their
 * names when they begin.
 */
char *threads_changed(struct threads *threads, pid_t tgid, bool all);

/*
 * Like threads_changed(), for a single thread. May use the control group of the
 * process as an earlier call has read it.
 */
char *thread_changed(struct threads *threads, pid_t tgid, pid_t tid);

/* Forgets a thread that has ended. */
void threads_forget(struct threads *threads, pid_t tid);

#endif /* PFMON_CAPTURE_THREADS_H */
