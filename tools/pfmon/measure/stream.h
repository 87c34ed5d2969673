/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* stream.h - record samples from a sampling format's device */
#ifndef PFMON_MEASURE_STREAM_H
#define PFMON_MEASURE_STREAM_H

#include <pthread.h>
#include <stdbool.h>

#include "capture/recording.h"
#include "formats/format.h"
#include "formats/image.h"
#include "measure/waiter.h"

struct stream {
	const struct smpl_device *device;	/* NULL: the format has none */
	const char *path;			/* of the device */
	void *state;				/* for the device's functions */
	int fd;
	int stop_fd;				/* readable: stop the thread */
	bool reading;				/* the thread exists */
	pthread_t thread;
	struct image image;			/* the last data read */
	struct recording *recording;
	struct waiter *waiter;
	bool failed;
};

/*
 * Opens the device, if the format has one. A context must exist, so that the
 * format's module is loaded. Returns false with a message on failure.
 */
bool stream_open(struct stream *stream, const struct smpl_format *format);

/*
 * Starts a thread that records the stream. If recording fails, the thread wakes
 * the waiter with WAKE_ALARM.
 */
bool stream_start(struct stream *stream, struct recording *recording,
		  struct waiter *waiter);

/*
 * Records the rest of the stream and the number of lost samples. Call it after
 * all contexts have been detached. Returns false if any part of the stream was
 * not recorded.
 */
bool stream_finish(struct stream *stream);

/* Closes the device; may be called in any state. */
void stream_close(struct stream *stream);

#endif /* PFMON_MEASURE_STREAM_H */
