/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* cursor.h - read numbers from bytes without reading beyond their end */
#ifndef PFMON_UNWIND_CURSOR_H
#define PFMON_UNWIND_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * A read that fails, for example because it would go beyond the end, returns 0
 * or "". Afterwards the cursor is at its end, and @failed is true.
 */
struct cursor {
	const uint8_t *at, *end;
	bool failed;
};

static inline struct cursor cursor_of(const uint8_t *bytes, size_t size)
{
	return (struct cursor){ .at = bytes, .end = bytes + size };
}

static inline size_t cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

static inline uint64_t cursor_fail(struct cursor *cursor)
{
	cursor->at = cursor->end;
	cursor->failed = true;
	return 0;
}

static inline void cursor_skip(struct cursor *cursor, uint64_t size)
{
	if (size > cursor_left(cursor))
		cursor_fail(cursor);
	else
		cursor->at += size;
}

/* Returns a cursor for the next @size bytes, and skips them in @cursor. */
static inline struct cursor cursor_split(struct cursor *cursor, uint64_t size)
{
	struct cursor part = *cursor;

	cursor_skip(cursor, size);
	part.failed = cursor->failed;
	part.end = cursor->at;
	if (part.failed)
		part.at = part.end;
	return part;
}

/* Reads a little-endian number of at most 8 bytes. */
static inline uint64_t cursor_number(struct cursor *cursor, unsigned int size)
{
	uint64_t value = 0;

	if (size > cursor_left(cursor))
		return cursor_fail(cursor);
	for (unsigned int i = 0; i < size; i++)
		value |= (uint64_t)cursor->at[i] << 8 * i;
	cursor->at += size;
	return value;
}

static inline uint8_t cursor_u8(struct cursor *cursor)
{
	return (uint8_t)cursor_number(cursor, 1);
}

static inline int64_t cursor_signed(struct cursor *cursor, unsigned int size)
{
	uint64_t value = cursor_number(cursor, size);
	unsigned int unused = 64 - 8 * size;

	return (int64_t)(value << unused) >> unused;
}

/* Reads a LEB128 number; ignores all bits above the lowest 64. */
static inline uint64_t cursor_leb(struct cursor *cursor, bool is_signed)
{
	unsigned int shift = 0;
	uint64_t value = 0;
	uint8_t byte;

	do {
		if (cursor->at == cursor->end)
			return cursor_fail(cursor);
		byte = *cursor->at++;
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= ~0ULL << shift;
	return value;
}

static inline uint64_t cursor_uleb(struct cursor *cursor)
{
	return cursor_leb(cursor, false);
}

static inline int64_t cursor_sleb(struct cursor *cursor)
{
	return (int64_t)cursor_leb(cursor, true);
}

/*
 * Reads a text that ends with a null byte; returns "" if no null byte follows.
 */
static inline const char *cursor_text(struct cursor *cursor)
{
	const uint8_t *text = cursor->at;
	const uint8_t *null = memchr(text, 0, cursor_left(cursor));

	if (!null) {
		cursor_fail(cursor);
		return "";
	}
	cursor->at = null + 1;
	return (const char *)text;
}

#endif /* PFMON_UNWIND_CURSOR_H */
