// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * files.c - operations on descriptors and mappings
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "fuzz.h"

/* Take an entry out of a table. The caller then owns the entry. */
#define TAKE(place, empty) \
	__atomic_exchange_n(&(place), (empty), __ATOMIC_ACQ_REL)
#define LOOK(place)	__atomic_load_n(&(place), __ATOMIC_RELAXED)

unsigned int fuzz_any_place(struct fuzz *f)
{
	return fuzz_below(f, FUZZ_FDS);
}

int fuzz_any_fd(struct fuzz *f)
{
	int first = LOOK(f->process->fds[fuzz_any_place(f)]);
	int second = LOOK(f->process->fds[fuzz_any_place(f)]);

	return first >= 0 ? first : second;
}

void fuzz_keep_fd(struct fuzz *f, unsigned int place, int fd, size_t size)
{
	f->process->sizes[place] = size;
	fd = TAKE(f->process->fds[place], fd);
	if (fd >= 0)
		close(fd);
}

void fuzz_close(struct fuzz *f)
{
	unsigned int i = fuzz_any_place(f);

	fuzz_tell(f, "close", " %d", LOOK(f->process->fds[i]));
	fuzz_keep_fd(f, i, -1, 0);
}

void fuzz_dup(struct fuzz *f)
{
	unsigned int i = fuzz_any_place(f), to = fuzz_any_place(f);
	int fd = LOOK(f->process->fds[i]);

	fuzz_tell(f, "dup", " %d", fd);
	fd = dup(fd);
	if (fd >= 0)
		fuzz_keep_fd(f, to, fd, f->process->sizes[i]);
}

/* Open a file that is not a context. */
void fuzz_open(struct fuzz *f)
{
	static const char *const paths[] = {
		"/dev/null", PFM_DEVICE, "/proc/self/maps", "/tmp",
		PFM_SYSFS "/version",
	};
	unsigned int i = fuzz_below(f, ARRAY_SIZE(paths) + 1);
	unsigned int place = fuzz_any_place(f);
	int fd;

	fuzz_tell(f, "open", " %u", i);
	fd = i < ARRAY_SIZE(paths) ? open(paths[i], O_RDONLY | O_CLOEXEC) :
				     eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	fuzz_keep_fd(f, place, fd, 4096);
}

/* Start or stop the periodic timer that sends signals. */
static void set_timer(struct fuzz *f, long ns)
{
	struct itimerspec t = { { 0, ns }, { 0, ns } };

	timer_settime(f->timer, 0, &t, NULL);
}

static const int read_errors[] = {
	EAGAIN, EINTR, EINVAL, EFAULT, EBADF, EISDIR, EPERM
};

void fuzz_read(struct fuzz *f)
{
	size_t size = fuzz_one_in(f, 2) ? 64 * (1 + fuzz_below(f, 8)) :
					  fuzz_below(f, 600);
	char zeros[600] = {};
	int fd = fuzz_any_fd(f);
	bool bad = fuzz_one_in(f, 8);
	void *to = bad ? fuzz_place_badly(f, zeros, size) :
			 fuzz_place(f, zeros, size);
	ssize_t n;

	fuzz_tell(f, "read", " %zu bytes from %d to %+td", size, fd,
		  (char *)to - f->arena);
	set_timer(f, 2000000);
	n = read(fd, to, size);
	for (unsigned int i = 0; n < 0 && errno != read_errors[i]; i++)
		if (i + 1 == ARRAY_SIZE(read_errors))
			fuzz_fail(f, "read failed with errno %d, which is not permitted",
				  errno);
	set_timer(f, 0);
	fuzz_check_arena(f, to, n > 0 || bad ? size : 0);
}

void fuzz_poll(struct fuzz *f)
{
	struct pollfd p[3];

	for (unsigned int i = 0; i < ARRAY_SIZE(p); i++)
		p[i] = (struct pollfd){ .fd = fuzz_any_fd(f),
					.events = POLLIN };
	fuzz_tell(f, "poll", " %d, %d, %d", p[0].fd, p[1].fd, p[2].fd);
	poll(p, ARRAY_SIZE(p), fuzz_below(f, 2));
}

/*
 * Let the descriptor signal this thread or process when a message arrives, or
 * turn the signals off.
 */
void fuzz_ask_signals(struct fuzz *f)
{
	struct f_owner_ex owner = {
		.type = fuzz_one_in(f, 2) ? F_OWNER_TID : F_OWNER_PID,
	};
	int fd = fuzz_any_fd(f);
	int flags = fuzz_u64(f) & (O_ASYNC | O_NONBLOCK);
	int signal = fuzz_one_in(f, 2) ? SIGRTMIN : 0;

	owner.pid = owner.type == F_OWNER_TID ? syscall(SYS_gettid) : getpid();
	fuzz_tell(f, "fcntl", " of %d, flags %#x", fd, flags);
	fcntl(fd, F_SETOWN_EX, &owner);
	fcntl(fd, F_SETSIG, signal);
	fcntl(fd, F_SETFL, flags);
}

/* Read a descriptor's fdinfo. */
void fuzz_show(struct fuzz *f)
{
	char path[64], text[512];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fuzz_any_fd(f));
	fuzz_tell(f, "show", " %s", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (read(fd, text, sizeof(text)) < 0 && errno != ENOENT)
		fuzz_fail(f, "reading %s failed with errno %d", path, errno);
	close(fd);
}

/* Mappings. A lock serializes the calls, as mmap_lock does in the kernel */

static void unmap(struct fuzz *f, unsigned int i)
{
	if (f->process->maps[i])
		munmap(f->process->maps[i], f->process->map_sizes[i]);
	f->process->maps[i] = NULL;
}

