// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * pebs.c - the PEBS sampling formats, 32-bit and 64-bit
 *
 * They differ in the width of the fields. What pfmon
 * needs of a buffer is read from either into a struct area.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include <perfmon/perfmon_pebs32_smpl.h>
#include <perfmon/perfmon_pebs64_smpl.h>

#include "formats/table.h"
#include "util.h"

#define OPTIONS	(FORMAT_OPT_ENTRIES | FORMAT_OPT_IMPRECISE)

/* A buffer's records, in offsets from its first byte. */
struct area {
	uint64_t base;
	uint64_t index;
	uint64_t entry_size;
	uint64_t lost;		/* records that were not written */
};

static bool is_wide(const struct smpl_format *format)
{
	return format->module == &smpl_pebs64;
}

static struct area read_narrow(const pfm_pebs32_smpl_hdr_t *header)
{
	const pfm_pebs32_ds_area_t *ds = &header->hdr_ds;

	return (struct area){
		.base = ds->pebs_buf_base,
		.index = __atomic_load_n(&ds->pebs_index, __ATOMIC_ACQUIRE),
		.entry_size = header->hdr_entry_size,
		.lost = header->hdr_dropped + header->hdr_lost,
	};
}

static struct area read_wide(const pfm_pebs64_smpl_hdr_t *header)
{
	const pfm_pebs64_ds_area_t *ds = &header->hdr_ds;

	return (struct area){
		.base = ds->pebs_buf_base,
		.index = __atomic_load_n(&ds->pebs_index, __ATOMIC_ACQUIRE),
		.entry_size = header->hdr_entry_size,
		.lost = header->hdr_dropped + header->hdr_lost,
	};
}

static struct area read_area(const struct smpl_format *format,
			     const void *buffer)
{
	return is_wide(format) ? read_wide(buffer) : read_narrow(buffer);
}

static size_t header_size(const struct smpl_format *format)
{
	return is_wide(format) ? sizeof(pfm_pebs64_smpl_hdr_t) :
	       sizeof(pfm_pebs32_smpl_hdr_t);
}

static size_t record_size(const struct smpl_format *format,
			  const struct options *options)
{
	if (!is_wide(format))
		return sizeof(pfm_pebs32_smpl_entry_t);
	switch (options->record) {
	case PFM_PEBS64_SMPL_NEHALEM:
		return sizeof(pfm_pebs64_nhm_entry_t);
	case PFM_PEBS64_SMPL_HASWELL:
		return sizeof(pfm_pebs64_hsw_entry_t);
	case PFM_PEBS64_SMPL_SKYLAKE:
		return sizeof(pfm_pebs64_skl_entry_t);
	default:
		return sizeof(pfm_pebs64_smpl_entry_t);
	}
}

/* The counter's value after each record, the same for all events. */
static bool find_reset(const struct smpl_format *format,
		       const struct options *options, uint64_t *reset)
{
	uint64_t period = 0;

	for (unsigned int i = 0; i < options->event_count; i++) {
		const struct event_option *event = &options->events[i];

		if (!event->sampling)
			continue;
		if (period && event->short_period != period) {
			message("the sampling format %s has one short period for all events, not %llu and %llu",
				format->name, (unsigned long long)period,
				(unsigned long long)event->short_period);
			return false;
		}
		period = event->short_period;
	}
	*reset = -period;
	return true;
}

static bool set_up_narrow(struct smpl_format *format,
			  const struct options *options, uint64_t reset)
{
	uint64_t size = PFM_PEBS32_SMPL_ALIGN +
			options->entries * format->entry_size;
	pfm_pebs32_smpl_arg_t arg = {
		.buf_size = (uint32_t)size,
		.intr_thres = (uint32_t)options->entries,
		.cnt_reset = reset,
	};

	if (size > UINT32_MAX) {
		message("a buffer of the sampling format %s has less than 4 GiB: lower --smpl-entries",
			format->name);
		return false;
	}
	if (!format->precise)
		arg.flags |= PFM_PEBS32_SMPL_IMPRECISE;
	smpl_format_set_arg(format, &arg, sizeof(arg));
	return true;
}

static void set_up_wide(struct smpl_format *format,
			const struct options *options, uint64_t reset)
{
	pfm_pebs64_smpl_arg_t arg = {
		.buf_size = PFM_PEBS64_SMPL_ALIGN +
			    options->entries * format->entry_size,
		.intr_thres = options->entries,
		.flags = options->record,
		.cnt_reset = reset,
	};

	if (!format->precise)
		arg.flags |= PFM_PEBS64_SMPL_IMPRECISE;
	smpl_format_set_arg(format, &arg, sizeof(arg));
}

/*
 * Both headers fit before the first multiple of 256 bytes, where the records
 * begin. The notification comes with the last one that there is room for.
 */
static bool set_up(struct smpl_format *format, const struct options *options,
		   unsigned int recorded_pmds)
{
	uint64_t reset;

	(void)recorded_pmds;
	if (!find_reset(format, options, &reset))
		return false;
	format->precise = !(options->format_options & FORMAT_OPT_IMPRECISE);
	format->entry_size = record_size(format, options);
	if (!is_wide(format))
		return set_up_narrow(format, options, reset);
	set_up_wide(format, options, reset);
	return true;
}

_Static_assert(sizeof(pfm_pebs32_smpl_hdr_t) <= PFM_PEBS32_SMPL_ALIGN, "");
_Static_assert(sizeof(pfm_pebs64_smpl_hdr_t) <= PFM_PEBS64_SMPL_ALIGN, "");

static unsigned int choose(const struct smpl_format *format, const void *buffer,
			   size_t size, enum smpl_moment moment,
			   struct piece pieces[IMAGE_MAX_PIECES])
{
	uint64_t used = read_area(format, buffer).index;

	(void)moment;
	if (used < header_size(format) || used > size)
		used = size;
	pieces[0] = (struct piece){ 0, used };
	return 1;
}

static uint64_t samples(const struct smpl_format *format,
			const struct image *image)
{
	const void *header = image_at(image, 0, header_size(format));
	struct area area = { 0, 0, 0, 0 };

	uint64_t end;

	if (header)
		area = read_area(format, header);
	end = area.index < image->size ? area.index : image->size;
	if (!area.entry_size || end < area.base)
		return 0;
	return (end - area.base) / area.entry_size;
}

static uint64_t lost(const struct smpl_format *format, const void *buffer)
{
	return read_area(format, buffer).lost;
}

const struct smpl_module smpl_pebs32 = {
	.name = "pebs32",
	.uuid = PFM_PEBS32_SMPL_UUID_STR,
	.options = OPTIONS,
	.set_up = set_up,
	.choose = choose,
	.samples = samples,
	.lost = lost,
};

const struct smpl_module smpl_pebs64 = {
	.name = "pebs64",
	.uuid = PFM_PEBS64_SMPL_UUID_STR,
	.options = OPTIONS | FORMAT_OPT_RECORD,
	.set_up = set_up,
	.choose = choose,
	.samples = samples,
	.lost = lost,
};
