// SPDX-License-Identifier: MIT OR GPL-2.0
/* smpl_default.c - the default sampling format (section 3.6) */
#define _GNU_SOURCE
#include <string.h>

#include <perfmon/perfmon_default_smpl.h>

#include "smpl.h"
#include "util.h"

static size_t entry_header_size(uint32_t flags)
{
	if (flags & PFM_DFL_SMPL_NO_HDR)
		return 0;
	if (flags & PFM_DFL_SMPL_IIP_HDR)
		return sizeof(uint64_t);
	return sizeof(pfm_default_smpl_entry_t);
}

/*
 * The buffer is full when the largest possible entry, one with every PMD of
 * the PMU, does not fit any more (3.6.5). It holds as many entries as were
 * asked for if that becomes so with the last of them.
 */
static uint64_t buffer_size(const struct smpl_format *format, uint64_t entries)
{
	uint64_t largest = entry_header_size(format->flags) +
			   sizeof(uint64_t) * pmu_pmd_count();

	return sizeof(pfm_default_smpl_hdr_t) + largest +
	       (entries - 1) * format->entry_size;
}

static void set_up(struct smpl_format *format, const struct options *options,
		   unsigned int recorded_pmds)
{
	pfm_default_smpl_arg_t arg = { .buf_flags = options->format_flags };

	format->flags = options->format_flags;
	format->entry_size = entry_header_size(format->flags) +
			     sizeof(uint64_t) * recorded_pmds;
	arg.buf_size = buffer_size(format, options->entries);
	format->arg = checked_calloc(1, sizeof(arg));
	format->arg_size = sizeof(arg);
	memcpy(format->arg, &arg, sizeof(arg));
}

static bool read_header(const void *buffer, size_t size,
			pfm_default_smpl_hdr_t *header)
{
	if (size < sizeof(*header))
		return false;
	memcpy(header, buffer, sizeof(*header));
	return true;
}

static size_t used(const void *buffer, size_t size)
{
	pfm_default_smpl_hdr_t header;

	if (!read_header(buffer, size, &header) ||
	    header.hdr_cur_offs < sizeof(header) || header.hdr_cur_offs > size)
		return size;
	return header.hdr_cur_offs;
}

static uint64_t samples(const void *buffer, size_t size)
{
	pfm_default_smpl_hdr_t header;

	return read_header(buffer, size, &header) ? header.hdr_count : 0;
}

static void each_process(const struct smpl_format *format, const void *buffer,
			 size_t used, void (*visit)(pid_t tgid, void *data),
			 void *data)
{
	const size_t first = sizeof(pfm_default_smpl_hdr_t);
	pfm_default_smpl_entry_t entry;
	pid_t last = -1;

	if (entry_header_size(format->flags) != sizeof(entry))
		return;
	for (size_t at = first; at + format->entry_size <= used;
	     at += format->entry_size) {
		memcpy(&entry, (const char *)buffer + at, sizeof(entry));
		if ((pid_t)entry.tgid != last)
			visit((pid_t)entry.tgid, data);
		last = (pid_t)entry.tgid;
	}
}

const struct smpl_module smpl_default = {
	.name = "default",
	.uuid = PFM_DFL_SMPL_UUID_STR,
	.set_up = set_up,
	.used = used,
	.samples = samples,
	.each_process = each_process,
};
