// SPDX-License-Identifier: MIT OR GPL-2.0
/* default.c - the default sampling format (section 3.6 of the specification) */
#define _GNU_SOURCE
#include <string.h>

#include <perfmon/perfmon_read_default.h>

#include "formats/entries.h"
#include "formats/rows.h"

static size_t entry_header_size(uint32_t flags)
{
	if (flags & PFM_DFL_SMPL_NO_HDR)
		return 0;
	if (flags & PFM_DFL_SMPL_IIP_HDR)
		return sizeof(uint64_t);
	return sizeof(pfm_default_smpl_entry_t);
}

static bool has_full_header(uint32_t flags)
{
	return entry_header_size(flags) == sizeof(pfm_default_smpl_entry_t);
}

static uint32_t flags_of(const struct options *options)
{
	uint32_t flags = 0;

	if (options->format_options & FORMAT_OPT_NO_HDR)
		flags |= PFM_DFL_SMPL_NO_HDR;
	if (options->format_options & FORMAT_OPT_IP_ONLY)
		flags |= PFM_DFL_SMPL_IIP_HDR;
	if (options->format_options & FORMAT_OPT_RAW_TIME)
		flags |= PFM_DFL_SMPL_RAW_TIME;
	return flags;
}

static bool set_up(struct smpl_format *format, const struct options *options)
{
	uint32_t flags = flags_of(options);
	pfm_default_smpl_arg_t arg = { .buf_flags = flags };

	format->flags = flags;
	format->precise = format->module->pmds;
	format->times = has_full_header(flags);
	format->processes = format->times;
	format->entry_size = entry_header_size(flags) +
			     entries_values(&format->kinds);
	arg.buf_size = sizeof(pfm_default_smpl_hdr_t) +
		       entries_room(entry_header_size(flags),
				    format->entry_size, options->entries);
	smpl_format_set_arg(format, &arg, sizeof(arg));
	return true;
}

/*
 * Initializes a reader of @buffer. Returns false if the header of the buffer is
 * invalid; does not check the entries.
 */
static bool begin(struct pfm_read_default *reader,
		  const struct smpl_format *format, const void *buffer,
		  size_t size)
{
	return !pfm_read_default_init(reader, format->kinds.list,
				      format->kinds.count) &&
	       !pfm_read_default_begin(reader, buffer, size, 0);
}

static unsigned int choose(const struct smpl_format *format, const void *buffer,
			   size_t size, enum smpl_moment moment,
			   struct piece pieces[IMAGE_MAX_PIECES])
{
	struct pfm_read_default reader;
	uint64_t used = size;

	(void)moment;
	if (begin(&reader, format, buffer, size) && reader.cur_offs < size)
		used = reader.cur_offs;
	pieces[0] = (struct piece){ 0, used };
	return 1;
}

static uint64_t samples(const struct smpl_format *format,
			const struct image *image, uint64_t before)
{
	struct pfm_read_default reader;

	if (begin(&reader, format, image->bytes, image->size))
		before += reader.count;
	return before;
}

static void each_process(const struct smpl_format *format,
			 const struct image *image,
			 void (*visit)(pid_t tgid, void *data), void *data)
{
	const size_t first = sizeof(pfm_default_smpl_hdr_t);

	if (has_full_header(format->flags) && image->size > first)
		entries_each_process(&format->kinds, image->bytes + first,
				     image->size - first, visit, data);
}

static void each_new(const struct smpl_format *format, const void *buffer,
		     size_t size, struct smpl_position *position,
		     void (*visit)(const struct pfm_read_entry *entry,
				   void *data),
		     void *data)
{
	struct pfm_read_default reader;

	if (!begin(&reader, format, buffer, size) ||
	    reader.count <= position->count)
		return;
	if (position->count) {
		reader.found = position->count;
		reader.cur = position->offset;
	}
	while (pfm_read_default_next(&reader) > 0)
		visit(&reader.entry, data);
	position->count = reader.found;
	position->offset = reader.cur;
}

const struct smpl_module smpl_default = {
	.name = PFM_DFL_SMPL_NAME,
	.uuid = PFM_DFL_SMPL_UUID_STR,
	.summary = PFM_DFL_SMPL_SUMMARY,
	.options = FORMAT_OPT_IP_ONLY | FORMAT_OPT_NO_HDR | FORMAT_OPT_ENTRIES |
		   FORMAT_OPT_PMDS | FORMAT_OPT_RANDOM | FORMAT_OPT_FREQUENCY |
		   FORMAT_OPT_RAW_TIME,
	.set_up = set_up,
	.choose = choose,
	.samples = samples,
	.each_new = each_new,
	.each_process = each_process,
};

/*
 * Records samples like default, with the data of memory accesses. At the end,
 * pfmparse prints the histograms that the original pfmon printed.
 */
const struct smpl_module smpl_dear_hist = {
	.name = "dear-hist",
	.uuid = PFM_DFL_SMPL_UUID_STR,
	.summary = "like default, with a view of memory latency at the end",
	.options = FORMAT_OPT_ENTRIES | FORMAT_OPT_PMDS | FORMAT_OPT_RANDOM |
		   FORMAT_OPT_FREQUENCY | FORMAT_OPT_RAW_TIME |
		   FORMAT_OPT_SHOW_FUNC | FORMAT_OPT_SHOW_TOP |
		   FORMAT_OPT_VIEWS,
	.view = "mem",
	.pmds = "addr,latency,source",
	.set_up = set_up,
	.choose = choose,
	.samples = samples,
	.each_new = each_new,
	.each_process = each_process,
};
