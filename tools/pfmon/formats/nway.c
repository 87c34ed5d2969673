// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * nway.c - the n-way sampling format
 *
 * PFM_RESTART frees the oldest region that is handed out, so that this is what
 * is saved at a notification, while the kernel fills other regions. Readers
 * know by a region's number of filling what of it was in an earlier buffer.
 */
#define _GNU_SOURCE
#include <stdatomic.h>

#include <perfmon/perfmon_nway_smpl.h>

#include "formats/entries.h"
#include "formats/table.h"

typedef pfm_nway_smpl_hdr_t header_t;
typedef pfm_nway_smpl_rgn_t region_t;

_Static_assert(IMAGE_MAX_PIECES > PFM_NWAY_MAX_REGIONS, "headers and regions");

/* A field that the kernel may be writing. */
#define LOAD(field)	__atomic_load_n(&(field), __ATOMIC_ACQUIRE)

static uint64_t region_header_at(unsigned int number)
{
	return sizeof(header_t) + number * sizeof(region_t);
}

static bool set_up(struct smpl_format *format, const struct options *options,
		   unsigned int recorded_pmds)
{
	const size_t entry_header = sizeof(pfm_default_smpl_entry_t);
	uint64_t regions = options->regions;
	uint64_t per_region = (options->entries + regions - 1) / regions;
	pfm_nway_smpl_arg_t arg = { .num_regions = options->regions };

	if (options->format_options & FORMAT_OPT_MASK_WHEN_FULL)
		arg.buf_flags |= PFM_NWAY_SMPL_MASK_WHEN_FULL;
	format->entry_size = entry_header + sizeof(uint64_t) * recorded_pmds;
	arg.buf_size = PFM_NWAY_REGION_OFFS(options->regions) +
		       regions * entries_room(entry_header, format->entry_size,
					      per_region);
	smpl_format_set_arg(format, &arg, sizeof(arg));
	return true;
}

/* Whether the offsets and sizes in the header fit the buffer. */
static bool is_sound(const header_t *header, size_t size)
{
	uint64_t count = header->hdr_num_regions;

	return size >= sizeof(*header) && count >= PFM_NWAY_MIN_REGIONS &&
	       count <= PFM_NWAY_MAX_REGIONS &&
	       header->hdr_region_offs >= PFM_NWAY_REGION_OFFS(count) &&
	       header->hdr_region_offs <= size && header->hdr_region_size &&
	       header->hdr_region_size <=
		       (size - header->hdr_region_offs) / count;
}

static const region_t *region_of(const void *buffer, unsigned int number)
{
	return (const void *)((const char *)buffer + region_header_at(number));
}

/* The samples of a region. */
static struct piece content(const header_t *header, unsigned int number)
{
	const region_t *region = region_of(header, number);
	uint64_t used = LOAD(region->rgn_count) ? region->rgn_size : 0;

	if (used > header->hdr_region_size)
		used = header->hdr_region_size;
	return (struct piece){
		header->hdr_region_offs + number * header->hdr_region_size, used
	};
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
 * The oldest region that is handed out, which a restart frees. Without one, at
 * an exec, that which is being filled: a restart leaves it as it is, and it is
 * saved again when it is full.
 */
static unsigned int choose_now(const header_t *header, enum smpl_moment moment,
			       struct piece *pieces)
{
	uint64_t handed_out = LOAD(header->hdr_handed_out);
	uint64_t freed = LOAD(header->hdr_freed);
	unsigned int oldest = (unsigned int)(freed % header->hdr_num_regions);

