// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * jit.c - functions that processes make at run time, as they tell perf
 *
 * Such a process writes /tmp/perf-PID.map, with its number and in its directory
 * as it knows them. Whoever runs it chooses what is there: nothing is opened
 * but a regular file that belongs to the process's user or to root, and no link
 * leads out of the process's root or from that name elsewhere.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jit.h"
#include "util.h"

#define MOST_FILES	256		/* that are open */
#define MOST_BYTES	(48UL << 20)	/* of one file */
#define FLAG_CUT	1

struct jit_header {
	uint32_t tgid;
	uint32_t flags;
};

_Static_assert(sizeof(struct jit_header) == 8, "docs/capture.md");

struct jit_file {
	pid_t tgid;
	int fd;
};

struct jit {
	struct jit_file files[MOST_FILES];
	unsigned int count;
	bool told;		/* that one must not be opened */
};

/* What /proc says of a process. */
struct owner {
	unsigned int uid, euid;
	char *name;		/* its number in its own namespace */
};

struct jit *jit_create(void)
{
	return checked_calloc(1, sizeof(struct jit));
}

void jit_destroy(struct jit *jit)
{
	if (!jit)
		return;
	while (jit->count)
		close(jit->files[--jit->count].fd);
	free(jit);
}

/* The name, to be freed, is the last number of the line. */
static bool read_owner(pid_t tgid, struct owner *owner)
{
	char *path = checked_printf("/proc/%d/status", tgid);
	size_t length;
	char *text = read_file(path, &length);
	char *uids = text ? strstr(text, "\nUid:") : NULL;
	char *numbers = text ? strstr(text, "\nNStgid:") : NULL;
	bool ok = uids && numbers &&
		  sscanf(uids, "\nUid: %u %u", &owner->uid, &owner->euid) == 2;

	if (ok) {
		numbers++;
		numbers[strcspn(numbers, "\n")] = '\0';
		owner->name = checked_strdup(strrchr(numbers, '\t') + 1);
	}
	free(text);
	free(path);
	return ok;
}

static int open_below(int root, const char *path)
{
	const struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW |
			 O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

static bool belongs_to(int fd, const struct owner *owner)
{
	struct stat info;

	return !fstat(fd, &info) && S_ISREG(info.st_mode) &&
	       (info.st_uid == owner->uid || info.st_uid == owner->euid ||
		!info.st_uid);
}

/* -1 with errno set if there is none, or it must not be opened. */
static int open_map(pid_t tgid, const struct owner *owner)
{
	char *path = checked_printf("/proc/%d/root", tgid);
	int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC), fd, error;

	free(path);
	if (root < 0)
		return -1;
	path = checked_printf("tmp/perf-%s.map", owner->name);
	fd = open_below(root, path);
	error = errno;
	free(path);
	close(root);
	if (fd >= 0 && !belongs_to(fd, owner)) {
		close(fd);
		fd = -1;
		error = EPERM;
	}
	errno = error;
	return fd;
}

static void tell(struct jit *jit, pid_t tgid, int error)
{
	/* No error: there is no such file, or the process is gone. */
	if (jit->told || error == ENOENT || error == ESRCH)
		return;
	jit->told = true;
	message("functions that process %d has made stay without names: its /tmp/perf-PID.map cannot be read: %s",
		tgid, strerror(error));
}

static bool is_open(const struct jit *jit, pid_t tgid)
{
	for (unsigned int i = 0; i < jit->count; i++) {
		if (jit->files[i].tgid == tgid)
			return true;
	}
	return false;
}

void jit_look_at(struct jit *jit, pid_t tgid)
{
	struct owner owner;
	int fd;

	if (is_open(jit, tgid) || !read_owner(tgid, &owner))
		return;
	fd = jit->count < MOST_FILES ? open_map(tgid, &owner) : -1;
	if (fd >= 0)
		jit->files[jit->count++] = (struct jit_file){ tgid, fd };
	else
		tell(jit, tgid, jit->count < MOST_FILES ? errno : EMFILE);
	free(owner.name);
}

/* Reads at most so many bytes from the file's beginning. */
static size_t read_some(int fd, char *bytes, size_t size)
{
	size_t done = 0;
	ssize_t got;

	while (done < size) {
		got = pread(fd, bytes + done, size - done, (off_t)done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

static int write_one(const struct jit_file *file, struct capture *capture)
{
	struct jit_header header = { .tgid = htole32((uint32_t)file->tgid) };
	struct stat info;
	size_t size;
	char *payload;
	int ret;

	if (fstat(file->fd, &info) < 0 || info.st_size <= 0)
		return 0;
	size = (size_t)info.st_size;
	if ((uint64_t)info.st_size > MOST_BYTES) {
		size = MOST_BYTES;
		header.flags = htole32(FLAG_CUT);
	}
	payload = checked_calloc(sizeof(header) + size, 1);
	memcpy(payload, &header, sizeof(header));
	size = read_some(file->fd, payload + sizeof(header), size);
	ret = capture_write_packed(capture, "JITM", payload,
				   sizeof(header) + size);
	free(payload);
	return ret;
}

int jit_write(const struct jit *jit, struct capture *capture)
{
	for (unsigned int i = 0; i < jit->count; i++) {
		if (write_one(&jit->files[i], capture))
			return -1;
	}
	return 0;
}
