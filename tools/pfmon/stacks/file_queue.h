/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* file_queue.h - a queue of files whose unwind tables must be loaded */
#ifndef PFMON_STACKS_FILE_QUEUE_H
#define PFMON_STACKS_FILE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Maximum number of queued files, each of which has a descriptor. */
#define MOST_QUEUED	64

struct queued_file {
	int fd;
	char *build_id;		/* or NULL */
};

/* Several threads may use a queue. */
struct file_queue {
	pthread_mutex_t lock;
	void *known;		/* keys of all files so far, for tsearch() */
	size_t count;
	struct queued_file files[MOST_QUEUED];
};

void file_queue_init(struct file_queue *queue);
void file_queue_free(struct file_queue *queue);

/*
 * Takes ownership of a file, and appends it unless it was in the queue before.
 * If the queue is full, returns false; the caller then still owns the file.
 */
bool file_queue_put(struct file_queue *queue, struct queued_file *file);

/* Takes one file, which the caller then owns; false if the queue is empty. */
bool file_queue_take(struct file_queue *queue, struct queued_file *file);

void queued_file_free(struct queued_file *file);

#endif /* PFMON_STACKS_FILE_QUEUE_H */
