/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* opstream.h - looks through OProfile's event stream for samples and cookies */
#ifndef PFMON_FORMATS_OPSTREAM_H
#define PFMON_FORMATS_OPSTREAM_H

#include <stddef.h>
#include <stdint.h>

/* What the next word of the stream is. */
enum opstream_state {
	OPSTREAM_OFFSET,	/* of a sample, or the begin of an escape */
	OPSTREAM_EVENT,
	OPSTREAM_CODE,
	OPSTREAM_ARGUMENT,
};

/* What the next pair of the stream is. */
enum opstream_pair {
	OPSTREAM_SAMPLE,
	OPSTREAM_TRACED_SAMPLE,	/* the first of a trace */
	OPSTREAM_CALLER,
};

/*
 * A stream that is read part by part; all zero at its beginning. Its words are
 * the kernel's, which has 64 bits even if pfmon has 32.
 */
struct opstream {
	enum opstream_state state;
	uint64_t code;			/* of the escape whose arguments come */
	unsigned int arguments;		/* of it that are still to come */
	enum opstream_pair pair;
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
