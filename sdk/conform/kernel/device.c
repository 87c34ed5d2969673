// SPDX-License-Identifier: GPL-2.0
/*
 * device.c - read the device of a format (perfmon_fmt_device.h)
 *
 * The checks open the device, because without a reader all samples would be
 * lost. Before each overflow, the records of this CPU are discarded, and the
 * slot after the one for the next record is poisoned.
 */
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/string.h>
#include <perfmon/perfmon_fmt_device.h>
#include "conform.h"

static struct file device_reader;

/*
 * Return: the format's device; NULL if it has none that is based on
 * perfmon_fmt_device.h.
 */
static struct pfm_device *device_of(const pfm_buffer_fmt_t *fmt)
{
	const struct attribute *const *attrs;

	if (fmt->fmt_getsize || !fmt->fmt_groups || !fmt->fmt_groups[0])
		return NULL;
	attrs = (const void *)fmt->fmt_groups[0]->attrs;
	if (!attrs || !attrs[0] || strcmp(attrs[0]->name, "device"))
		return NULL;
	return pfm_device_of(fmt);
}

void conform_device_open(struct conform *c)
{
	struct pfm_device *dev = device_of(c->fmt);

	c->device = NULL;
	if (!dev)
		return;
	/*
	 * Assign single members: in some kernels struct file has const members,
	 * so that it cannot be assigned as a whole.
	 */
	device_reader.f_op = dev->misc.fops;
	device_reader.f_flags = O_RDONLY | O_NONBLOCK;
	device_reader.private_data = &dev->misc;
	if (!dev->misc.fops->open(NULL, &device_reader))
		c->device = dev;
}

void conform_device_close(struct conform *c)
{
	if (c->device)
		c->device->misc.fops->release(NULL, &device_reader);
	c->device = NULL;
}

void conform_device_poison(struct conform *c)
{
	struct pfm_ring *r = this_cpu_ptr(c->device->rings);

	r->tail = r->head;
	c->used = r->head;
	c->poison = pfm_ring_at(r, r->head + 1);
	c->poisoned = min_t(size_t, CONFORM_NEAR, r->stride);
	memcpy(c->poison, conform_pattern, c->poisoned);
}

int conform_device_unpoison(struct conform *c)
{
	struct pfm_ring *r = this_cpu_ptr(c->device->rings);
	size_t at;

	c->recorded |= r->head != c->used;
	for (at = 0; at < c->poisoned; at++)
		if (c->poison[at] != conform_pattern[at])
			return conform_fail(c,
					    "the format wrote past the record that it published: at offset %zu, but the record has %zu bytes",
					    c->device->record_size + at,
					    c->device->record_size);
	return 0;
}
