/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* util.h - messages, checked allocation, files, numbers, time */
#ifndef PFMON_UTIL_H
#define PFMON_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define PFMON_EXIT_ERROR	1
#define PFMON_EXIT_USAGE	2

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* The arguments after the first are checked against it. */
#define CHECKED_FORMAT __attribute__( \
	(format(printf, 1, 2)))

/* Prints "pfmon: ", the text and a newline to standard error, but not twice. */
void message(const char *format, ...) CHECKED_FORMAT;

/* Whether messages wait until this is called with false. */
void message_hold(bool hold);

/*
 * Until it is called with NULL, message() prints nothing: *text is the last
 * one, to be freed, or NULL. For one thread.
 */
void message_keep(char **text);

/* These end the program with a message when memory runs out. */
void *checked_calloc(size_t count, size_t size);
void *checked_realloc(void *old, size_t count, size_t size);
char *checked_strdup(const char *text);
char *checked_printf(const char *format, ...) CHECKED_FORMAT;
/* Gives up a list, "" at first, for one that has an item more. */
char *checked_append(char *list, const char *separator, const char *item);

/*
 * Reads a file to its end; the caller frees. A zero byte follows the content.
 * NULL with errno set if it cannot be read.
 */
char *read_file(const char *path, size_t *length);

/* As read_file() for a file of one line, without the newline. */
char *read_line_of(const char *path);

/* Whole numbers, decimal or 0x...; false if text is anything else. */
bool parse_u64(const char *text, uint64_t *value);

uint64_t clock_ns(clockid_t clock);

/* An eventfd that is raised stays readable: all who poll it see it. */
void raise_event(int fd);

/* Reads an eventfd, or a timer's: has anything come since it was read? */
bool lower_event(int fd);

#endif /* PFMON_UTIL_H */
