/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* threads.h - names and processes of threads, for the capture */
#ifndef PFMON_THREADS_H
#define PFMON_THREADS_H

#include <stdbool.h>
#include <sys/types.h>

/* What is already known about threads; its owner does the locking. */
struct threads;

struct threads *threads_create(void);
void threads_destroy(struct threads *threads);

/*
 * Returns the text of a THRD chunk, to be freed, with the threads of a process
 * that are new, or of which something has changed; NULL if there are none.
 * Unless it is to look at all, it looks at known ones only until two looks have
 * found the same: the name of a thread is mostly set when it begins.
 */
char *threads_changed(struct threads *threads, pid_t tgid, bool all);

/* The same of one thread, with what was seen last of its process. */
char *thread_changed(struct threads *threads, pid_t tgid, pid_t tid);

/* The thread is gone. */
void threads_forget(struct threads *threads, pid_t tid);

#endif /* PFMON_THREADS_H */
