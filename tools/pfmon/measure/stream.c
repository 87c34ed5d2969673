// SPDX-License-Identifier: MIT OR GPL-2.0
/* stream.c - record samples from a sampling format's device */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/util.h"
#include "capture/recording_totals.h"
#include "measure/stream.h"

/* Maximum size of one read in bytes. */
#define ROOM		(256 << 10)

/*
 * The device is read ten times a second. If pfmon read continuously, each read
 * would return one sample, and pfmon's own reads would cause most samples.
 */
#define INTERVAL_MS	100

static void explain_open(const char *path, int error)
{
	if (error == ENOENT)
		message("there is no %s, although the sampling format is registered: perhaps /dev is not a devtmpfs",
			path);
	else if (error == EBUSY)
		message("%s has another reader: wait until that session ends",
			path);
	else
		message("cannot open %s: %s", path, strerror(error));
}

bool stream_open(struct stream *stream, const struct smpl_format *format)
{
	const struct smpl_device *device = format->device;

	memset(stream, 0, sizeof(*stream));
	if (!device)
		return true;
	stream->fd = open(format->device_path,
			  O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (stream->fd < 0) {
		explain_open(format->device_path, errno);
		return false;
	}
	stream->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (stream->stop_fd < 0) {
		message("cannot create an eventfd: %s", strerror(errno));
		close(stream->fd);
		return false;
	}
	stream->device = device;
	stream->path = format->device_path;
	stream->state = device->begin(format);
	stream->image.bytes = checked_calloc(ROOM, 1);
	return true;
}

/* Records the data from the last read() as a separate buffer in the capture. */
static bool record(struct stream *stream, size_t size)
{
	const struct smpl_device *device = stream->device;
	struct image *image = &stream->image;
	struct smpl_scan found = { 0, NULL };

	image->count = 1;
	image->pieces[0] = (struct piece){ 0, size };
	image->size = size;
	image->time_ns = clock_ns(CLOCK_MONOTONIC);
	device->scan(stream->state, stream->fd, image, &found);
	return recording_stream(stream->recording, image, found.samples,
				device->chunk, found.text);
}

/*
 * Records the available data. If @all is set, continues until a read returns
 * nothing.
 */
static bool read_stream(struct stream *stream, bool all)
{
	ssize_t got;

	do {
		got = read(stream->fd, stream->image.bytes, ROOM);
		if (got > 0 && !record(stream, (size_t)got))
			return false;
	} while (got == ROOM || (all && got > 0) ||
		 (got < 0 && errno == EINTR));
	if (got >= 0 || errno == EAGAIN)
		return true;
	message("cannot read from %s: %s", stream->path, strerror(errno));
	return false;
}

static void *serve(void *data)
{
	struct stream *stream = data;
	struct pollfd stop = { .fd = stream->stop_fd, .events = POLLIN };

	while (poll(&stop, 1, INTERVAL_MS) <= 0) {
		if (!read_stream(stream, false)) {
			stream->failed = true;
			waiter_alarm(stream->waiter);
			break;
		}
	}
	return NULL;
}

bool stream_start(struct stream *stream, struct recording *recording,
		  struct waiter *waiter)
{
	int error;

	if (!stream->device)
		return true;
	stream->recording = recording;
	stream->waiter = waiter;
	error = pthread_create(&stream->thread, NULL, serve, stream);
	if (error)
		message("cannot start a thread: %s", strerror(error));
	stream->reading = !error;
	return stream->reading;
}

static void stop_reading(struct stream *stream)
{
	if (!stream->reading)
		return;
	raise_event(stream->stop_fd);
	pthread_join(stream->thread, NULL);
	stream->reading = false;
}

bool stream_finish(struct stream *stream)
{
	if (!stream->device)
		return true;
	stop_reading(stream);
	if (stream->failed || !read_stream(stream, true))
		return false;
	recording_lost(stream->recording, stream->device->lost(stream->state));
	return true;
}

void stream_close(struct stream *stream)
{
	if (!stream->device)
		return;
	stop_reading(stream);
	stream->device->end(stream->state);
	free(stream->image.bytes);
	close(stream->stop_fd);
	close(stream->fd);
	memset(stream, 0, sizeof(*stream));
}
