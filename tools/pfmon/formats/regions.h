/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * regions.h - buffers whose regions are filled, handed out and freed in turn
 *
 * A header is followed by one header for each region, and these by the regions.
 * How the fields lie in them differs from layout to layout, what they mean does
 * not. PFM_RESTART frees the oldest region that is handed out, so that this is
 * what is saved at a notification, while the kernel fills other regions. By a
 * region's number of filling readers know what of it was in an earlier buffer.
 */
#ifndef PFMON_FORMATS_REGIONS_H
#define PFMON_FORMATS_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/format.h"
#include "image.h"

/* A field that the kernel may be writing. */
#define LOAD(field)	__atomic_load_n(&(field), __ATOMIC_ACQUIRE)

/* States of a region, the same in all layouts. */
enum region_state {
	REGION_FREE,
	REGION_FILLING,
	REGION_READY,		/* full and stable */
};

/* What a buffer's header says. Sizes and offsets are in bytes. */
struct regions {
	uint64_t offs;		/* of region 0 */
	uint64_t size;		/* of each */
	uint64_t num;
	uint64_t current;	/* the one that is being filled */
	uint64_t handed_out;
	uint64_t freed;
};

/* What a region's header says. */
struct region {
	uint64_t seq;		/* number of this filling */
	uint32_t state;
	uint64_t count;		/* samples */
	uint64_t used;		/* bytes that they take */
};

struct region_layout {
	size_t header_size;
	size_t region_header_size;
	struct regions (*regions)(const void *header);

	/* Loads the fields in their order above, each with acquire. */
	struct region (*region)(const void *header);
};

/* A region whose samples were saved. */
struct saved_region {
	unsigned int number;
	struct region header;
	const void *samples;
	size_t size;
};

/* Whether there are min to max regions, and they fit behind their headers. */
bool regions_fit(const struct region_layout *layout, const void *buffer,
		 size_t size, uint64_t min, uint64_t max);

/*
 * What to save of a buffer whose regions fit, as of struct smpl_module: all
 * headers, and the regions whose samples were not saved yet; and what a moment
 * asks for that is not the end.
 */
unsigned int regions_choose_rest(const struct region_layout *layout,
				 const void *buffer, struct piece *pieces);
unsigned int regions_choose_now(const struct region_layout *layout,
				const void *buffer, enum smpl_moment moment,
				struct piece *pieces);

/* Piece i of an image; false if it is no region's. */
bool regions_saved(const struct region_layout *layout,
		   const struct image *image, unsigned int i,
		   struct saved_region *saved);

/* Whether regions are still what they were when their headers were copied. */
bool regions_intact(const struct region_layout *layout, const void *buffer,
		    const struct image *image);

/* Samples in what was saved and will not be saved again. */
uint64_t regions_samples(const struct region_layout *layout,
			 const struct image *image);

#endif /* PFMON_FORMATS_REGIONS_H */
