// SPDX-License-Identifier: MIT OR GPL-2.0
/* buffers.c - the sampling buffers of a context */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "base/util.h"
#include "formats/rows.h"
#include "formats/sink.h"
#include "session/buffers.h"

void buffers_find_layout(struct buffers *buffers)
{
	buffers->layout = buffers->format->module;
	if (!buffers->layout && buffers->count &&
	    sink_is_one(buffers->list->bytes, buffers->size))
		buffers->layout = &smpl_sink;
}

/*
 * Returns the offset at which mmap() maps a CPU's buffer: for CPU n, n times
 * the buffer size, which is first rounded up to whole pages.
 */
static off_t offset_of(const struct buffers *buffers, int cpu)
{
	off_t page = (off_t)sysconf(_SC_PAGESIZE);
	off_t size = ((off_t)buffers->size + page - 1) / page * page;

	return cpu == ANY_CPU ? 0 : cpu * size;
}

/*
 * Maps the buffer of a CPU. A CPU that was offline when the context was created
 * has no buffer: mmap() then fails with EINVAL, which is not an error here.
 */
static bool map_one(struct buffers *buffers, int fd, int cpu)
{
	void *bytes = mmap(NULL, buffers->size, PROT_READ, MAP_SHARED, fd,
			   offset_of(buffers, cpu));

	if (bytes == MAP_FAILED && errno == EINVAL && cpu != ANY_CPU)
		return true;
	if (bytes == MAP_FAILED) {
		message("cannot map the sampling buffer of %zu bytes: %s",
			buffers->size, strerror(errno));
		return false;
	}
	buffers->list[buffers->count++] = (struct smpl_buffer){
		.cpu = cpu, .bytes = bytes,
	};
	return true;
}

/*
 * Maps the buffers of all CPUs that have one. Tries all possible CPUs: the
 * kernel has created buffers for the CPUs that were online when the context was
 * created. Other CPUs may be online now, and a container may see another list
 * of online CPUs.
 */
static bool map_each(struct buffers *buffers, int fd)
{
	unsigned int count;
	bool ok = true;
	int *cpus;

	if (!cpus_possible(&cpus, &count)) {
		message("cannot read the list of possible CPUs");
		return false;
	}
	buffers->list = checked_calloc(count, sizeof(*buffers->list));
	for (unsigned int i = 0; ok && i < count; i++)
		ok = map_one(buffers, fd, cpus[i]);
	free(cpus);
	if (ok && !buffers->count)
		message("cannot map the sampling buffer of any CPU");
	return ok && buffers->count;
}

static bool map_only(struct buffers *buffers, int fd)
{
	buffers->list = checked_calloc(1, sizeof(*buffers->list));
	return map_one(buffers, fd, ANY_CPU);
}

bool buffers_map(struct buffers *buffers, int fd, bool each_cpu)
{
	bool ok = !buffers->size ||
		  (each_cpu ? map_each(buffers, fd) : map_only(buffers, fd));

	if (ok)
		buffers_find_layout(buffers);
	return ok;
}

void buffers_unmap(struct buffers *buffers)
{
	for (unsigned int i = 0; i < buffers->count; i++) {
		munmap(buffers->list[i].bytes, buffers->size);
		free(buffers->list[i].image.bytes);
	}
	free(buffers->list);
	memset(buffers, 0, sizeof(*buffers));
}

static bool save(const struct buffers *buffers, struct smpl_buffer *buffer,
		 enum smpl_moment moment)
{
	const struct smpl_module *layout = buffers->layout;
	struct image *image = &buffer->image;

	image->count = 1;
	image->pieces[0] = (struct piece){ 0, buffers->size };
	if (layout)
		image->count = layout->choose(buffers->format, buffer->bytes,
					      buffers->size, moment,
					      image->pieces);
	image_copy(image, buffer->bytes);
	return image->count &&
	       (moment == SMPL_END || !layout || !layout->intact ||
		layout->intact(buffer->bytes, image));
}

static bool concerns(const struct smpl_buffer *buffer, int cpu)
{
	return cpu == ANY_CPU || buffer->cpu == ANY_CPU || buffer->cpu == cpu;
}

bool buffers_save(const struct buffers *buffers, int cpu,
		  enum smpl_moment moment)
{
	bool any = false;

	for (unsigned int i = 0; i < buffers->count; i++) {
		struct smpl_buffer *buffer = &buffers->list[i];

		buffer->saved = concerns(buffer, cpu) &&
				save(buffers, buffer, moment);
		any |= buffer->saved;
	}
	return any;
}

bool buffers_had_nothing(const struct buffers *buffers, int cpu)
{
	for (unsigned int i = 0; i < buffers->count; i++) {
		const struct smpl_buffer *buffer = &buffers->list[i];

		if (concerns(buffer, cpu) && buffer->image.count)
			return false;
	}
	return true;
}

void buffers_restarted(const struct buffers *buffers, int cpu)
{
	for (unsigned int i = 0; i < buffers->count; i++) {
		if (concerns(&buffers->list[i], cpu))
			buffers->list[i].position =
				(struct smpl_position){ .count = 0 };
	}
}

void buffers_each_new(const struct buffers *buffers,
		      void (*visit)(const struct pfm_read_entry *entry,
				    void *data),
		      void *data)
{
	for (unsigned int i = 0; i < buffers->count; i++)
		buffers->layout->each_new(buffers->format,
					  buffers->list[i].bytes, buffers->size,
					  &buffers->list[i].position, visit,
					  data);
}

uint64_t buffers_lost(const struct buffers *buffers)
{
	const struct smpl_module *layout = buffers->layout;
	uint64_t lost = 0;

	for (unsigned int i = 0; layout && layout->lost && i < buffers->count;
	     i++)
		lost += layout->lost(buffers->format, buffers->list[i].bytes);
	return lost;
}

/* Returns the sum of a number that is in each buffer. */
static uint64_t sum(const struct buffers *buffers,
		    uint64_t (*number)(const struct smpl_format *format,
				       const void *buffer, size_t size))
{
	uint64_t all = 0;

	for (unsigned int i = 0; number && i < buffers->count; i++)
		all += number(buffers->format, buffers->list[i].bytes,
			      buffers->size);
	return all;
}

uint64_t buffers_skipped(const struct buffers *buffers)
{
	return buffers->layout ? sum(buffers, buffers->layout->skipped) : 0;
}

uint64_t buffers_evicted(const struct buffers *buffers)
{
	return buffers->layout ? sum(buffers, buffers->layout->evicted) : 0;
}
