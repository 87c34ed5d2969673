// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * sink.c - any format whose buffer is a sink (perfmon_sink.h)
 *
 * What its records are is not known here, but how many there are, and where. A
 * recorder that overwrites hands nothing out: all of it is saved when it is
 * frozen, and a restart empties it.
 */
#include <perfmon/perfmon_read_sink.h>

#include "formats/regions.h"
#include "formats/sink.h"

typedef pfm_sink_hdr_t header_t;

_Static_assert(IMAGE_MAX_PIECES > PFM_SINK_MAX_REGIONS, "headers and regions");

static void turns(const void *buffer, struct regions *all)
{
	const header_t *header = buffer;

	all->current = pfm_read_once32(&header->hdr_cur_region);
	all->handed_out = pfm_read_acquire64(&header->hdr_fills);
	all->freed = pfm_read_acquire64(&header->hdr_freed);
	if (header->hdr_flags & PFM_SINK_OVERWRITE)
		all->handed_out = all->freed;
}

static const struct region_layout layout = {
	.fields = &pfm_read_sink_layout,
	.areas = pfm_read_sink_areas,
	.turns = turns,
};

bool sink_is_one(const void *buffer, size_t size)
{
	return regions_fit(&layout, buffer, size);
}

static unsigned int choose(const struct smpl_format *format, const void *buffer,
			   size_t size, enum smpl_moment moment,
			   struct piece pieces[IMAGE_MAX_PIECES])
{
	const header_t *header = buffer;

	(void)format;
	if (!sink_is_one(buffer, size)) {
		pieces[0] = (struct piece){ 0, size };
		return 1;
	}
	if (moment == SMPL_END || (moment == SMPL_NOTIFIED &&
				   header->hdr_flags & PFM_SINK_OVERWRITE))
		return regions_choose_rest(&layout, buffer, size, pieces);
	return regions_choose_now(&layout, buffer, size, moment, pieces);
}

static bool intact(const void *buffer, const struct image *image)
{
	return regions_intact(&layout, buffer, image);
}

static uint64_t samples(const struct smpl_format *format,
			const struct image *image)
{
	(void)format;
	return regions_samples(&layout, image);
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
