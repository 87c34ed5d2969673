// SPDX-License-Identifier: MIT OR GPL-2.0
/* format.c - a sampling format, ready to create contexts with */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "formats/format.h"
#include "stacks/table_set.h"

void smpl_format_set_arg(struct smpl_format *format, const void *arg,
			 size_t size)
{
	format->arg = checked_calloc(size, 1);
	format->arg_size = size;
	if (arg)
		memcpy(format->arg, arg, size);
}

void smpl_format_set_device(struct smpl_format *format,
			    const struct smpl_device *device, const char *name)
{
	format->device = device;
	format->device_path = checked_printf("/dev/%s", name);
}

void smpl_format_free(struct smpl_format *format)
{
	free(format->name);
	free(format->arg);
	free(format->arg_text);
	free(format->device_path);
	table_set_close(format->tables);
	memset(format, 0, sizeof(*format));
}
