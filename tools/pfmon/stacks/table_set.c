// SPDX-License-Identifier: MIT OR GPL-2.0
/* table_set.c - the kernel's set of unwind tables for user call chains */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perfmon/perfmon_unwind.h>

#include "base/pid_table.h"
#include "base/util.h"
#include "process/buildid.h"
#include "stacks/file_queue.h"
#include "stacks/table_cache.h"
#include "stacks/table_set.h"
#include "unwind/compile.h"

/* If compiling takes longer than this in total, pfmon prints a message. */
#define PATIENCE_NS	1000000000

struct table_set {
	int fd;
	int cache;		/* descriptor of the cache, or -1 */
	struct file_queue queue;
	pthread_mutex_t lock;	/* protects the following members */
	uint64_t compiled_ns;	/* time spent compiling */
	bool is_full;		/* the kernel takes no more tables */
	bool looks_up;		/* the kernel must look up mappings */
	struct pid_table changed;	/* processes to be looked up */
};

static void explain_open(int error)
{
	if (error == ENOENT)
		message("%s does not exist, so call chains follow frame pointers, which most programs lack: as root, run 'modprobe pfm_unwind'",
			PFM_UNWIND_DEVICE);
	else
		message("%s cannot be opened (%s), so call chains follow frame pointers, which most programs lack%s",
			PFM_UNWIND_DEVICE, strerror(error), error == ENOMEM ?
			"; raise the locked-memory limit (ulimit -l)" : "");
}

/*
 * Adds a table. Returns 0 or an errno. It is not an error if the file has a
 * table already.
 */
static int add(const struct table_set *set, int fd,
	       const struct pfm_unwind_head *table)
{
	const struct pfm_unwind_add arg = {
		.fd = fd, .size = table->size, .table = (uintptr_t)table,
	};

	if (!ioctl(set->fd, PFM_UNWIND_ADD, &arg) || errno == EEXIST)
		return 0;
	return errno;
}

/*
 * Adds the table of the vDSO, which is the same in all processes. Returns 0 or
 * an errno.
 */
static int add_vdso(const struct table_set *set)
{
	const Elf64_Ehdr *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct pfm_unwind_head *table;
	const char *why;
	int error;

	if (!image || image->e_ident[EI_CLASS] != ELFCLASS64)
		return 0;
	table = unwind_compile_image(image, image->e_shoff +
				     image->e_shnum * sizeof(Elf64_Shdr), &why);
	error = table ? add(set, PFM_UNWIND_VDSO, table) : 0;
	free(table);
	return error;
}

struct table_set *table_set_open(void)
{
	int fd = open(PFM_UNWIND_DEVICE, O_RDWR | O_CLOEXEC);
	struct table_set *set;

	if (fd < 0) {
		explain_open(errno);
		return NULL;
	}
	set = checked_calloc(1, sizeof(*set));
	set->fd = fd;
	set->cache = table_cache_open();
	file_queue_init(&set->queue);
	pthread_mutex_init(&set->lock, NULL);
	if (add_vdso(set) != EINVAL)
		return set;
	message("the module pfm_unwind is older or newer than pfmon, so call chains follow frame pointers, which most programs lack: rebuild and reload perfmon's modules");
	table_set_close(set);
	return NULL;
}

void table_set_close(struct table_set *set)
{
	if (!set)
		return;
	file_queue_free(&set->queue);
	pid_table_free(&set->changed);
	pthread_mutex_destroy(&set->lock);
	if (set->cache >= 0) {
		table_cache_clean(set->cache);
		close(set->cache);
	}
	close(set->fd);
	free(set);
}

int table_set_fd(const struct table_set *set)
{
	return set->fd;
}

/*
 * Handles an error of add(). EINVAL concerns only one table, which may be too
 * large; other errors would recur for other tables.
 */
static void note_refusal(struct table_set *set, int error)
{
	if (error == EINVAL)
		return;
	pthread_mutex_lock(&set->lock);
	set->is_full = true;
	pthread_mutex_unlock(&set->lock);
	message("no more unwind tables can be loaded (%s), so call chains through other files follow frame pointers%s",
		strerror(error), error == ENOMEM ?
		"; raise the locked-memory limit (ulimit -l)" : "");
}

static bool is_full(struct table_set *set)
{
	bool full;

	pthread_mutex_lock(&set->lock);
	full = set->is_full;
	pthread_mutex_unlock(&set->lock);
	return full;
}

