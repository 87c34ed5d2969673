// SPDX-License-Identifier: MIT OR GPL-2.0
/* util.c - messages, checked allocation, files, numbers, time */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/util.h"

static char **kept_text;
static char *held_text;

void message_keep(char **text)
{
	kept_text = text;
	if (text)
		*text = NULL;
}

size_t utf8_length(const char *start)
{
	const unsigned char *text = (const unsigned char *)start;
	uint32_t least, code;
	size_t length;

	if (text[0] < 0x80)
		return 1;
	if (text[0] >= 0xc2 && text[0] < 0xe0)
		length = 2;
	else if (text[0] >= 0xe0 && text[0] < 0xf0)
		length = 3;
	else if (text[0] >= 0xf0 && text[0] < 0xf5)
		length = 4;
	else
		return 0;
	code = text[0] & (0x7f >> length);
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
	if (code < least || code > 0x10ffff ||
	    (code >= 0xd800 && code < 0xe000))
		return 0;
	return length;
}

/* Terminals treat U+0080 to U+009F as control characters, too. */
static bool is_control(const char *text)
{
	unsigned char first = (unsigned char)text[0];

	return first < 0x20 || first == 0x7f ||
	       (first == 0xc2 && (unsigned char)text[1] < 0xa0);
}

char *printable(const char *text)
{
	char *shown = checked_calloc(4 * strlen(text) + 1, 1), *to = shown;
	size_t length;

	for (; *text; text += length) {
		length = utf8_length(text);
		if (length && !is_control(text)) {
			to = mempcpy(to, text, length);
			continue;
		}
		length = length ? length : 1;
		for (size_t i = 0; i < length; i++)
			to += sprintf(to, "\\x%02x", (unsigned char)text[i]);
	}
	return shown;
}

static void keep(const char *text)
{
	free(*kept_text);
	*kept_text = checked_strdup(text);
}

static void print_or_hold(const char *text)
{
	char *shown = printable(text);
	char *line = checked_printf("pfmon: %s\n", shown);

	if (held_text)
		held_text = checked_append(held_text, "", line);
	else
		fputs(line, stderr);
	free(line);
	free(shown);
}

/*
 * Omits a repeated message: if several CPUs fail for the same reason, it is
 * printed once.
 */
void message(const char *format, ...)
{
	static char last[1024];
	char text[sizeof(last)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (kept_text) {
		keep(text);
		return;
	}
	flockfile(stderr);
	if (strcmp(text, last)) {
		print_or_hold(text);
		memcpy(last, text, sizeof(last));
	}
	funlockfile(stderr);
}

void message_hold(bool hold)
{
	flockfile(stderr);
	if (!hold && held_text) {
		fputs(held_text, stderr);
		free(held_text);
	}
	held_text = hold ? checked_strdup("") : NULL;
	funlockfile(stderr);
}

void open_missing_streams(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	close(fd);
}

static void *checked(void *memory)
{
	if (memory)
		return memory;
	kept_text = NULL;
	message("out of memory");
	exit(PFMON_EXIT_ERROR);
}

void *checked_calloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size));
}

void *checked_realloc(void *old, size_t count, size_t size)
{
	return checked(reallocarray(old, count ? count : 1, size));
}

char *checked_strdup(const char *text)
{
	return checked(strdup(text));
}

char *checked_printf(const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	return checked(length < 0 ? NULL : text);
}

char *checked_append(char *list, const char *separator, const char *item)
{
	char *longer = checked_printf("%s%s%s", list, *list ? separator : "",
				      item);

	free(list);
	return longer;
}

/* The size of files in /proc and /sys is not known in advance. */
static char *read_all(int fd, size_t *length)
{
	size_t room = 4096, used = 0;
	char *data = checked_realloc(NULL, room, 1);
	ssize_t got;

	for (;;) {
		got = read(fd, data + used, room - used - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
		if (room - used == 1) {
			data = checked_realloc(data, room, 2);
			room *= 2;
		}
	}
	if (got < 0) {
		free(data);
		return NULL;
	}
	data[used] = '\0';
	*length = used;
	return data;
}

char *read_file(const char *path, size_t *length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *data;
	int error;

	if (fd < 0)
		return NULL;
	data = read_all(fd, length);
	error = errno;
	close(fd);
	errno = error;
	return data;
}

char *read_line_of(const char *path)
{
	size_t length;
	char *text = read_file(path, &length);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

char *read_comm(pid_t pid)
{
	char *path = checked_printf("/proc/%d/comm", pid), *comm;
	size_t length;

	comm = read_file(path, &length);
	if (comm && length && comm[length - 1] == '\n')
		comm[length - 1] = '\0';
	free(path);
	return comm;
}

bool parse_u64(const char *text, uint64_t *value)
{
	unsigned long long number;
	bool is_hex;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	is_hex = text[0] == '0' && tolower((unsigned char)text[1]) == 'x';
	number = strtoull(text, &end, is_hex ? 16 : 10);
	if (errno || *end)
		return false;
	*value = number;
	return true;
}

uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

void raise_event(int fd)
{
	const uint64_t one = 1;

	while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

bool lower_event(int fd)
{
	uint64_t times;

	return read(fd, &times, sizeof(times)) == sizeof(times);
}

#define GROUP	3

/* Copies digits with separators between groups of three. */
static void group(char *text, const char *digits, char separator)
{
	size_t left = strlen(digits);

	for (; left; left--, digits++) {
		*text++ = *digits;
		if (left > 1 && left % GROUP == 1)
			*text++ = separator;
	}
	*text = '\0';
}

const char *number_text(char text[NUMBER_TEXT_SIZE], uint64_t number,
			enum number_format format)
{
	char digits[NUMBER_TEXT_SIZE];

	snprintf(digits, sizeof(digits),
		 format == NUMBER_HEX ? "%#" PRIx64 : "%" PRIu64, number);
	if (format == NUMBER_US || format == NUMBER_EU)
		group(text, digits, format == NUMBER_US ? ',' : '.');
	else
		memcpy(text, digits, sizeof(digits));
	return text;
}

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 +
	       (uint64_t)time.tv_usec * 1000;
}

struct times times_read(void)
{
	struct rusage children;

	getrusage(RUSAGE_CHILDREN, &children);
	return (struct times){
		.elapsed = clock_ns(CLOCK_MONOTONIC),
		.user = ns_of(children.ru_utime),
		.system = ns_of(children.ru_stime),
	};
}

struct times times_since(const struct times *start)
{
	struct times now = times_read();

	return (struct times){
		.elapsed = now.elapsed - start->elapsed,
		.user = now.user - start->user,
		.system = now.system - start->system,
	};
}
