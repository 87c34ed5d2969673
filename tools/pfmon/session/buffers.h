/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* buffers.h - the sampling buffers of a context */
#ifndef PFMON_SESSION_BUFFERS_H
#define PFMON_SESSION_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/format.h"
#include "formats/image.h"

#define ANY_CPU		(-1)

/* A mapped buffer, and how far its samples have been saved and visited. */
struct smpl_buffer {
	int cpu;			/* ANY_CPU: the only buffer */
	void *bytes;
	struct image image;		/* last saved copy */
	bool saved;			/* the image must be recorded */
	uint64_t samples;		/* recorded so far */
	struct smpl_position position;	/* end of the visited samples */
};

/*
 * The buffers of a context: none without sampling, one for each CPU if children
 * inherit the context, otherwise one.
 */
struct buffers {
	const struct smpl_format *format;
	const struct smpl_module *layout;	/* NULL: unknown */
	size_t size;				/* of each buffer, in bytes */
	struct smpl_buffer *list;
	unsigned int count;
};

/*
 * Maps the buffers. Returns false with a message on failure. The caller calls
 * buffers_unmap() in any case.
 */
bool buffers_map(struct buffers *buffers, int fd, bool each_cpu);
void buffers_unmap(struct buffers *buffers);

/*
 * Finds the layout of the buffers. If pfmon does not know the format,
 * recognises the layout by the header of the buffer.
 */
void buffers_find_layout(struct buffers *buffers);

/*
 * Copies the buffer of a CPU, or all buffers for ANY_CPU. Returns whether any
 * copy must be recorded.
 */
bool buffers_save(const struct buffers *buffers, int cpu,
		  enum smpl_moment moment);

/*
 * Returns whether the last buffers_save() of a CPU's buffer found nothing that
 * a restart would free.
 */
bool buffers_had_nothing(const struct buffers *buffers, int cpu);

/*
 * Makes buffers_each_new() visit a CPU's buffer, or all buffers for ANY_CPU,
 * from the start. Call it after a restart.
 */
void buffers_restarted(const struct buffers *buffers, int cpu);

/*
 * Calls visit with each sample that was recorded since the last call. The
 * layout must have each_new.
 */
void buffers_each_new(const struct buffers *buffers,
		      void (*visit)(const struct pfm_read_entry *entry,
				    void *data),
		      void *data);

/*
 * Return how many samples the format has lost, how many samples it has skipped,
 * and how many thread states it has evicted.
 */
uint64_t buffers_lost(const struct buffers *buffers);
uint64_t buffers_skipped(const struct buffers *buffers);
uint64_t buffers_evicted(const struct buffers *buffers);

#endif /* PFMON_SESSION_BUFFERS_H */
