// SPDX-License-Identifier: MIT OR GPL-2.0
/* image.c - a copy of selected pieces of a sampling buffer */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "formats/image.h"

/* Makes room for all pieces; may discard the previous contents. */
static void make_room(struct image *image)
{
	size_t size = 0;

	for (unsigned int i = 0; i < image->count; i++)
		size += image->pieces[i].size;
	if (size <= image->room)
		return;
	free(image->bytes);
	image->bytes = checked_realloc(NULL, size, 1);
	image->room = size;
}

void image_copy(struct image *image, const void *buffer)
{
	make_room(image);
	image->size = 0;
	for (unsigned int i = 0; i < image->count; i++) {
		const struct piece *piece = &image->pieces[i];

		memcpy(image->bytes + image->size,
		       (const char *)buffer + piece->offset, piece->size);
		image->size += piece->size;
		atomic_thread_fence(memory_order_acquire);
	}
	image->time_ns = clock_ns(CLOCK_MONOTONIC);
}

bool image_equal(const struct image *one, const struct image *other)
{
	return one->count == other->count && one->size == other->size &&
	       !memcmp(one->pieces, other->pieces,
		       one->count * sizeof(*one->pieces)) &&
	       !memcmp(one->bytes, other->bytes, one->size);
}

const void *image_at(const struct image *image, uint64_t offset, size_t size)
{
	const unsigned char *bytes = image->bytes;

	for (unsigned int i = 0; i < image->count; i++) {
		const struct piece *piece = &image->pieces[i];
		uint64_t skipped = offset - piece->offset;

		if (offset >= piece->offset && skipped <= piece->size &&
		    size <= piece->size - skipped)
			return bytes + skipped;
		bytes += piece->size;
	}
	return NULL;
}
