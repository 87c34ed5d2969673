// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * sink.c - any format whose buffer is a sink (perfmon_sink.h)
 *
 * What its records are is not known here, but how many there are, and where.
 * PFM_RESTART frees the region that was handed out first, so that this is what
 * is saved at a notification. A recorder that overwrites hands nothing out: all
 * of it is saved when it is frozen, and a restart empties it. Readers know by a
 * region's number of filling what of it was in an earlier buffer.
 */
#include <stdatomic.h>

#include <perfmon/perfmon_sink.h>

#include "formats/sink.h"

typedef pfm_sink_hdr_t header_t;
typedef pfm_sink_rgn_t region_t;

_Static_assert(IMAGE_MAX_PIECES > PFM_SINK_MAX_REGIONS, "headers and regions");

/* A field that the kernel may be writing. */
#define LOAD(field)	__atomic_load_n(&(field), __ATOMIC_ACQUIRE)

bool sink_is_one(const void *buffer, size_t size)
{
	const header_t *header = buffer;
	uint64_t count, first;

	if (size < sizeof(*header) || header->hdr_magic != PFM_SINK_MAGIC ||
	    PFM_VERSION_MAJOR(header->hdr_version) !=
		    PFM_VERSION_MAJOR(PFM_SINK_VERSION))
		return false;
	count = header->hdr_num_regions;
	first = header->hdr_region_offs;
	return count && count <= PFM_SINK_MAX_REGIONS &&
	       first >= PFM_SINK_REGION_OFFS(count) && first <= size &&
	       header->hdr_region_size &&
	       header->hdr_region_size <= (size - first) / count;
}

static uint64_t region_header_at(unsigned int number)
{
	return sizeof(header_t) + number * sizeof(region_t);
}

static const region_t *region_of(const void *buffer, unsigned int number)
{
	return (const region_t *)((const header_t *)buffer + 1) + number;
}

/* The records of a region. */
static struct piece content(const header_t *header, unsigned int number)
{
	const region_t *region = region_of(header, number);
	uint64_t used = LOAD(region->rgn_count) ? region->rgn_used : 0;

	if (used > header->hdr_region_size)
		used = header->hdr_region_size;
	return (struct piece){
		header->hdr_region_offs + number * header->hdr_region_size, used
	};
}

/* All headers, and the records that were not saved yet. */
static unsigned int choose_all(const header_t *header, struct piece *pieces)
{
	unsigned int count = 1;

	pieces[0] = (struct piece){
		0, PFM_SINK_REGION_OFFS(header->hdr_num_regions)
	};
	for (unsigned int i = 0; i < header->hdr_num_regions; i++) {
		pieces[count] = content(header, i);
		if (LOAD(region_of(header, i)->rgn_seq) && pieces[count].size)
			count++;
	}
	return count;
}

static unsigned int choose_one(const header_t *header, unsigned int number,
			       uint32_t state, struct piece *pieces)
{
	if (LOAD(region_of(header, number)->rgn_state) != state)
		return 0;
	pieces[0] = (struct piece){ 0, sizeof(*header) };
	pieces[1] =
		(struct piece){ region_header_at(number), sizeof(region_t) };
	pieces[2] = content(header, number);
	return pieces[2].size ? 3 : 0;
}

/*
 * The region that was handed out first, which a restart frees. Without one, at
 * an exec, that which is being filled: a restart leaves it as it is, and it is
 * saved again when it is full.
 */
static unsigned int choose_now(const header_t *header, enum smpl_moment moment,
			       struct piece *pieces)
{
	uint64_t freed = LOAD(header->hdr_freed);
	bool overwrites = header->hdr_flags & PFM_SINK_OVERWRITE;

	if (overwrites && moment == SMPL_NOTIFIED)
		return choose_all(header, pieces);
	if (!overwrites && LOAD(header->hdr_fills) != freed)
		return choose_one(header, freed % header->hdr_num_regions,
				  PFM_SINK_RGN_READY, pieces);
	if (moment != SMPL_EXEC ||
	    header->hdr_cur_region >= header->hdr_num_regions)
		return 0;
	return choose_one(header, header->hdr_cur_region,
			  PFM_SINK_RGN_FILLING, pieces);
}

static unsigned int choose(const struct smpl_format *format, const void *buffer,
			   size_t size, enum smpl_moment moment,
			   struct piece pieces[IMAGE_MAX_PIECES])
{
	(void)format;
	if (!sink_is_one(buffer, size)) {
		pieces[0] = (struct piece){ 0, size };
		return 1;
	}
	if (moment == SMPL_END)
		return choose_all(buffer, pieces);
	return choose_now(buffer, moment, pieces);
}

/* A region whose records were saved, and its header. */
static const region_t *saved_region(const struct image *image, unsigned int i,
				    unsigned int *number)
{
	const header_t *header = image_at(image, 0, sizeof(*header));
	uint64_t offset = image->pieces[i].offset;

	if (!header || !i || offset < header->hdr_region_offs)
		return NULL;
	*number = (unsigned int)((offset - header->hdr_region_offs) /
				 header->hdr_region_size);
	return image_at(image, region_header_at(*number), sizeof(region_t));
}

/* Whether regions are still what they were when their headers were copied. */
static bool intact(const void *buffer, const struct image *image)
{
	const region_t *saved;
	unsigned int number;

	/* Pairs with the kernel's smp_wmb() between rgn_seq and the records. */
	atomic_thread_fence(memory_order_acquire);
	for (unsigned int i = 0; i < image->count; i++) {
		saved = saved_region(image, i, &number);
		if (saved &&
		    (LOAD(region_of(buffer, number)->rgn_seq) !=
			     saved->rgn_seq ||
		     saved->rgn_used != image->pieces[i].size))
			return false;
	}
	return true;
}

/* Only what is not saved again has the headers of all regions. */
static bool is_final(const struct image *image)
{
	return image->count && image->pieces[0].size > sizeof(header_t);
}

static uint64_t samples(const struct smpl_format *format,
			const struct image *image)
{
	const region_t *saved;
	unsigned int number;
	uint64_t sum = 0;

	(void)format;
	for (unsigned int i = 0; i < image->count; i++) {
		saved = saved_region(image, i, &number);
		if (saved && (saved->rgn_state == PFM_SINK_RGN_READY ||
			      is_final(image)))
			sum += saved->rgn_count;
	}
	return sum;
}

/* The context has already counted those that found no room. */
static uint64_t lost(const struct smpl_format *format, const void *buffer)
{
	const header_t *header = buffer;
	uint64_t sum = 0;

	(void)format;
	for (unsigned int i = 0; i < PFM_SINK_NUM_LOST; i++)
		sum += i == PFM_SINK_LOST_FULL ? 0 : header->hdr_lost[i];
	return sum;
}

const struct smpl_module smpl_sink = {
	.name = "sink",
	.choose = choose,
	.intact = intact,
	.samples = samples,
	.lost = lost,
};
