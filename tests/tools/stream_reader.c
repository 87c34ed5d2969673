// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * stream_reader - record the stream of a simulated device
 *
 * usage: stream_reader DIRECTORY [pfmon's options] [COMMAND]
 *
 * DIRECTORY contains four entries. "feed" is a FIFO. "device" is a link to this
 * FIFO and replaces the format's device. "sys" replaces /sys/kernel/perfmon.
 * "files" is a directory: if it contains a file N, the OProfile bridge's cookie
 * N stands for this file's path. Each line of standard input names a file whose
 * contents the device returns, at most a page per read. A line "stat NAME N"
 * writes N to sys/formats/NAME instead. At the end of input, the program
 * records the rest of the stream and prints the numbers of recorded and of lost
 * samples.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/perfmon_oprofile_smpl.h>

#include "base/util.h"
#include "capture/recording.h"
#include "capture/recording_totals.h"
#include "measure/stream.h"
#include "options/options.h"

static const char *directory;

/* The linker redirects calls of X() to __wrap_X(); __real_X() is X() itself. */
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long command, ...);
int __real_scandir(const char *path, struct dirent ***list,
		   int (*filter)(const struct dirent *entry),
		   int (*compare)(const struct dirent **a,
				  const struct dirent **b));
int __wrap_scandir(const char *path, struct dirent ***list,
		   int (*filter)(const struct dirent *entry),
		   int (*compare)(const struct dirent **a,
				  const struct dirent **b));

/* Return the path in DIRECTORY that replaces a system path. */
static char *redirect(const char *path)
{
	if (!strcmp(path, "/dev/perfmon-oprofile") ||
	    !strcmp(path, "/dev/pfm_mine"))
		return checked_printf("%s/device", directory);
	if (!strncmp(path, PFM_SYSFS, strlen(PFM_SYSFS)))
		return checked_printf("%s/sys%s", directory,
				      path + strlen(PFM_SYSFS));
	return checked_strdup(path);
}

int __wrap_open(const char *path, int flags, ...)
{
	char *place = redirect(path);
	int fd = __real_open(place, flags, 0666);

	free(place);
	return fd;
}

int __wrap_scandir(const char *path, struct dirent ***list,
		   int (*filter)(const struct dirent *entry),
		   int (*compare)(const struct dirent **a,
				  const struct dirent **b))
{
	char *place = redirect(path);
	int count = __real_scandir(place, list, filter, compare);

	free(place);
	return count;
}

int __wrap_ioctl(int fd, unsigned long command, ...)
{
	struct pfm_oprofile_cookie *request;
	va_list args;
	char *path;

	(void)fd;
	va_start(args, command);
	request = va_arg(args, struct pfm_oprofile_cookie *);
	va_end(args);
	path = checked_printf("%s/files/%" PRIu64, directory,
			      (uint64_t)request->cookie);
	request->length = (uint32_t)strlen(path) + 1;
	errno = command != PFM_OPROFILE_IOC_COOKIE ? ENOTTY :
		access(path, F_OK) ? ENOENT :
		request->length > request->size ? ERANGE : 0;
	if (!errno)
		memcpy((void *)(uintptr_t)request->path, path, request->length);
	free(path);
	return errno ? -1 : 0;
}

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

/* Write a file's contents to the FIFO; block while the FIFO is full. */
static void give_out(int device, const char *path)
{
	size_t size, done = 0;
	char *content = read_file(path, &size);
	ssize_t got;

	check(content, path);
	while (done < size) {
		got = write(device, content + done, size - done);
		check(got > 0, "write");
		done += (size_t)got;
	}
	free(content);
}

static void change(char *name)
{
	char *number = strchr(name, ' ');
	char *path;
	FILE *file;

	check(number, name);
	*number++ = '\0';
	path = checked_printf("%s/sys/formats/%s", directory, name);
	file = fopen(path, "w");
	check(file && fputs(number, file) >= 0 && !fclose(file), path);
	free(path);
}

static int open_feed(void)
{
	char *path = checked_printf("%s/feed", directory);
	int fd = __real_open(path, O_RDWR | O_CLOEXEC);

	/* With O_DIRECT, a read returns at most one page. */
	check(fd >= 0 && !fcntl(fd, F_SETFL, O_DIRECT), path);
	free(path);
	return fd;
}

/* Execute commands from standard input while the stream is read. */
static void perform(int feed)
{
	static const char stat[] = "stat ";
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, stat, strlen(stat)))
			change(line + strlen(stat));
		else
			give_out(feed, line);
	}
	free(line);
}

static bool record(const struct plan *plan, struct waiter *waiter)
{
	struct recording *recording;
	struct totals totals;
	struct stream stream;
	int feed = open_feed();
	bool ok;

	if (!stream_open(&stream, &plan->format))
		return false;
	recording = recording_open(plan, getpid(), false);
	if (!recording || !stream_start(&stream, recording, waiter))
		return false;
	perform(feed);
	ok = stream_finish(&stream);
	stream_close(&stream);
	totals = recording_totals(recording);
	printf("%" PRIu64 " %" PRIu64 "\n", totals.samples, totals.lost);
	close(feed);
	return recording_close(recording) && ok;
}

int main(int argc, char **argv)
{
	struct plan plan;
	struct options options;
	struct waiter waiter;
	bool ok;

	if (argc < 2)
		return 2;
	directory = argv[1];
	argv[1] = argv[0];
	if (!options_parse(&options, argc - 1, argv + 1))
		return 2;
	if (!plan_init(&plan, &options) || !waiter_init(&waiter))
		return 1;
	ok = record(&plan, &waiter);
	waiter_close(&waiter);
	plan_free(&plan);
	options_free(&options);
	return ok ? 0 : 1;
}
