/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* stream.h - samples that are read from a device of the format */
#ifndef PFMON_STREAM_H
#define PFMON_STREAM_H

#include <pthread.h>
#include <stdbool.h>

#include "formats/format.h"
#include "image.h"
#include "recording.h"
#include "waiter.h"

struct stream {
	const struct smpl_device *device;	/* NULL: the format has none */
	const char *path;			/* its, the format's */
	void *state;				/* the device's */
	int fd;
	int stop_fd;				/* readable: reading must end */
	bool reading;				/* the thread exists */
	pthread_t thread;
	struct image image;			/* what was read last */
	struct recording *recording;
	struct waiter *waiter;
	bool failed;
};

/*
 * Opens the device, if the format has one; a context that exists has loaded the
 * format's module. False with a message if it cannot be read.
 */
bool stream_open(struct stream *stream, const struct smpl_format *format);

/*
 * Starts a thread that records what comes; if that fails, it wakes the waiter.
 */
bool stream_start(struct stream *stream, struct recording *recording,
		  struct waiter *waiter);

/*
 * Records what is left when all contexts are detached, and what was lost. False
 * if anything of the stream could not be recorded.
 */
bool stream_finish(struct stream *stream);

/* Whatever happened before. */
void stream_close(struct stream *stream);

#endif /* PFMON_STREAM_H */
