// SPDX-License-Identifier: MIT OR GPL-2.0
/* opstream.c - find samples and cookies in OProfile's event stream */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "formats/opstream.h"

/* Adds a cookie; returns false if it was already there. */
static bool is_new(struct opstream *stream, uint64_t cookie)
{
	size_t first = 0, end = stream->cookie_count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (stream->cookies[middle] == cookie)
			return false;
		if (stream->cookies[middle] < cookie)
			first = middle + 1;
		else
			end = middle;
	}
	stream->cookies = checked_realloc(stream->cookies,
					  stream->cookie_count + 1,
					  sizeof(*stream->cookies));
	memmove(stream->cookies + first + 1, stream->cookies + first,
		(stream->cookie_count - first) * sizeof(*stream->cookies));
	stream->cookies[first] = cookie;
	stream->cookie_count++;
	return true;
}

/*
 * Returns the cookie in an escape sequence; 0 if the sequence has no cookie, or
 * one that does not identify a file.
 */
static uint64_t cookie_of(const struct pfm_read_oprofile *reader)
{
	uint64_t cookie = PFM_OPROFILE_NO_COOKIE;

	if (reader->code == PFM_OPROFILE_CTX_SWITCH)
		cookie = reader->app_cookie;
	else if (reader->code == PFM_OPROFILE_COOKIE_SWITCH)
		cookie = reader->cookie;
	return cookie == PFM_OPROFILE_INVALID_COOKIE ? PFM_OPROFILE_NO_COOKIE :
	       cookie;
}

void opstream_scan(struct opstream *stream, const uint64_t *words, size_t count,
		   void (*visit)(uint64_t cookie, void *data), void *data)
{
	struct pfm_read_oprofile *reader = &stream->reader;
	enum pfm_read_took took;
	uint64_t cookie;

	if (!reader->word_size)
		pfm_read_oprofile_init(reader, sizeof(*words));
	for (size_t i = 0; i < count; i++) {
		took = pfm_read_oprofile_take(reader, words[i]);
		if (took == PFM_READ_PAIR && !reader->is_caller)
			stream->samples++;
		if (took != PFM_READ_ESCAPE)
			continue;
		cookie = cookie_of(reader);
		if (cookie != PFM_OPROFILE_NO_COOKIE && is_new(stream, cookie))
			visit(cookie, data);
	}
}

void opstream_free(struct opstream *stream)
{
	free(stream->cookies);
	memset(stream, 0, sizeof(*stream));
}