/*
 * Adds up compile times, and prints one message when the sum exceeds
 * PATIENCE_NS.
 */
static void note_time(struct table_set *set, uint64_t ns)
{
	bool before, after;

	pthread_mutex_lock(&set->lock);
	before = set->compiled_ns > PATIENCE_NS;
	set->compiled_ns += ns;
	after = set->compiled_ns > PATIENCE_NS;
	pthread_mutex_unlock(&set->lock);
	if (after && !before)
		message("compiling unwind tables%s", set->cache < 0 ? "" :
			"; the next run takes them from the cache");
}

static struct pfm_unwind_head *compile(struct table_set *set, int fd)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	struct pfm_unwind_head *table;
	const char *why;

	table = unwind_compile(fd, &why);
	note_time(set, clock_ns(CLOCK_MONOTONIC) - start);
	return table;
}

/*
 * Returns whether the cache can be used for a file. The file must belong to
 * this user or to root: another user may have given it the build ID of some
 * library. The build ID must not be so short (--build-id=0x01) that several
 * files may have it.
 */
static bool is_cached(const struct table_set *set, int fd, const char *build_id)
{
	struct stat info;

	return set->cache >= 0 && build_id &&
	       strlen(build_id) >= 2 * LEAST_BUILD_ID && !fstat(fd, &info) &&
	       (!info.st_uid || info.st_uid == geteuid());
}

/*
 * Adds the cached table of a file; returns false if the cache has no valid
 * table.
 */
static bool add_cached(struct table_set *set, int fd, const char *build_id)
{
	struct pfm_unwind_head *table = table_cache_load(set->cache, build_id);
	int error = table ? add(set, fd, table) : EINVAL;

	free(table);
	if (error)
		note_refusal(set, error);
	return error != EINVAL;
}

static void add_compiled(struct table_set *set, int fd, const char *build_id)
{
	struct pfm_unwind_head *table = compile(set, fd);
	int error;

	if (!table)
		return;
	error = add(set, fd, table);
	if (error)
		note_refusal(set, error);
	else if (build_id)
		table_cache_store(set->cache, build_id, table);
	free(table);
}

static void load(struct table_set *set, const struct queued_file *file)
{
	const char *build_id = file->build_id;

	if (is_full(set))
		return;
	if (!is_cached(set, file->fd, build_id))
		build_id = NULL;
	if (!build_id || !add_cached(set, file->fd, build_id))
		add_compiled(set, file->fd, build_id);
}

void table_set_add(struct table_set *set, int fd, const char *build_id)
{
	struct queued_file file = {
		.fd = fd,
		.build_id = build_id ? checked_strdup(build_id) : NULL,
	};

	while (!file_queue_put(&set->queue, &file))
		table_set_load(set);
}

void table_set_look_up(struct table_set *set)
{
	set->looks_up = true;
}

bool table_set_looks_up(const struct table_set *set)
{
	return set && set->looks_up;
}

void table_set_changed(struct table_set *set, pid_t pid)
{
	pthread_mutex_lock(&set->lock);
	pid_table_get(&set->changed, pid, sizeof(struct pid_entry));
	pthread_mutex_unlock(&set->lock);
}

/*
 * Makes the kernel look up the mappings of a process. Ignores errors, because
 * the process may have ended. EBUSY means that the process is mapping files
 * now, or that another thread has requested the same lookup. The next
 * table_set_load() tries again.
 */
static void look_up(struct pid_entry *entry, void *data)
{
	struct table_set *set = data;

	if (ioctl(set->fd, PFM_UNWIND_COPY, &entry->pid) && errno == EBUSY)
		table_set_changed(set, entry->pid);
}

static void look_up_changed(struct table_set *set)
{
	struct pid_table changed;

	pthread_mutex_lock(&set->lock);
	changed = set->changed;
	set->changed = (struct pid_table){ .count = 0 };
	pthread_mutex_unlock(&set->lock);
	pid_table_each(&changed, look_up, set);
	pid_table_free(&changed);
}

void table_set_load(struct table_set *set)
{
	struct queued_file file;

	if (!set)
		return;
	while (file_queue_take(&set->queue, &file)) {
		load(set, &file);
		queued_file_free(&file);
	}
	look_up_changed(set);
}
