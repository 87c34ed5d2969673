/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* capture.h - writes the capture file that docs/capture.md describes */
#ifndef PFMON_CAPTURE_H
#define PFMON_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image.h"

/* A capture that is being written; its owner does the locking. */
struct capture {
	const char *path;
	int fd;
	int error;		/* errno of the first write that failed */
	uint64_t bytes;		/* written so far */
};

/*
 * Every function returns 0, or -1 with errno set. After a write has failed
 * nothing more is written, and all calls fail with that error.
 */
int capture_open(struct capture *capture, const char *path);

/* A chunk with the payload as it is. */
int capture_write(struct capture *capture, const char type[4],
		  const void *payload, size_t length);

/* A payload as a zlib stream. */
struct packed {
	unsigned char *bytes;		/* to be freed; NULL if there is none */
	size_t size;
};

/* False if there is no memory. */
bool capture_pack(struct packed *packed, const void *payload, size_t length);
int capture_write_stored(struct capture *capture, const char type[4],
			 const struct packed *packed);

/* A chunk with the payload as a zlib stream. */
int capture_write_packed(struct capture *capture, const char type[4],
			 const void *payload, size_t length);

/* A BUFR chunk: what was saved of a buffer of buf_size bytes. */
int capture_write_buffer(struct capture *capture, uint32_t context,
			 uint64_t buf_size, const struct image *image);

/* Is it a file that can get another name, and not a pipe or a device? */
bool capture_is_file(const struct capture *capture);

/* Reports an error that only shows now; the file is closed in any case. */
int capture_close(struct capture *capture);

#endif /* PFMON_CAPTURE_H */
