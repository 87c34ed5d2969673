/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* image.h - a copy of selected pieces of a sampling buffer */
#ifndef PFMON_FORMATS_IMAGE_H
#define PFMON_FORMATS_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range of bytes in a buffer. */
struct piece {
	uint64_t offset;
	uint64_t size;
};

/* Enough for the n-way format's headers and its 64 regions. */
#define IMAGE_MAX_PIECES	65

struct image {
	unsigned int count;
	struct piece pieces[IMAGE_MAX_PIECES];	/* by increasing offset */
	unsigned char *bytes;		/* the contents of all pieces */
	size_t room;			/* allocated size of bytes */
	size_t size;			/* used size of bytes */
	uint64_t time_ns;		/* CLOCK_MONOTONIC time of the copy */
};

/*
 * Copies image->pieces from the buffer to image->bytes, which is enlarged if
 * necessary. Each piece is read before the following ones (acquire order).
 */
void image_copy(struct image *image, const void *buffer);

/* Returns whether two images have the same pieces with the same bytes. */
bool image_equal(const struct image *one, const struct image *other);

/*
 * Returns the copy of a range of the buffer; NULL unless all of it was copied.
 */
const void *image_at(const struct image *image, uint64_t offset, size_t size);

#endif /* PFMON_FORMATS_IMAGE_H */
