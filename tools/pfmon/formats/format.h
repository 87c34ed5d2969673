/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* format.h - what pfmon knows of a sampling format */
#ifndef PFMON_FORMATS_FORMAT_H
#define PFMON_FORMATS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <perfmon/perfmon.h>
#include <perfmon/perfmon_read_default.h>

#include "base/settings.h"
#include "formats/image.h"

struct smpl_device;

/* How far entries of a buffer have been seen. */
struct smpl_position {
	uint64_t count;
	uint64_t offset;
};

/* What samples are recorded of: one kind per event that samples. */
struct smpl_kinds {
	const struct pfm_read_kind *list;
	unsigned int count;
};

/* A sampling format, ready to create contexts with. */
struct smpl_format {
	const struct smpl_module *module;	/* NULL: unknown layout */
	char *name;
	pfm_uuid_t uuid;
	struct smpl_kinds kinds;		/* the caller's */
	unsigned char *arg;
	size_t arg_size;
	char *arg_text;				/* it, in words; or NULL */
	const struct smpl_device *device;	/* NULL: it has a buffer */
	char *device_path;
	size_t entry_size;			/* bytes of the longest entry */
	uint32_t flags;				/* the module's own */
	bool precise;				/* sampling events must be */
	bool data_addresses;			/* its samples have some */
};

/* When a buffer is saved. */
enum smpl_moment {
	SMPL_NOTIFIED,		/* PFM_RESTART follows */
	SMPL_EXEC,		/* it follows; the thread stands still */
	SMPL_END,		/* nothing follows: save all that is left */
};

/* What was found in a part of a stream. */
struct smpl_scan {
	uint64_t samples;
	char *text;		/* a chunk that explains them, or NULL */
};

/* A device that the samples of a format without a buffer are read from. */
struct smpl_device {
	const char *chunk;	/* type of the chunks that explain samples */

	/* The state of one measurement; losses count from here. */
	void *(*begin)(const struct smpl_format *format);

	/* Looks through what was read from fd, in its order. */
	void (*scan)(void *state, int fd, const struct image *image,
		     struct smpl_scan *found);

	/* Samples that were lost since begin(). */
	uint64_t (*lost)(void *state);
	void (*end)(void *state);
};

/*
 * What pfmon knows of one format's layout. buffer is the mapped buffer, size
 * its size in bytes.
 */
struct smpl_module {
	const char *name;
	const char *uuid;
	const char *summary;			/* what a sample is */
	unsigned int options;			/* FORMAT_OPT_* that it takes */
	const char *view;			/* pfmparse's, or NULL */

	/* Sets what follows the kinds in format. False with a message. */
	bool (*set_up)(struct smpl_format *format,
		       const struct options *options);

	/*
	 * For described_set_up(), with FORMAT_OPT_ENTRIES: bytes of a buffer
	 * that holds so many samples, as the argument is.
	 */
	uint64_t (*buffer_size)(const struct smpl_format *format,
				uint64_t entries);

	/*
	 * What to save. Returns the number of pieces; 0: nothing, and a restart
	 * has nothing to free. What is saved at an exec may be saved again.
	 */
	unsigned int (*choose)(const struct smpl_format *format,
			       const void *buffer, size_t size,
			       enum smpl_moment moment,
			       struct piece pieces[IMAGE_MAX_PIECES]);

	/*
	 * Optional: whether the kernel has left alone what was copied. Without
	 * it, what is chosen does not change before PFM_RESTART.
	 */
	bool (*intact)(const void *buffer, const struct image *image);

	/* Samples in what was saved and will not be saved again. */
	uint64_t (*samples)(const struct smpl_format *format,
			    const struct image *image);

	/* Optional: samples that the buffer says were lost, so far. */
	uint64_t (*lost)(const struct smpl_format *format, const void *buffer);

	/*
	 * Optional, for formats whose entries have the value that their counter
	 * was loaded with: calls visit with those behind the position, which
	 * moves on. The buffer may be in use; the position is 0 when it has
	 * been freed.
	 */
	void (*each_new)(const struct smpl_format *format, const void *buffer,
			 size_t size, struct smpl_position *position,
			 void (*visit)(const struct pfm_read_entry *entry,
				       void *data),
			 void *data);

	/*
	 * Optional: calls visit with the process of each entry; repetitions may
	 * be left out.
	 */
	void (*each_process)(const struct smpl_format *format,
			     const struct image *image,
			     void (*visit)(pid_t tgid, void *data), void *data);
};

void smpl_format_free(struct smpl_format *format);

/* Copies the argument; for set_up(). */
void smpl_format_set_arg(struct smpl_format *format, const void *arg,
			 size_t size);

/* Samples come from /dev/<name>, instead of a buffer; for set_up(). */
void smpl_format_set_device(struct smpl_format *format,
			    const struct smpl_device *device, const char *name);

#endif /* PFMON_FORMATS_FORMAT_H */
