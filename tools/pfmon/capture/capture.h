/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* capture.h - write a capture file, see docs/capture.md */
#ifndef PFMON_CAPTURE_CAPTURE_H
#define PFMON_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/image.h"

/* A capture that is being written. The owner provides locking. */
struct capture {
	const char *path;
	int fd;
	int error;		/* errno of the first write that failed */
	uint64_t bytes;		/* written so far */
};

/*
 * These functions return 0, or -1 with errno set. After a failed write nothing
 * more is written, and all calls fail with that error.
 */
int capture_open(struct capture *capture, const char *path);

/* Writes a chunk with an uncompressed payload. */
int capture_write(struct capture *capture, const char type[4],
		  const void *payload, size_t length);

/* A payload compressed to a zlib stream. */
struct packed {
	unsigned char *bytes;		/* to be freed, or NULL */
	size_t size;
};

/* Compresses a payload; false if memory is exhausted. */
bool capture_pack(struct packed *packed, const void *payload, size_t length);
int capture_write_stored(struct capture *capture, const char type[4],
			 const struct packed *packed);

/* Compresses a payload and writes it as a chunk. */
int capture_write_packed(struct capture *capture, const char type[4],
			 const void *payload, size_t length);

/* Writes a BUFR chunk with the saved parts of a buffer of buf_size bytes. */
int capture_write_buffer(struct capture *capture, uint32_t context,
			 uint64_t buf_size, const struct image *image);

/*
 * Copies those chunks about processes and threads (MAPS, THRD, PROC) that begin
 * at or after position @from of another capture.
 */
int capture_copy_processes(struct capture *capture, const char *path,
			   uint64_t from);

/* Returns whether the capture is a regular file, which can be renamed. */
bool capture_is_file(const struct capture *capture);

/* Closes the file, even after a failed write. Also fails if close(2) fails. */
int capture_close(struct capture *capture);

#endif /* PFMON_CAPTURE_CAPTURE_H */
