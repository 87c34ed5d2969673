// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * sink.c - formats whose buffer is a sink, which begins with the common header
 * of perfmon_sink.h
 *
 * The header gives the number and the position of the records. This file does
 * not depend on their layout. When a flight recorder (PFM_SINK_OVERWRITE) has
 * stopped, its whole buffer is saved, because the restart empties it.
 */
#include <perfmon/perfmon_callstack_smpl.h>
#include <perfmon/perfmon_cgroup_counts_smpl.h>
#include <perfmon/perfmon_flight_smpl.h>
#include <perfmon/perfmon_histogram_smpl.h>
#include <perfmon/perfmon_read_sink.h>
#include <perfmon/perfmon_stacks_smpl.h>

#include "formats/described.h"
#include "formats/entries.h"
#include "formats/regions.h"
#include "formats/rows.h"
#include "formats/sink.h"
#include "stacks/table_set.h"

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

/*
 * Returns the number of samples so far. If the buffer is a table, as with
 * histogram and stacks, it is not the number of saved records: several samples
 * may share a record, and the table may be saved several times before it is
 * emptied. A table has only one region. For buffers with one region, the number
 * is therefore computed from the headers.
 */
static uint64_t samples(const struct smpl_format *format,
			const struct image *image, uint64_t before)
{
	const header_t *header = image_at(image, 0, sizeof(*header));
	const pfm_sink_rgn_t *region = image_at(image, sizeof(*header),
						sizeof(*region));
	uint64_t now;

	(void)format;
	if (!header || !region || header->hdr_num_regions != 1)
		return before + regions_samples(&layout, image);
	now = header->hdr_past + region->rgn_count;
	return now > before ? now : before;
}

/*
 * Returns the number of lost samples, without those that did not fit into the
 * buffer: pfm_lost in the context's fdinfo includes them.
 */
static uint64_t lost(const struct smpl_format *format, const void *buffer)
{
	const header_t *header = buffer;
	uint64_t sum = 0;

	(void)format;
	for (unsigned int i = 0; i < PFM_SINK_NUM_LOST; i++)
		sum += i == PFM_SINK_LOST_FULL ? 0 : header->hdr_lost[i];
	return sum;
}

static uint64_t skipped(const struct smpl_format *format, const void *buffer,
			size_t size)
{
	(void)format;
	return pfm_read_sink_skipped(buffer, size);
}

static uint64_t evicted(const struct smpl_format *format, const void *buffer,
			size_t size)
{
	(void)format;
	return pfm_read_sink_evicted(buffer, size);
}

static bool set_up_with_processes(struct smpl_format *format,
				  const struct options *options)
{
	format->processes = true;
	return described_set_up(format, options);
}

static bool set_up_with_times(struct smpl_format *format,
			      const struct options *options)
{
	format->times = true;
	return described_set_up(format, options);
}

/*
 * Returns the size of a buffer for @entries records, each of which has @record
 * bytes plus PMD values.
 */
static uint64_t buffer_for(const struct smpl_format *format, uint64_t entries,
			   size_t record)
{
	const pfm_sink_arg_t *arg = (const pfm_sink_arg_t *)format->arg;
	uint64_t regions = arg->num_regions ? arg->num_regions : 1;
	size_t values = entries_values(&format->kinds);

	return PFM_SINK_REGION_OFFS(regions) +
	       entries_room_in(regions, record, record + values, entries);
}

_Static_assert(offsetof(pfm_callstack_smpl_arg_t, unwind_fd) ==
	       offsetof(pfm_stacks_smpl_arg_t, unwind_fd),
	       "set_up_with_tables() is for both");

static bool set_up_with_tables(struct smpl_format *format,
			       const struct options *options)
{
	pfm_callstack_smpl_arg_t *arg;

	if (!set_up_with_processes(format, options))
		return false;
	if (options->call_graph != CALL_GRAPH_TABLES ||
	    format->arg_size != format->module->arg_size)
		return true;
	format->tables = table_set_open();
	arg = (pfm_callstack_smpl_arg_t *)format->arg;
	if (format->tables)
		arg->unwind_fd = table_set_fd(format->tables);
	return true;
}

static bool callstack_set_up(struct smpl_format *format,
			     const struct options *options)
{
	format->times = true;
	return set_up_with_tables(format, options);
}

