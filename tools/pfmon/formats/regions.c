// SPDX-License-Identifier: MIT OR GPL-2.0
/* regions.c - buffers whose regions are filled, handed out and freed in turn */
#include <stdatomic.h>

#include "formats/regions.h"

static uint64_t region_header_at(const struct region_layout *layout,
				 uint64_t number)
{
	return layout->header_size + number * layout->region_header_size;
}

static struct region region_of(const struct region_layout *layout,
			       const void *buffer, uint64_t number)
{
	return layout->region((const char *)buffer +
			      region_header_at(layout, number));
}

bool regions_fit(const struct region_layout *layout, const void *buffer,
		 size_t size, uint64_t min, uint64_t max)
{
	struct regions all;

	if (size < layout->header_size)
		return false;
	all = layout->regions(buffer);
	return all.num >= min && all.num <= max &&
	       all.offs >= region_header_at(layout, all.num) &&
	       all.offs <= size && all.size &&
	       all.size <= (size - all.offs) / all.num;
}

/* The samples of a region. */
static struct piece content(const struct regions *all, uint64_t number,
			    const struct region *region)
{
	uint64_t used = region->count ? region->used : 0;

	if (used > all->size)
		used = all->size;
	return (struct piece){ all->offs + number * all->size, used };
}

static unsigned int choose_one(const struct region_layout *layout,
			       const void *buffer, const struct regions *all,
			       uint64_t number, enum region_state state,
			       struct piece *pieces)
{
	struct region region = region_of(layout, buffer, number);

	if (region.state != state)
		return 0;
	pieces[0] = (struct piece){ 0, layout->header_size };
	pieces[1] = (struct piece){ region_header_at(layout, number),
				    layout->region_header_size };
	pieces[2] = content(all, number, &region);
	return pieces[2].size ? 3 : 0;
}

/*
 * The oldest region that is handed out, which a restart frees. Without one, at
 * an exec, that which is being filled: a restart leaves it as it is, and it is
 * saved again when it is full.
 */
unsigned int regions_choose_now(const struct region_layout *layout,
				const void *buffer, enum smpl_moment moment,
				struct piece *pieces)
{
	struct regions all = layout->regions(buffer);

	if (all.freed != all.handed_out)
		return choose_one(layout, buffer, &all, all.freed % all.num,
				  REGION_READY, pieces);
	if (moment != SMPL_EXEC || all.current >= all.num)
		return 0;
	return choose_one(layout, buffer, &all, all.current, REGION_FILLING,
			  pieces);
}

unsigned int regions_choose_rest(const struct region_layout *layout,
				 const void *buffer, struct piece *pieces)
{
	struct regions all = layout->regions(buffer);
	unsigned int count = 1;

	pieces[0] = (struct piece){ 0, region_header_at(layout, all.num) };
	for (uint64_t i = 0; i < all.num; i++) {
		struct region region = region_of(layout, buffer, i);

		pieces[count] = content(&all, i, &region);
		if (region.state != REGION_FREE && pieces[count].size)
			count++;
	}
	return count;
}

/* The first piece has the headers, with the others go headers of regions. */
bool regions_saved(const struct region_layout *layout,
		   const struct image *image, unsigned int i,
		   struct saved_region *saved)
{
	const void *header = image_at(image, 0, layout->header_size);
	const struct piece *piece = &image->pieces[i];
	struct regions all;

	if (!i || !header)
		return false;
	all = layout->regions(header);
	if (piece->offset < all.offs)
		return false;
	saved->number = (unsigned int)((piece->offset - all.offs) / all.size);
	header = image_at(image, region_header_at(layout, saved->number),
			  layout->region_header_size);
	if (!header)
		return false;
	saved->header = layout->region(header);
	saved->samples = image_at(image, piece->offset, piece->size);
	saved->size = piece->size;
	return true;
}

bool regions_intact(const struct region_layout *layout, const void *buffer,
		    const struct image *image)
{
	struct saved_region saved;
	struct region now;

	/* Pairs with the kernel's smp_wmb() between the number and samples. */
	atomic_thread_fence(memory_order_acquire);
	for (unsigned int i = 0; i < image->count; i++) {
		if (!regions_saved(layout, image, i, &saved))
			continue;
		now = region_of(layout, buffer, saved.number);
		if (now.seq != saved.header.seq ||
		    now.state != saved.header.state ||
		    saved.header.used != saved.size)
			return false;
	}
	return true;
}

/* Only what is not saved again has the headers of all regions. */
static bool is_final(const struct region_layout *layout,
		     const struct image *image)
{
	return image->count && image->pieces[0].size > layout->header_size;
}

uint64_t regions_samples(const struct region_layout *layout,
			 const struct image *image)
{
	struct saved_region saved;
	uint64_t sum = 0;

	for (unsigned int i = 0; i < image->count; i++) {
		if (regions_saved(layout, image, i, &saved) &&
		    (saved.header.state == REGION_READY ||
		     is_final(layout, image)))
			sum += saved.header.count;
	}
	return sum;
}
