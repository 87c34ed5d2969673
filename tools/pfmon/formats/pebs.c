// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * pebs.c - the PEBS sampling formats, 32-bit and 64-bit
 *
 * The formats differ in the width of their fields. read_area() converts the
 * headers of both to the same struct pfm_read_pebs.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include <perfmon/perfmon_read_pebs32.h>
#include <perfmon/perfmon_read_pebs64.h>

#include "base/util.h"
#include "formats/rows.h"

#define OPTIONS	(FORMAT_OPT_ENTRIES | FORMAT_OPT_IMPRECISE)

static bool is_wide(const struct smpl_format *format)
{
	return format->module != &smpl_pebs32;
}

/* Reads the headers only; returns false if they are invalid. */
static bool read_area(const struct smpl_format *format, const void *buffer,
		      size_t size, struct pfm_read_pebs *area)
{
	struct pfm_read_pebs32 narrow;
	struct pfm_read_pebs64 wide;
	bool ok;

	if (is_wide(format)) {
		pfm_read_pebs64_init(&wide);
		ok = !pfm_read_pebs64_begin(&wide, buffer, size);
		*area = wide.pebs;
	} else {
		pfm_read_pebs32_init(&narrow);
		ok = !pfm_read_pebs32_begin(&narrow, buffer, size);
		*area = narrow.pebs;
	}
	return ok;
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

/*
 * Finds the reset value of the counters. Returns false, with a message, if it
 * is not the same for all events.
 */
static bool find_reset(const struct smpl_format *format,
		       const struct options *options, uint64_t *reset)
{
	uint64_t period = 0;

	for (unsigned int i = 0; i < options->event_count; i++) {
		const struct event_option *event = &options->events[i];

		if (!event->sampling)
			continue;
		if (period && event->short_period != period) {
			message("the sampling format %s needs the same period after a sample for all events, not %llu and %llu: use one of them",
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
		message("buffers of the sampling format %s must be smaller than 4 GiB: lower --smpl-entries",
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
 * The buffer has PFM_PEBS*_SMPL_ALIGN bytes for its headers, then room for
 * exactly as many records as --smpl-entries requests. The format notifies pfmon
 * when the last of these records is written.
 */
static bool set_up(struct smpl_format *format, const struct options *options)
{
	uint64_t reset;

	if (!find_reset(format, options, &reset))
		return false;
	format->precise = !(options->format_options & FORMAT_OPT_IMPRECISE);
	format->entry_size = record_size(format, options);
	format->data_addresses = is_wide(format) && options->record;
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
	struct pfm_read_pebs area;
	uint64_t used = size;

	(void)moment;
	if (read_area(format, buffer, size, &area) && area.index < size)
		used = area.index;
	pieces[0] = (struct piece){ 0, used };
	return 1;
}

static uint64_t samples(const struct smpl_format *format,
			const struct image *image, uint64_t before)
{
	struct pfm_read_pebs area;

	if (read_area(format, image->bytes, image->size, &area))
		before += area.count;
	return before;
}

static uint64_t lost_narrow(const struct smpl_format *format,
			    const void *buffer)
{
	const pfm_pebs32_smpl_hdr_t *header = buffer;

	(void)format;
	return header->hdr_dropped + header->hdr_lost;
}

static uint64_t lost_wide(const struct smpl_format *format, const void *buffer)
{
	const pfm_pebs64_smpl_hdr_t *header = buffer;

	(void)format;
	return header->hdr_dropped + header->hdr_lost;
}

const struct smpl_module smpl_pebs32 = {
	.name = PFM_PEBS32_SMPL_NAME,
	.uuid = PFM_PEBS32_SMPL_UUID_STR,
	.summary = PFM_PEBS32_SMPL_SUMMARY,
	.options = OPTIONS,
	.set_up = set_up,
	.choose = choose,
	.samples = samples,
	.lost = lost_narrow,
};

const struct smpl_module smpl_pebs64 = {
	.name = PFM_PEBS64_SMPL_NAME,
	.uuid = PFM_PEBS64_SMPL_UUID_STR,
	.summary = PFM_PEBS64_SMPL_SUMMARY,
	.options = OPTIONS | FORMAT_OPT_RECORD,
	.set_up = set_up,
	.choose = choose,
	.samples = samples,
	.lost = lost_wide,
};
