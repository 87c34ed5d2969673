// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * sink.c - any format whose buffer is a sink (perfmon_sink.h)
 *
 * What its records are is not known here, but how many there are, and where. A
 * recorder that overwrites hands nothing out: all of it is saved when it is
 * frozen, and a restart empties it.
 */
#include <perfmon/perfmon_sink.h>

#include "formats/regions.h"
#include "formats/sink.h"

typedef pfm_sink_hdr_t header_t;

_Static_assert(IMAGE_MAX_PIECES > PFM_SINK_MAX_REGIONS, "headers and regions");
_Static_assert(PFM_SINK_RGN_FILLING == (int)REGION_FILLING &&
	       PFM_SINK_RGN_READY == (int)REGION_READY, "states of a region");

static struct regions regions(const void *buffer)
{
	const header_t *header = buffer;
	struct regions all = {
		.offs = header->hdr_region_offs,
		.size = header->hdr_region_size,
		.num = header->hdr_num_regions,
		.current = header->hdr_cur_region,
		.handed_out = LOAD(header->hdr_fills),
		.freed = LOAD(header->hdr_freed),
	};

	if (header->hdr_flags & PFM_SINK_OVERWRITE)
		all.handed_out = all.freed;
	return all;
}

static struct region region(const void *header)
{
	const pfm_sink_rgn_t *rgn = header;
	struct region region = { .seq = LOAD(rgn->rgn_seq) };

	region.state = LOAD(rgn->rgn_state);
	region.count = LOAD(rgn->rgn_count);
	region.used = LOAD(rgn->rgn_used);
	return region;
}

static const struct region_layout layout = {
	.header_size = sizeof(header_t),
	.region_header_size = sizeof(pfm_sink_rgn_t),
	.regions = regions,
	.region = region,
};

bool sink_is_one(const void *buffer, size_t size)
{
	const header_t *header = buffer;

	return size >= sizeof(*header) && header->hdr_magic == PFM_SINK_MAGIC &&
	       PFM_VERSION_MAJOR(header->hdr_version) ==
		       PFM_VERSION_MAJOR(PFM_SINK_VERSION) &&
	       regions_fit(&layout, buffer, size, 1, PFM_SINK_MAX_REGIONS);
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
		return regions_choose_rest(&layout, buffer, pieces);
	return regions_choose_now(&layout, buffer, moment, pieces);
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
