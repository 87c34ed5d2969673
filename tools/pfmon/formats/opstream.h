/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* opstream.h - looks through OProfile's event stream for samples and cookies */
#ifndef PFMON_FORMATS_OPSTREAM_H
#define PFMON_FORMATS_OPSTREAM_H

#include <stddef.h>
#include <stdint.h>

#include <perfmon/perfmon_read_oprofile.h>

/*
 * A stream that is read part by part; all zero at its beginning. Its words are
 * the kernel's, which has 64 bits even if pfmon has 32.
 */
struct opstream {
	struct pfm_read_oprofile reader;
	uint64_t samples;		/* so far */
	uint64_t *cookies;		/* in increasing order */
	size_t cookie_count;
};

/*
 * Looks through the next words, wherever they were cut. Calls visit with each
 * cookie when it comes for the first time.
 */
void opstream_scan(struct opstream *stream, const uint64_t *words, size_t count,
		   void (*visit)(uint64_t cookie, void *data), void *data);

void opstream_free(struct opstream *stream);

#endif /* PFMON_FORMATS_OPSTREAM_H */
