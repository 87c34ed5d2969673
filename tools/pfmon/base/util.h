/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* util.h - messages, checked allocation, files, numbers, time */
#ifndef PFMON_BASE_UTIL_H
#define PFMON_BASE_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define PFMON_EXIT_ERROR	1
#define PFMON_EXIT_USAGE	2

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* The compiler checks the arguments against the format string. */
#define CHECKED_FORMAT __attribute__( \
	(format(printf, 1, 2)))

/*
 * Prints "pfmon: TEXT" to standard error, unless the previous message was the
 * same.
 */
void message(const char *format, ...) CHECKED_FORMAT;

/*
 * Opens /dev/null for standard streams that are closed. Otherwise a file that
 * pfmon opens could get the descriptor of a standard stream, and messages would
 * go into the file. /dev/null is opened read-only, so that writing to these
 * streams still fails, and close-on-exec, so that the programs that pfmon
 * executes find them closed, as without pfmon.
 */
void open_missing_streams(void);

/*
 * Between message_hold(true) and message_hold(false), message() prints nothing.
 * message_hold(false) then prints the messages that were held back.
 */
void message_hold(bool hold);

/*
 * Until message_keep() is called with NULL, message() prints nothing, but
 * stores the last message in *text, to be freed. Not thread-safe.
 */
void message_keep(char **text);

/* These functions end the program with a message when memory runs out. */
void *checked_calloc(size_t count, size_t size);
void *checked_realloc(void *old, size_t count, size_t size);
char *checked_strdup(const char *text);
char *checked_printf(const char *format, ...) CHECKED_FORMAT;
/* Returns the length of the UTF-8 character at @text, 0 if it is invalid. */
size_t utf8_length(const char *text);
/* Returns a copy whose control characters and invalid UTF-8 are escaped. */
char *printable(const char *text);
/* Appends an item to a list, which is "" at first; frees the old list. */
char *checked_append(char *list, const char *separator, const char *item);

/*
 * Reads a whole file; the caller frees the contents, which are followed by a
 * zero byte. Returns NULL with errno set on failure.
 */
char *read_file(const char *path, size_t *length);

/* Like read_file(), but returns only the first line without its newline. */
char *read_line_of(const char *path);

/*
 * Returns the name of a thread; NULL on failure. The name may contain newlines.
 */
char *read_comm(pid_t pid);

/* Parses a decimal or 0x... number; false if the text is anything else. */
bool parse_u64(const char *text, uint64_t *value);

uint64_t clock_ns(clockid_t clock);

/* Makes an eventfd readable until lower_event(). */
void raise_event(int fd);

/* Reads an eventfd or timerfd; false if it was not readable. */
bool lower_event(int fd);

enum number_format {
	NUMBER_PLAIN,		/* 1234567 */
	NUMBER_US,		/* 1,234,567 */
	NUMBER_EU,		/* 1.234.567 */
	NUMBER_HEX,		/* 0x12d687 */
};

/* 20 digits, 6 separators and the terminating zero. */
#define NUMBER_TEXT_SIZE	27

/* Formats a number into @text; returns @text. */
const char *number_text(char text[NUMBER_TEXT_SIZE], uint64_t number,
			enum number_format format);

/* Returns the ending of a noun that @number counts: "1 sample", "2 samples". */
static inline const char *plural(uint64_t number)
{
	return number == 1 ? "" : "s";
}

/*
 * Times in ns. @user and @system are the CPU times of the measured command,
 * including the child processes that it has waited for. They are 0 if pfmon
 * runs no command.
 */
struct times {
	uint64_t elapsed;
	uint64_t user;
	uint64_t system;
};

/*
 * Reads the current times; CPU times are those of child processes that have
 * been waited for.
 */
struct times times_read(void);

/* Returns the times passed since @start. */
struct times times_since(const struct times *start);

#endif /* PFMON_BASE_UTIL_H */
