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

#include <perfmon/perfmon_read_regions.h>

#include "formats/format.h"
#include "formats/image.h"

/* What a buffer's header says. */
struct regions {
	struct pfm_read_areas areas;
	uint64_t current;	/* the one that is being filled */
	uint64_t handed_out;
	uint64_t freed;
};

struct region_layout {
	const struct pfm_read_region_layout *fields;

	/* Where regions are; as pfm_read_nway_areas(). */
	int (*areas)(const void *buffer, size_t size,
		     struct pfm_read_areas *areas,
		     struct pfm_read_problem *problem);

	/* Sets what is behind the areas. */
	void (*turns)(const void *header, struct regions *all);
};

/* A region whose samples were saved. */
struct saved_region {
	unsigned int number;
	struct pfm_read_region header;
	const void *samples;
	size_t size;
};

/* Whether what the header says of regions is right, and all are there. */
bool regions_fit(const struct region_layout *layout, const void *buffer,
		 size_t size);

/*
 * What to save of a buffer whose regions fit, as of struct smpl_module: all
 * headers, and the regions whose samples were not saved yet; and what a moment
 * asks for that is not the end.
 */
unsigned int regions_choose_rest(const struct region_layout *layout,
				 const void *buffer, size_t size,
				 struct piece *pieces);
unsigned int regions_choose_now(const struct region_layout *layout,
				const void *buffer, size_t size,
				enum smpl_moment moment, struct piece *pieces);

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
