/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* opstream.h - find samples and cookies in OProfile's event stream */
#ifndef PFMON_FORMATS_OPSTREAM_H
#define PFMON_FORMATS_OPSTREAM_H

#include <stddef.h>
#include <stdint.h>

#include <perfmon/perfmon_read_oprofile.h>

/*
 * State of a stream that is read in parts; initially zeroed. Words always have
 * 64 bits, even if pfmon is a 32-bit program.
 */
struct opstream {
	struct pfm_read_oprofile reader;
	uint64_t samples;		/* so far */
	uint64_t *cookies;		/* in increasing order */
	size_t cookie_count;
};

/*
 * Scans the next words, which may end within an escape sequence. Calls visit
 * with each new cookie.
 */
void opstream_scan(struct opstream *stream, const uint64_t *words, size_t count,
		   void (*visit)(uint64_t cookie, void *data), void *data);

void opstream_free(struct opstream *stream);

#endif /* PFMON_FORMATS_OPSTREAM_H */
