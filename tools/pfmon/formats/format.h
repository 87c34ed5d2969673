/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* format.h - a sampling format, and the operations on its buffer */
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
struct table_set;

/* Position in a buffer after the entries that were already visited. */
struct smpl_position {
	uint64_t count;
	uint64_t offset;
};

/* The kinds of samples, one per sampling event. */
struct smpl_kinds {
	const struct pfm_read_kind *list;
	unsigned int count;
};

/* A sampling format, ready to create contexts with. */
struct smpl_format {
	const struct smpl_module *module;	/* NULL: unknown layout */
	char *name;
	pfm_uuid_t uuid;
	struct smpl_kinds kinds;		/* owned by the caller */
	unsigned char *arg;
	size_t arg_size;
	char *arg_text;				/* arg as text, or NULL */
	struct table_set *tables;		/* for user stacks, or NULL */
	const struct smpl_device *device;	/* NULL: it has a buffer */
	char *device_path;
	size_t entry_size;			/* bytes of the longest entry */
	uint32_t flags;				/* defined by the module */
	bool precise;				/* events must be precise */
	bool data_addresses;			/* samples have addresses */
	bool times;				/* samples have times */
	bool processes;				/* samples have process IDs */
};

/* Why a buffer is saved. PFM_RESTART follows, except at the end. */
enum smpl_moment {
	SMPL_NOTIFIED,		/* notification or snapshot */
	SMPL_EXEC,		/* exec, or refresh of the live view */
	SMPL_END,		/* the end: save all that is left */
};

/* The results of smpl_device.scan() for a part of the data. */
struct smpl_scan {
	uint64_t samples;
	char *text;		/* to save in the capture, or NULL */
};

/* A device from which samples are read, for formats without a buffer. */
struct smpl_device {
	const char *chunk;	/* type of the chunks for smpl_scan.text */

	/*
	 * Allocates the state of a measurement, and begins to count lost
	 * samples.
	 */
	void *(*begin)(const struct smpl_format *format);

	/* Scans a part of the data from fd; called for all parts in order. */
	void (*scan)(void *state, int fd, const struct image *image,
		     struct smpl_scan *found);

	/* Returns the number of samples lost since begin(). */
	uint64_t (*lost)(void *state);
	void (*end)(void *state);
};

/*
 * The operations of one format. @buffer is the mapped sampling buffer, which
 * has @size bytes.
 */
struct smpl_module {
	const char *name;
	const char *uuid;
	const char *summary;			/* one line about the samples */
	unsigned int options;			/* accepted FORMAT_OPT_* */
	const char *view;			/* pfmparse's view, or NULL */
	const char *pmds;			/* implied PMDs, or NULL */
	size_t arg_size;			/* needed by buffer_size() */

	/*
	 * Sets the members of *format that are declared below @kinds. Returns
	 * false, with a message, on failure.
	 */
	bool (*set_up)(struct smpl_format *format,
		       const struct options *options);

	/*
	 * Returns the size in bytes of a buffer for @entries entries. Reads the
	 * first arg_size bytes of the format's argument. described_set_up()
	 * calls it if --smpl-entries is given (FORMAT_OPT_ENTRIES).
	 */
	uint64_t (*buffer_size)(const struct smpl_format *format,
				uint64_t entries);

	/*
	 * Chooses the pieces to save and returns their number, which is 0 if
	 * nothing is to be saved now. Samples saved with SMPL_EXEC may be saved
	 * again later.
	 */
	unsigned int (*choose)(const struct smpl_format *format,
			       const void *buffer, size_t size,
			       enum smpl_moment moment,
			       struct piece pieces[IMAGE_MAX_PIECES]);

	/*
	 * Optional: returns whether the pieces did not change while pfmon
	 * copied them. Not needed if the kernel leaves the pieces unchanged
	 * until PFM_RESTART.
	 */
	bool (*intact)(const void *buffer, const struct image *image);

	/*
	 * Returns how many different samples of a context have been saved,
	 * including those in this image; @before is the number before the image
	 * was saved.
	 */
	uint64_t (*samples)(const struct smpl_format *format,
			    const struct image *image, uint64_t before);

	/*
	 * Optional: returns the number of lost samples, from the buffer's
	 * header.
	 */
	uint64_t (*lost)(const struct smpl_format *format, const void *buffer);

	/*
	 * Optional: returns the number of samples that the format has
	 * deliberately skipped.
	 */
	uint64_t (*skipped)(const struct smpl_format *format,
			    const void *buffer, size_t size);

	/*
	 * Optional: returns how many states of threads the format has evicted.
	 */
	uint64_t (*evicted)(const struct smpl_format *format,
			    const void *buffer, size_t size);

	/*
	 * Optional, for formats whose entries contain the period: calls visit
	 * with each entry after *position, and advances *position. The kernel
	 * may write to the buffer meanwhile. After a restart, the caller sets
	 * *position to 0.
	 */
	void (*each_new)(const struct smpl_format *format, const void *buffer,
			 size_t size, struct smpl_position *position,
			 void (*visit)(const struct pfm_read_entry *entry,
				       void *data),
			 void *data);

	/*
	 * Optional: calls visit with the process of each entry. May omit
	 * repeated calls for the same process.
	 */
	void (*each_process)(const struct smpl_format *format,
			     const struct image *image,
			     void (*visit)(pid_t tgid, void *data), void *data);
};

void smpl_format_free(struct smpl_format *format);

/*
 * Copies the argument to the format; if @arg is NULL, the argument is @size
 * zero bytes. set_up() calls it.
 */
void smpl_format_set_arg(struct smpl_format *format, const void *arg,
			 size_t size);

/*
 * Sets the device /dev/<name> from which samples are read; set_up() calls it.
 */
void smpl_format_set_device(struct smpl_format *format,
			    const struct smpl_device *device, const char *name);

#endif /* PFMON_FORMATS_FORMAT_H */
