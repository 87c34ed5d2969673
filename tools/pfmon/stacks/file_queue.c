// SPDX-License-Identifier: MIT OR GPL-2.0
/* file_queue.c - a queue of files whose unwind tables must be loaded */
#define _GNU_SOURCE
#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "stacks/file_queue.h"

void file_queue_init(struct file_queue *queue)
{
	*queue = (struct file_queue){ .lock = PTHREAD_MUTEX_INITIALIZER };
}

void queued_file_free(struct queued_file *file)
{
	close(file->fd);
	free(file->build_id);
}

void file_queue_free(struct file_queue *queue)
{
	while (queue->count)
		queued_file_free(&queue->files[--queue->count]);
	tdestroy(queue->known, free);
	pthread_mutex_destroy(&queue->lock);
}

/*
 * Returns a text that identifies a file, made from the attributes by which
 * pfm_unwind.ko identifies it.
 */
static char *key_of(int fd)
{
	struct stat info = { .st_size = 0 };

	fstat(fd, &info);
	return checked_printf("%ju %ju %jd %jd.%ld",
			      (uintmax_t)info.st_dev, (uintmax_t)info.st_ino,
			      (intmax_t)info.st_size,
			      (intmax_t)info.st_mtim.tv_sec,
			      info.st_mtim.tv_nsec);
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/*
 * Returns whether a file has never been in the queue, and marks it as known.
 * The caller holds the lock.
 */
static bool is_new(struct file_queue *queue, int fd)
{
	char *key = key_of(fd), **found = tsearch(key, &queue->known, compare);

	if (found && *found == key)
		return true;
	free(key);
	return false;
}

bool file_queue_put(struct file_queue *queue, struct queued_file *file)
{
	bool fits;

	pthread_mutex_lock(&queue->lock);
	fits = queue->count < MOST_QUEUED;
	if (fits && is_new(queue, file->fd))
		queue->files[queue->count++] = *file;
	else if (fits)
		queued_file_free(file);
	pthread_mutex_unlock(&queue->lock);
	return fits;
}

bool file_queue_take(struct file_queue *queue, struct queued_file *file)
{
	bool any;

	pthread_mutex_lock(&queue->lock);
	any = queue->count;
	if (any)
		*file = queue->files[--queue->count];
	pthread_mutex_unlock(&queue->lock);
	return any;
}
