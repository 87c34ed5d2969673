// SPDX-License-Identifier: MIT OR GPL-2.0
/* regions.c - buffers with regions that are filled and freed in turn */
#include "formats/regions.h"

static uint64_t region_header_at(const struct region_layout *layout,
				 uint64_t number)
{
	return pfm_read_region_offs(layout->fields, number);
}

static struct pfm_read_region region_of(const struct region_layout *layout,
					const void *buffer, uint64_t number)
{
	struct pfm_read_region region;

	pfm_read_region_load(layout->fields,
			     (const char *)buffer +
			     region_header_at(layout, number), &region);
	return region;
}

/*
 * Finds the regions; returns false if the headers are invalid. Does not check
 * that the regions are in the buffer, because an image may lack some.
 */
static bool find_regions(const struct region_layout *layout, const void *buffer,
			 size_t size, struct regions *all)
{
	struct pfm_read_problem problem;

	if (layout->areas(buffer, size, &all->areas, &problem) ||
	    !all->areas.size)
		return false;
	layout->turns(buffer, all);
	return true;
}

bool regions_fit(const struct region_layout *layout, const void *buffer,
		 size_t size)
{
	struct regions all;

	return find_regions(layout, buffer, size, &all) &&
	       all.areas.offs + all.areas.num * all.areas.size <= size;
}

/* Returns the piece with the samples of a region. */
static struct piece content(const struct pfm_read_areas *areas, uint64_t number,
			    const struct pfm_read_region *region)
{
	uint64_t used = region->count ? region->used : 0;

	if (used > areas->size)
		used = areas->size;
	return (struct piece){ areas->offs + number * areas->size, used };
}

/* Returns the piece between the regions' headers and the first region. */
static struct piece rest_of_headers(const struct region_layout *layout,
				    const struct pfm_read_areas *areas)
{
	uint64_t start = region_header_at(layout, areas->num);

	return (struct piece){ start, areas->offs - start };
}

static unsigned int choose_one(const struct region_layout *layout,
			       const void *buffer, const struct regions *all,
			       uint64_t number, uint32_t state,
			       struct piece *pieces)
{
	struct pfm_read_region region = region_of(layout, buffer, number);
	unsigned int count = 2;

	if (region.state != state)
		return 0;
	pieces[0] = (struct piece){ 0, layout->fields->header };
	pieces[1] = (struct piece){ region_header_at(layout, number),
				    layout->fields->region };
	pieces[count] = rest_of_headers(layout, &all->areas);
	if (pieces[count].size)
		count++;
	pieces[count] = content(&all->areas, number, &region);
	return pieces[count].size ? count + 1 : 0;
}

/*
 * Chooses the oldest full region, which a restart frees. If no region is full
 * and @moment is SMPL_EXEC, chooses the region that is being filled. A restart
 * does not free that region, so it is saved again when it is full.
 */
unsigned int regions_choose_now(const struct region_layout *layout,
				const void *buffer, size_t size,
				enum smpl_moment moment, struct piece *pieces)
{
	struct regions all;

	if (!find_regions(layout, buffer, size, &all))
		return 0;
	if (all.freed != all.handed_out)
		return choose_one(layout, buffer, &all,
				  all.freed % all.areas.num,
				  PFM_READ_RGN_READY, pieces);
	if (moment != SMPL_EXEC || all.current >= all.areas.num)
		return 0;
	return choose_one(layout, buffer, &all, all.current,
			  PFM_READ_RGN_FILLING, pieces);
}

unsigned int regions_choose_rest(const struct region_layout *layout,
				 const void *buffer, size_t size,
				 struct piece *pieces)
{
	struct pfm_read_region region;
	unsigned int count = 1;
	struct regions all;

	if (!find_regions(layout, buffer, size, &all))
		return 0;
	pieces[0] = (struct piece){ 0, all.areas.offs };
	for (uint64_t i = 0; i < all.areas.num; i++) {
		region = region_of(layout, buffer, i);
		pieces[count] = content(&all.areas, i, &region);
		if (region.state != PFM_READ_RGN_FREE && pieces[count].size)
			count++;
	}
	return count;
}

/*
 * Pieces at lower offsets than the first region contain headers: piece 0 and,
 * in images from regions_choose_now(), one or two more. All others are regions.
 */
bool regions_saved(const struct region_layout *layout,
		   const struct image *image, unsigned int i,
		   struct saved_region *saved)
{
	const void *header = image_at(image, 0, layout->fields->header);
	const struct piece *piece = &image->pieces[i];
	struct regions all;

	if (!i || !header ||
	    !find_regions(layout, header, layout->fields->header, &all) ||
	    piece->offset < all.areas.offs)
		return false;
	saved->number = (unsigned int)((piece->offset - all.areas.offs) /
				       all.areas.size);
	header = image_at(image, region_header_at(layout, saved->number),
			  layout->fields->region);
	if (!header)
		return false;
	pfm_read_region_load(layout->fields, header, &saved->header);
	saved->samples = image_at(image, piece->offset, piece->size);
	saved->size = piece->size;
	return true;
}

bool regions_intact(const struct region_layout *layout, const void *buffer,
		    const struct image *image)
{
	struct saved_region saved;
	const void *now;

	for (unsigned int i = 0; i < image->count; i++) {
		if (!regions_saved(layout, image, i, &saved))
			continue;
		now = (const char *)buffer +
		      region_header_at(layout, saved.number);
		if (!pfm_read_region_is_same(now, saved.header.seq) ||
		    region_of(layout, buffer, saved.number).state !=
			    saved.header.state ||
		    saved.header.used != saved.size)
			return false;
	}
	return true;
}

/*
 * Returns whether this is the last image, which contains the headers of all
 * regions.
 */
static bool is_final(const struct region_layout *layout,
		     const struct image *image)
{
	return image->count && image->pieces[0].size > layout->fields->header;
}

uint64_t regions_samples(const struct region_layout *layout,
			 const struct image *image)
{
	struct saved_region saved;
	uint64_t sum = 0;

	for (unsigned int i = 0; i < image->count; i++) {
		if (regions_saved(layout, image, i, &saved) &&
		    (saved.header.state == PFM_READ_RGN_READY ||
		     is_final(layout, image)))
			sum += saved.header.count;
	}
	return sum;
}