	if (freed != handed_out)
		return choose_one(header, oldest, PFM_NWAY_RGN_READY, pieces);
	if (moment != SMPL_EXEC ||
	    header->hdr_cur_region >= header->hdr_num_regions)
		return 0;
	return choose_one(header, header->hdr_cur_region, PFM_NWAY_RGN_FILLING,
			  pieces);
}

/* All headers, and the regions whose samples were not saved yet. */
static unsigned int choose_rest(const header_t *header, struct piece *pieces)
{
	unsigned int count = 1;

	pieces[0] = (struct piece){
		0, PFM_NWAY_REGION_OFFS(header->hdr_num_regions)
	};
	for (unsigned int i = 0; i < header->hdr_num_regions; i++) {
		pieces[count] = content(header, i);
		if (region_of(header, i)->rgn_state != PFM_NWAY_RGN_FREE &&
		    pieces[count].size)
			count++;
	}
	return count;
}

static unsigned int choose(const struct smpl_format *format, const void *buffer,
			   size_t size, enum smpl_moment moment,
			   struct piece pieces[IMAGE_MAX_PIECES])
{
	(void)format;
	if (!is_sound(buffer, size)) {
		pieces[0] = (struct piece){ 0, size };
		return 1;
	}
	if (moment == SMPL_END)
		return choose_rest(buffer, pieces);
	return choose_now(buffer, moment, pieces);
}

/* A region whose samples were saved. */
struct saved {
	unsigned int number;
	const region_t *header;
	const void *entries;
	size_t size;
};

/* The first piece has the headers, with the others go headers of regions. */
static bool find_saved(const struct image *image, unsigned int i,
		       struct saved *saved)
{
	const header_t *header = image_at(image, 0, sizeof(*header));
	const struct piece *piece = &image->pieces[i];

	if (!i || !header || piece->offset < header->hdr_region_offs)
		return false;
	saved->number =
		(unsigned int)((piece->offset - header->hdr_region_offs) /
			       header->hdr_region_size);
	saved->header = image_at(image, region_header_at(saved->number),
				 sizeof(*saved->header));
	saved->entries = image_at(image, piece->offset, piece->size);
	saved->size = piece->size;
	return saved->header;
}

/* Whether regions are still what they were when their headers were copied. */
static bool intact(const void *buffer, const struct image *image)
{
	const region_t *now;
	struct saved saved;

	/* Pairs with the kernel's smp_wmb() between rgn_seq and the samples. */
	atomic_thread_fence(memory_order_acquire);
	for (unsigned int i = 0; i < image->count; i++) {
		if (!find_saved(image, i, &saved))
			continue;
		now = region_of(buffer, saved.number);
		if (LOAD(now->rgn_seq) != saved.header->rgn_seq ||
		    LOAD(now->rgn_state) != saved.header->rgn_state ||
		    saved.header->rgn_size != saved.size)
			return false;
	}
	return true;
}

/* Only what is saved at the end has the headers of all regions. */
static bool is_final(const struct image *image)
{
	return image->count && image->pieces[0].size > sizeof(header_t);
}

static uint64_t samples(const struct smpl_format *format,
			const struct image *image)
{
	struct saved saved;
	uint64_t sum = 0;

	(void)format;
	for (unsigned int i = 0; i < image->count; i++) {
		if (find_saved(image, i, &saved) &&
		    (saved.header->rgn_state == PFM_NWAY_RGN_READY ||
		     is_final(image)))
			sum += saved.header->rgn_count;
	}
	return sum;
}

/* The context has already counted dropped overflows as lost. */
static uint64_t lost(const struct smpl_format *format, const void *buffer)
{
	const header_t *header = buffer;

	(void)format;
	return header->hdr_overwritten;
}

static void each_process(const struct smpl_format *format,
			 const struct image *image,
			 void (*visit)(pid_t tgid, void *data), void *data)
{
	struct saved saved;

	for (unsigned int i = 0; i < image->count; i++) {
		if (find_saved(image, i, &saved))
			entries_each_process(saved.entries, saved.size,
					     format->entry_size, visit, data);
	}
}

const struct smpl_module smpl_nway = {
	.name = "nway",
	.uuid = PFM_NWAY_SMPL_UUID_STR,
	.options = FORMAT_OPT_ENTRIES | FORMAT_OPT_PMDS | FORMAT_OPT_RANDOM |
		   FORMAT_OPT_REGIONS | FORMAT_OPT_MASK_WHEN_FULL,
	.set_up = set_up,
	.choose = choose,
	.intact = intact,
	.samples = samples,
	.lost = lost,
	.each_process = each_process,
};
