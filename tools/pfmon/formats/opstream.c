// SPDX-License-Identifier: MIT OR GPL-2.0
/* opstream.c - looks through OProfile's event stream for samples and cookies */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon_oprofile_smpl.h>

#include "formats/opstream.h"
#include "util.h"

static unsigned int arguments_of(uint64_t code)
{
	switch (code) {
	case PFM_OPROFILE_CTX_SWITCH:
		return 2;
	case PFM_OPROFILE_CPU_SWITCH:
	case PFM_OPROFILE_COOKIE_SWITCH:
	case PFM_OPROFILE_CTX_TGID:
		return 1;
	default:
		return 0;
	}
}

/* The last argument of both escapes that have a cookie. */
static bool is_cookie(const struct opstream *stream)
{
	return !stream->arguments &&
	       (stream->code == PFM_OPROFILE_CTX_SWITCH ||
		stream->code == PFM_OPROFILE_COOKIE_SWITCH);
}

/* Remembers a cookie; false if it was known. */
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

static void begin_escape(struct opstream *stream, uint64_t code)
{
	stream->code = code;
	stream->arguments = arguments_of(code);
	stream->state = stream->arguments ? OPSTREAM_ARGUMENT : OPSTREAM_OFFSET;
	if (code == PFM_OPROFILE_TRACE_BEGIN)
		stream->pair = OPSTREAM_TRACED_SAMPLE;
	else if (code == PFM_OPROFILE_TRACE_END)
		stream->pair = OPSTREAM_SAMPLE;
}

static void count_pair(struct opstream *stream)
{
	if (stream->pair != OPSTREAM_CALLER)
		stream->samples++;
	if (stream->pair == OPSTREAM_TRACED_SAMPLE)
		stream->pair = OPSTREAM_CALLER;
}

/* Returns the word if it is a cookie that stands for a file. */
static uint64_t take(struct opstream *stream, uint64_t word)
{
	switch (stream->state) {
	case OPSTREAM_OFFSET:
		stream->state = word == PFM_OPROFILE_ESC ? OPSTREAM_CODE :
				OPSTREAM_EVENT;
		break;
	case OPSTREAM_EVENT:
		stream->state = OPSTREAM_OFFSET;
		count_pair(stream);
		break;
	case OPSTREAM_CODE:
		begin_escape(stream, word);
		break;
	case OPSTREAM_ARGUMENT:
		if (!--stream->arguments)
			stream->state = OPSTREAM_OFFSET;
		if (is_cookie(stream) && word != PFM_OPROFILE_INVALID_COOKIE)
			return word;
		break;
	}
	return PFM_OPROFILE_NO_COOKIE;
}

void opstream_scan(struct opstream *stream, const uint64_t *words, size_t count,
		   void (*visit)(uint64_t cookie, void *data), void *data)
{
	uint64_t cookie;

	for (size_t i = 0; i < count; i++) {
		cookie = take(stream, words[i]);
		if (cookie != PFM_OPROFILE_NO_COOKIE && is_new(stream, cookie))
			visit(cookie, data);
	}
}

void opstream_free(struct opstream *stream)
{
	free(stream->cookies);
	memset(stream, 0, sizeof(*stream));
}
