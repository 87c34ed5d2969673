// SPDX-License-Identifier: MIT OR GPL-2.0
/* nway.c - the n-way sampling format (section 6.3.1 of the specification) */
#include <perfmon/perfmon_read_nway.h>

#include "formats/entries.h"
#include "formats/regions.h"
#include "formats/rows.h"

typedef pfm_nway_smpl_hdr_t header_t;

_Static_assert(IMAGE_MAX_PIECES > PFM_NWAY_MAX_REGIONS, "headers and regions");

static void turns(const void *buffer, struct regions *all)
{
	const header_t *header = buffer;

	all->current = pfm_read_once32(&header->hdr_cur_region);
	all->handed_out = pfm_read_acquire64(&header->hdr_handed_out);
	all->freed = pfm_read_acquire64(&header->hdr_freed);
}

static const struct region_layout layout = {
	.fields = &pfm_read_nway_layout,
	.areas = pfm_read_nway_areas,
	.turns = turns,
};

static bool set_up(struct smpl_format *format, const struct options *options)
{
	const size_t entry_header = sizeof(pfm_default_smpl_entry_t);
	pfm_nway_smpl_arg_t arg = { .num_regions = options->regions };

	if (options->format_options & FORMAT_OPT_MASK_WHEN_FULL)
		arg.buf_flags |= PFM_NWAY_SMPL_MASK_WHEN_FULL;
	format->times = true;
	format->processes = true;
	format->entry_size = entry_header + entries_values(&format->kinds);
	arg.buf_size = PFM_NWAY_REGION_OFFS(options->regions) +
		       entries_room_in(options->regions, entry_header,
				       format->entry_size, options->entries);
	smpl_format_set_arg(format, &arg, sizeof(arg));
	return true;
}

static unsigned int choose(const struct smpl_format *format, const void *buffer,
			   size_t size, enum smpl_moment moment,
			   struct piece pieces[IMAGE_MAX_PIECES])
{
	(void)format;
	if (!regions_fit(&layout, buffer, size)) {
		pieces[0] = (struct piece){ 0, size };
		return 1;
	}
	if (moment == SMPL_END)
		return regions_choose_rest(&layout, buffer, size, pieces);
	return regions_choose_now(&layout, buffer, size, moment, pieces);
}

static bool intact(const void *buffer, const struct image *image)
{
	return regions_intact(&layout, buffer, image);
}

static uint64_t samples(const struct smpl_format *format,
			const struct image *image, uint64_t before)
{
	(void)format;
	return before + regions_samples(&layout, image);
}

/*
 * Returns the number of overwritten samples. Does not add dropped overflows,
 * because pfm_lost in the context's fdinfo includes them.
 */
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
	struct saved_region saved;

	for (unsigned int i = 0; i < image->count; i++) {
		if (regions_saved(&layout, image, i, &saved))
			entries_each_process(&format->kinds, saved.samples,
					     saved.size, visit, data);
	}
}

const struct smpl_module smpl_nway = {
	.name = PFM_NWAY_SMPL_NAME,
	.uuid = PFM_NWAY_SMPL_UUID_STR,
	.summary = PFM_NWAY_SMPL_SUMMARY,
	.options = FORMAT_OPT_ENTRIES | FORMAT_OPT_PMDS | FORMAT_OPT_RANDOM |
		   FORMAT_OPT_REGIONS | FORMAT_OPT_MASK_WHEN_FULL,
	.set_up = set_up,
	.choose = choose,
	.intact = intact,
	.samples = samples,
	.lost = lost,
	.each_process = each_process,
};
