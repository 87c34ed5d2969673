// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * jit_open.c - open lists of functions generated at run time
 *
 * A process that generates functions writes their names and addresses to
 * /tmp/perf-PID.map, a perf map, or to a jitdump file, which it also maps. The
 * PID is that in the process's own namespace. pfmon does not trust the process,
 * which could replace the file by one that its user cannot read: pfmon opens
 * only a regular file that belongs to the process's real user, or that all
 * users can read and that belongs to root or to the effective user. A perf map
 * must not be a symbolic link; links to directories are resolved inside the
 * process's root directory. If the process has ended, pfmon uses its own users
 * and root directory instead.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/util.h"
#include "capture/jit_open.h"
#include "process/mapping.h"

#define ROOT_FLAGS	(O_PATH | O_DIRECTORY | O_CLOEXEC)

/* A process, or pfmon itself. */
struct owner {
	unsigned int uid, euid;
	int pid;		/* the process's PID in its own namespace */
};

static struct owner pfmon_for(pid_t tgid)
{
	return (struct owner){ getuid(), geteuid(), tgid };
}

/*
 * Returns data about a process, or about pfmon if the process has ended. Called
 * before the file is opened: if the process ends meanwhile, its file must not
 * count as pfmon's.
 */
static struct owner owner_of(pid_t tgid)
{
	char *path = checked_printf("/proc/%d/status", tgid);
	struct owner owner = pfmon_for(tgid), found;
	size_t length;
	char *text = read_file(path, &length);
	char *uids = text ? strstr(text, "\nUid:") : NULL;
	char *pids = uids ? strstr(uids, "\nNStgid:") : NULL;

	if (pids &&
	    sscanf(uids, "\nUid: %u %u", &found.uid, &found.euid) == 2) {
		pids[1 + strcspn(pids + 1, "\n")] = '\0';
		/* The last number is the one in the innermost namespace. */
		found.pid = atoi(strrchr(pids, '\t'));
		owner = found;
	}
	free(text);
	free(path);
	return owner;
}

/*
 * Returns the descriptor, or closes it and returns a negative errno: -ENOENT if
 * the file is older than @begun. Times of files are not exact.
 */
static int check_file(int fd, const struct owner *owner, time_t begun)
{
	struct stat info;
	int error = -EPERM;

	if (!fstat(fd, &info) && S_ISREG(info.st_mode) &&
	    (info.st_uid == owner->uid ||
	     (info.st_mode & 0004 &&	/* all users can read it */
	      (!info.st_uid || info.st_uid == owner->euid))))
		error = info.st_mtim.tv_sec + 1 < begun ? -ENOENT : 0;
	if (error)
		close(fd);
	return error ? error : fd;
}

static int open_below(int root, const char *path)
{
	const struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW |
			 O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

int jit_open_map(pid_t tgid, time_t begun, unsigned int *uid)
{
	struct owner owner = owner_of(tgid);
	char *path = checked_printf("/proc/%d/root", tgid);
	int root = open(path, ROOT_FLAGS), fd;
	bool ended = root < 0 && errno == ENOENT;

	if (ended) {
		/* A zombie still has users and a PID, but no root. */
		owner = pfmon_for(tgid);
		root = open("/", ROOT_FLAGS);
	}
	fd = -errno;
	free(path);
	*uid = owner.uid;
	if (root < 0)
		return fd;
	path = checked_printf("/tmp/perf-%d.map", owner.pid);
	fd = open_below(root, path);
	free(path);
	close(root);
	return fd < 0 ? fd : check_file(fd, &owner, ended ? begun : 0);
}

int jit_open_dump(pid_t tgid, const struct mapping *mapping, const char *path,
		  unsigned int *uid)
{
	struct owner owner = owner_of(tgid);
	int fd = mapping_open(mapping, tgid, path);

	*uid = owner.uid;
	return fd < 0 ? -ENOENT : check_file(fd, &owner, 0);
}