static uint64_t callstack_buffer(const struct smpl_format *format,
				 uint64_t entries)
{
	const pfm_callstack_smpl_arg_t *arg =
		(const pfm_callstack_smpl_arg_t *)format->arg;

	return buffer_for(format, entries, sizeof(pfm_callstack_record_t) +
			  2 * arg->max_depth * sizeof(uint64_t));
}

static uint64_t flight_buffer(const struct smpl_format *format,
			      uint64_t entries)
{
	return buffer_for(format, entries, sizeof(pfm_flight_record_t));
}

/* Each entry is one record; no PMD values follow it. */
static uint64_t histogram_buffer(const struct smpl_format *format,
				 uint64_t entries)
{
	(void)format;
	return PFM_SINK_REGION_OFFS(1) +
	       entries * sizeof(pfm_histogram_record_t);
}

/* Assumes that each entry's chains have the maximum length. */
static uint64_t stacks_buffer(const struct smpl_format *format,
			      uint64_t entries)
{
	const pfm_stacks_smpl_arg_t *arg =
		(const pfm_stacks_smpl_arg_t *)format->arg;

	return PFM_SINK_REGION_OFFS(1) +
	       entries * (sizeof(pfm_stacks_record_t) +
			  2 * arg->max_depth * sizeof(uint64_t));
}

#define SINK_CALLS		\
	.choose = choose,	\
	.intact = intact,	\
	.samples = samples,	\
	.lost = lost,		\
	.skipped = skipped,	\
	.evicted = evicted

const struct smpl_module smpl_sink = {
	.name = "sink",
	SINK_CALLS,
};

const struct smpl_module smpl_callstack = {
	.name = PFM_CALLSTACK_SMPL_NAME,
	.uuid = PFM_CALLSTACK_SMPL_UUID_STR,
	.summary = PFM_CALLSTACK_SMPL_SUMMARY,
	.options = FORMAT_OPT_ENTRIES | FORMAT_OPT_UNKNOWN,
	.set_up = callstack_set_up,
	.arg_size = sizeof(pfm_callstack_smpl_arg_t),
	.buffer_size = callstack_buffer,
	SINK_CALLS,
};

const struct smpl_module smpl_flight = {
	.name = PFM_FLIGHT_SMPL_NAME,
	.uuid = PFM_FLIGHT_SMPL_UUID_STR,
	.summary = PFM_FLIGHT_SMPL_SUMMARY,
	.options = FORMAT_OPT_ENTRIES | FORMAT_OPT_UNKNOWN,
	.set_up = set_up_with_times,
	.arg_size = sizeof(pfm_flight_smpl_arg_t),
	.buffer_size = flight_buffer,
	SINK_CALLS,
};

const struct smpl_module smpl_histogram = {
	.name = PFM_HISTOGRAM_SMPL_NAME,
	.uuid = PFM_HISTOGRAM_SMPL_UUID_STR,
	.summary = PFM_HISTOGRAM_SMPL_SUMMARY,
	.options = FORMAT_OPT_ENTRIES | FORMAT_OPT_RANDOM | FORMAT_OPT_ARG,
	.set_up = set_up_with_processes,
	.arg_size = sizeof(pfm_sink_arg_t),
	.buffer_size = histogram_buffer,
	SINK_CALLS,
};

const struct smpl_module smpl_stacks = {
	.name = PFM_STACKS_SMPL_NAME,
	.uuid = PFM_STACKS_SMPL_UUID_STR,
	.summary = PFM_STACKS_SMPL_SUMMARY,
	.options = FORMAT_OPT_ENTRIES | FORMAT_OPT_RANDOM | FORMAT_OPT_ARG,
	.set_up = set_up_with_tables,
	.arg_size = sizeof(pfm_stacks_smpl_arg_t),
	.buffer_size = stacks_buffer,
	SINK_CALLS,
};

const struct smpl_module smpl_cgroup_counts = {
	.name = PFM_CGROUP_COUNTS_SMPL_NAME,
	.uuid = PFM_CGROUP_COUNTS_SMPL_UUID_STR,
	.summary = PFM_CGROUP_COUNTS_SMPL_SUMMARY,
	.options = FORMAT_OPT_PMDS | FORMAT_OPT_RANDOM | FORMAT_OPT_ARG,
	.set_up = described_set_up,
	SINK_CALLS,
};
