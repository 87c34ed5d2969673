// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * records.c - formats whose samples are records read from a device
 *
 * This file does not depend on the layout of a record. sysfs files contain the
 * name of the device, the size of a record, and the number of lost records
 * (perfmon_fmt_device.h).
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "base/util.h"
#include "formats/records.h"
#include "formats/registered.h"

struct records {
	const struct smpl_format *format;
	uint64_t size;			/* bytes of each record */
	uint64_t lost_before;
};

static uint64_t count_lost(const struct smpl_format *format)
{
	return registered_number(format->uuid, "lost");
}

static void *begin(const struct smpl_format *format)
{
	struct records *records = checked_calloc(1, sizeof(*records));

	records->format = format;
	records->size = registered_number(format->uuid, "record_size");
	records->lost_before = count_lost(format);
	return records;
}

static void scan(void *state, int fd, const struct image *image,
		 struct smpl_scan *found)
{
	const struct records *records = state;

	(void)fd;
	found->samples = records->size ? image->size / records->size : 0;
}

static uint64_t lost(void *state)
{
	const struct records *records = state;

	return count_lost(records->format) - records->lost_before;
}

static void end(void *state)
{
	free(state);
}

static const struct smpl_device device = {
	.begin = begin,
	.scan = scan,
	.lost = lost,
	.end = end,
};

void records_find(struct smpl_format *format)
{
	char *name = registered_line(format->uuid, "device");

	if (!name)
		return;
	smpl_format_set_device(format, &device, name);
	free(name);
}
