// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * jit_open.c - open lists of functions generated at run time
 *
 * A process that generates functions writes their names and addresses to
 * /tmp/perf-PID.map, a perf map, or to a jitdump file, which it also maps. The
 * PID and the path are those in the process's own namespaces. pfmon does not
 * trust the process: it opens only a regular file that belongs to the process's
 * user or to root and is not a symbolic link, and it resolves links to
 * directories inside the process's root directory. If the process has ended,
 * pfmon uses its own user and root directory instead.
 */
#define _GNU_SOURCE
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
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "capture/jit_open.h"
#include "capture/threads.h"

#define ROOT_FLAGS	(O_PATH | O_DIRECTORY | O_CLOEXEC)
#define NS_PER_S	1000000000ULL

/* The owner of files to open: a process, or pfmon itself. */
struct owner {
	pid_t pid;
	int root;		/* the root directory */
	unsigned int uid, euid;
	char *name;		/* the process's PID in its own namespace */
};

/*
 * Reads data about a process. owner->name, to be freed, is the last number of
 * the line NStgid.
 */
static bool read_status(struct owner *owner)
{
	char *path = checked_printf("/proc/%d/status", owner->pid);
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

/*
 * Opens the root directory first: a zombie still has a user and a PID, but no
 * root directory. Returns 0 or a negative errno.
 */
static int find_owner(pid_t tgid, struct owner *owner)
{
	char *path = checked_printf("/proc/%d/root", tgid);
	int error;

	*owner = (struct owner){ .pid = tgid, .root = open(path, ROOT_FLAGS) };
	error = owner->root < 0 ? errno : 0;
	free(path);
	if (!error && read_status(owner))
		return 0;
	if (error && error != ENOENT)
		return -error;
	if (!error)
		close(owner->root);
	*owner = (struct owner){
		.pid = getpid(),
		.root = open("/", ROOT_FLAGS),
		.uid = getuid(),
		.euid = geteuid(),
		.name = checked_printf("%d", tgid),
	};
	return 0;
}

static void free_owner(struct owner *owner)
{
	close(owner->root);
	free(owner->name);
}

static int check_file(int fd, const struct owner *owner, struct stat *info)
{
	if (fstat(fd, info))
		return -errno;
	return S_ISREG(info->st_mode) &&
	       (!info->st_uid || info->st_uid == owner->uid ||
		info->st_uid == owner->euid) ? 0 : -EPERM;
}

/*
 * Opens a regular file that belongs to the owner or to root. Returns a
 * descriptor or a negative errno.
 */
static int open_below(int root, const char *path, const struct owner *owner,
		      struct stat *info)
{
	const struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW |
			 O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	int error = fd < 0 ? -errno : check_file(fd, owner, info);

	if (fd >= 0 && error)
		close(fd);
	return error ? error : fd;
}

/*
 * Returns whether a file is older than a process: then it is that of an earlier
 * process with the same PID. Times of files and processes are not exact.
 */
static bool is_stale(const struct stat *info, pid_t pid)
{
	uint64_t boot = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);
	uint64_t begun = (boot + thread_start_ns(pid, pid)) / NS_PER_S;

	return info->st_mtim.tv_sec + 1 < (time_t)begun;
}

int jit_open_map(pid_t tgid)
{
	struct owner owner;
	struct stat info;
	char *path;
	int fd = find_owner(tgid, &owner);

	if (fd)
		return fd;
	path = checked_printf("/tmp/perf-%s.map", owner.name);
	fd = open_below(owner.root, path, &owner, &info);
	if (fd >= 0 && is_stale(&info, owner.pid)) {
		close(fd);
		fd = -ENOENT;
	}
	free(path);
	free_owner(&owner);
	return fd;
}

static int open_dump_below(int root, const char *path,
			   const struct owner *owner, uint64_t inode)
{
	struct stat info;
	int fd = open_below(root, path, owner, &info);

	if (fd < 0 || info.st_ino == inode)
		return fd;
	close(fd);
	return -ENOENT;
}

/*
 * The kernel reports paths relative to pfmon's root directory for a process
 * whose root directory is below it.
 */
int jit_open_dump(pid_t tgid, const char *path, uint64_t inode)
{
	struct owner owner;
	int fd = find_owner(tgid, &owner), own;

	if (fd)
		return fd;
	fd = open_dump_below(owner.root, path, &owner, inode);
	if (fd == -ENOENT) {
		own = open("/", ROOT_FLAGS);
		fd = open_dump_below(own, path, &owner, inode);
		close(own);
	}
	free_owner(&owner);
	return fd;
}
