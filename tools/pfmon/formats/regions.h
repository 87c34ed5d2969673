/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * regions.h - buffers with regions that are filled and freed in turn
 *
 * The buffer's header is followed by a header for each region, then by the
 * regions. Formats differ only in the layout of the headers. PFM_RESTART frees
 * the oldest full region. At a notification, pfmon saves this region while the
 * kernel fills others. Each time a region is filled anew, it gets a new, higher
 * number. By this number, readers recognise samples that were saved before.
 */
#ifndef PFMON_FORMATS_REGIONS_H
#define PFMON_FORMATS_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfmon/perfmon_read_regions.h>

#include "formats/format.h"
#include "formats/image.h"

/* State of the regions, from the buffer's header. */
struct regions {
	struct pfm_read_areas areas;
	uint64_t current;	/* the region that is being filled */
	uint64_t handed_out;	/* full regions given to pfmon so far */
	uint64_t freed;		/* how many of these were freed */
};

struct region_layout {
	const struct pfm_read_region_layout *fields;

	/* Finds the regions; see pfm_read_nway_areas(). */
	int (*areas)(const void *buffer, size_t size,
		     struct pfm_read_areas *areas,
		     struct pfm_read_problem *problem);

	/* Sets all members of @all except areas. */
	void (*turns)(const void *header, struct regions *all);
};

/* A region that was saved in an image. */
struct saved_region {
	unsigned int number;
	struct pfm_read_region header;
	const void *samples;
	size_t size;
};

/* Returns whether the headers are valid and all regions are in the buffer. */
bool regions_fit(const struct region_layout *layout, const void *buffer,
		 size_t size);

/*
 * Choose the pieces of a valid buffer to save, like choose() of struct
 * smpl_module. regions_choose_now() chooses one region. regions_choose_rest()
 * is called at the end, and chooses all headers and all unsaved regions.
 */
unsigned int regions_choose_rest(const struct region_layout *layout,
				 const void *buffer, size_t size,
				 struct piece *pieces);
unsigned int regions_choose_now(const struct region_layout *layout,
				const void *buffer, size_t size,
				enum smpl_moment moment, struct piece *pieces);

/*
 * Finds the region that is piece i of an image; returns false if that piece is
 * not a region.
 */
bool regions_saved(const struct region_layout *layout,
		   const struct image *image, unsigned int i,
		   struct saved_region *saved);

/*
 * Returns whether the saved regions have not changed since their headers were
 * copied.
 */
bool regions_intact(const struct region_layout *layout, const void *buffer,
		    const struct image *image);

/* Returns the number of saved samples that will not be saved again. */
uint64_t regions_samples(const struct region_layout *layout,
			 const struct image *image);

#endif /* PFMON_FORMATS_REGIONS_H */
