/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * image.h - a copy of those pieces of a sampling buffer that are worth keeping
 */
#ifndef PFMON_IMAGE_H
#define PFMON_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a buffer, counted from its first one. */
struct piece {
	uint64_t offset;
	uint64_t size;
};

/* The n-way format's headers and its 64 regions. */
#define IMAGE_MAX_PIECES	65

struct image {
	unsigned int count;
	struct piece pieces[IMAGE_MAX_PIECES];	/* in increasing offset */
	unsigned char *bytes;		/* of all pieces, one after the other */
	size_t room;			/* for so many of them */
	size_t size;			/* of all bytes */
	uint64_t time_ns;		/* CLOCK_MONOTONIC when it was copied */
};

/*
 * Copies image->pieces out of the buffer into image->bytes, which grows to have
 * room for them. What is in a piece is loaded before what is in a later one.
 */
void image_copy(struct image *image, const void *buffer);

/* Are the same bytes in both, of the same places? */
bool image_equal(const struct image *one, const struct image *other);

/* The copied bytes at an offset of the buffer; NULL if not all are there. */
const void *image_at(const struct image *image, uint64_t offset, size_t size);

#endif /* PFMON_IMAGE_H */