static int any_prot(struct fuzz *f)
{
	return fuzz_one_in(f, 4) ? (int)fuzz_below(f, 8) : PROT_READ;
}

static int any_map_flags(struct fuzz *f)
{
	/*
	 * Do not use MAP_FIXED, which could replace a mapping that the program
	 * needs.
	 */
	static const int flags[] = {
		MAP_SHARED, MAP_SHARED, MAP_SHARED, MAP_PRIVATE,
		MAP_SHARED | MAP_POPULATE, MAP_SHARED | MAP_LOCKED,
		MAP_SHARED_VALIDATE, MAP_SHARED | MAP_NORESERVE,
	};

	return flags[fuzz_below(f, ARRAY_SIZE(flags))];
}

/*
 * Read one byte of each page. If another thread closes the descriptor, perfmon
 * removes the mapping. Therefore let a system call read the byte: it then
 * fails, whereas a load would kill the process.
 */
static void touch(const char *map, size_t size)
{
	int pipes[2];
	char byte;

	if (pipe2(pipes, O_CLOEXEC))
		return;
	for (size_t i = 0; i < size; i += 4096)
		if (write(pipes[1], map + i, 1) == 1 &&
		    read(pipes[0], &byte, 1) != 1)
			break;
	close(pipes[0]);
	close(pipes[1]);
}

void fuzz_mmap(struct fuzz *f)
{
	unsigned int i = fuzz_any_place(f), to = fuzz_below(f, FUZZ_MAPS);
	int fd = LOOK(f->process->fds[i]);
	size_t size = f->process->sizes[i];
	/* With PFM_FL_INHERIT each CPU has a buffer, at successive offsets. */
	off_t offset = fuzz_one_in(f, 8) ? 4096L << fuzz_below(f, 40) :
					   (off_t)(size * fuzz_below(f, 2));
	int prot = any_prot(f), flags = any_map_flags(f);
	void *map;

	if (fuzz_one_in(f, 8))
		size = fuzz_below(f, 1 << 20);
	fuzz_tell(f, "mmap", " %d, %zu bytes from %ld, %d, %#x", fd, size,
		  offset, prot, flags);
	pthread_mutex_lock(&f->process->maps_lock);
	unmap(f, to);
	map = mmap(NULL, size, prot, flags, fd, offset);
	if (map != MAP_FAILED) {
		f->process->maps[to] = map;
		f->process->map_sizes[to] = size;
		if (prot & PROT_READ)
			touch(map, size);
	}
	pthread_mutex_unlock(&f->process->maps_lock);
}

/*
 * Unmap a mapping, or only a part of it; the rest then stays mapped until exit.
 */
void fuzz_munmap(struct fuzz *f)
{
	unsigned int i = fuzz_below(f, FUZZ_MAPS);
	size_t from = 4096 * fuzz_below(f, 4), bytes = 4096 * fuzz_below(f, 4);
	bool part = fuzz_one_in(f, 2);

	fuzz_tell(f, "munmap", " of mapping %u%s", i, part ? ", a part" : "");
	pthread_mutex_lock(&f->process->maps_lock);
	if (!part)
		unmap(f, i);
	else if (f->process->maps[i] &&
		 from + bytes <= f->process->map_sizes[i])
		munmap(f->process->maps[i] + from, bytes);
	/*
	 * Do not use the rest again, because another mapping may fill the hole.
	 */
	if (part)
		f->process->maps[i] = NULL;
	pthread_mutex_unlock(&f->process->maps_lock);
}

/* Return whether this is a mapping of a sampling buffer. */
static bool is_buffer(const struct fuzz *f, const void *map)
{
	char line[256];
	bool found = false;
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start;

	while (maps && !found && fgets(line, sizeof(line), maps))
		found = sscanf(line, "%lx-", &start) == 1 &&
			start == (unsigned long)map &&
			strstr(line, "[perfmon");
	if (maps)
		fclose(maps);
	return found;
}

/* Check that a buffer never becomes writable or executable. */
void fuzz_mprotect(struct fuzz *f)
{
	unsigned int i = fuzz_below(f, FUZZ_MAPS);
	int prot = fuzz_below(f, 8);
	void *map;

	fuzz_tell(f, "mprotect", " of mapping %u, %d", i, prot);
	pthread_mutex_lock(&f->process->maps_lock);
	map = f->process->maps[i];
	if (map && !mprotect(map, f->process->map_sizes[i], prot) &&
	    prot & (PROT_WRITE | PROT_EXEC) && is_buffer(f, map))
		fuzz_fail(f, "mprotect() made a buffer writable or executable: prot %d",
			  prot);
	pthread_mutex_unlock(&f->process->maps_lock);
}

void fuzz_mremap(struct fuzz *f)
{
	unsigned int i = fuzz_below(f, FUZZ_MAPS);
	size_t new = 4096 * (1 + fuzz_below(f, 64));
	void *map;

	fuzz_tell(f, "mremap", " of mapping %u, %zu bytes", i, new);
	pthread_mutex_lock(&f->process->maps_lock);
	if (f->process->maps[i]) {
		map = mremap(f->process->maps[i], f->process->map_sizes[i],
			     new, MREMAP_MAYMOVE);
		if (map != MAP_FAILED) {
			f->process->maps[i] = map;
			f->process->map_sizes[i] = new;
		}
	}
	pthread_mutex_unlock(&f->process->maps_lock);
}

void fuzz_close_all(struct fuzz *f)
{
	for (unsigned int i = 0; i < FUZZ_FDS; i++)
		fuzz_keep_fd(f, i, -1, 0);
	for (unsigned int i = 0; i < FUZZ_MAPS; i++)
		unmap(f, i);
}
