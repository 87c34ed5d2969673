// SPDX-License-Identifier: MIT OR GPL-2.0
/* table_cache.c - compiled unwind tables in the user's cache directory */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "stacks/table_cache.h"

/*
 * Tables are deleted if not used for this time, like the files in debuginfod's
 * cache.
 */
#define UNUSED_S	(7 * 24 * 3600)

/* Returns the user's cache directory, to be freed; NULL without one. */
static char *base_directory(void)
{
	const char *given = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	/* The XDG specification says to ignore relative paths. */
	if (given && *given == '/')
		return checked_strdup(given);
	return home && *home == '/' ? checked_printf("%s/.cache", home) : NULL;
}

/*
 * Returns @fd if only this user can write to the directory @fd, or if @fd is
 * negative. Otherwise closes @fd and returns -1. This matters for root, who
 * must not write where another user can place links.
 */
static int keep_own(int fd)
{
	struct stat info;

	if (fd < 0 || (!fstat(fd, &info) && info.st_uid == geteuid() &&
		       !(info.st_mode & 022)))
		return fd;
	close(fd);
	return -1;
}

/*
 * Opens the directory @name in @parent, after creating it if needed. Closes
 * @parent. Returns a descriptor, or -1.
 */
static int enter(int parent, const char *name)
{
	int fd;

	if (parent < 0)
		return -1;
	mkdirat(parent, name, 0700);
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
		    O_CLOEXEC);
	close(parent);
	return keep_own(fd);
}

/*
 * Opens the user's cache directory, whose path may contain links. Creates it
 * only if its parent directory belongs to the user. Returns a descriptor, or
 * -1.
 */
static int enter_base(char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *name;

	if (fd >= 0)
		return keep_own(fd);
	name = basename(path);
	fd = open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return enter(keep_own(fd), name);
}

int table_cache_open(void)
{
	char *base = base_directory();
	int fd;

	if (!base)
		return -1;
	fd = enter_base(base);
	free(base);
	return enter(enter(fd, "perfmon"), "unwind");
}

/*
 * Returns a table's file name. Another version of pfmon may compile a different
 * table, so the name contains a checksum of the compiler's source.
 */
static char *name_of(const char *build_id)
{
	return checked_printf("%s-" PFM_UNWIND_COMPILER, build_id);
}

/*
 * Updates the access time, because some file systems do not do that on a read.
 */
static void note_use(int fd)
{
	const struct timespec times[] = {
		{ .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_OMIT },
	};

	futimens(fd, times);
}

/*
 * Reads a table from a file. Returns NULL unless the file has the size that the
 * head of the table gives.
 */
static struct pfm_unwind_head *read_table(int fd)
{
	struct pfm_unwind_head *table;
	struct stat info;
	size_t size;

	if (fstat(fd, &info) || !S_ISREG(info.st_mode) ||
	    info.st_size < (off_t)sizeof(*table) || info.st_size > INT32_MAX)
		return NULL;
	size = (size_t)info.st_size;
	table = malloc(size);
	if (table && read(fd, table, size) == (ssize_t)size &&
	    table->size == size)
		return table;
	free(table);
	return NULL;
}

struct pfm_unwind_head *table_cache_load(int cache, const char *build_id)
{
	char *name = name_of(build_id);
	int fd = openat(cache, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
			O_CLOEXEC);
	struct pfm_unwind_head *table = NULL;

	if (fd >= 0) {
		table = read_table(fd);
		note_use(fd);
		close(fd);
	}
	free(name);
	return table;
}

/*
 * Writes a temporary file and then renames it, so that readers never see an
 * incomplete table.
 */
void table_cache_store(int cache, const char *build_id,
		       const struct pfm_unwind_head *table)
{
	char *name = name_of(build_id);
	char *temporary = checked_printf("%s.%d", name, gettid());
	bool ok;
	int fd;

	/* If pfmon was killed earlier, it may have left a temporary file. */
	unlinkat(cache, temporary, 0);
	fd = openat(cache, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		    0600);
	if (fd >= 0) {
		ok = write(fd, table, table->size) == (ssize_t)table->size;
		ok = !close(fd) && ok;
		if (!ok || renameat(cache, temporary, cache, name))
			unlinkat(cache, temporary, 0);
	}
	free(temporary);
	free(name);
}

static void delete_unused(int directory, const char *name)
{
	struct stat info;

	if (!fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) &&
	    S_ISREG(info.st_mode) && info.st_atime < time(NULL) - UNUSED_S)
		unlinkat(directory, name, 0);
}

void table_cache_clean(int cache)
{
	/*
	 * Reading the directory must not change the position of @cache, so open
	 * the directory again.
	 */
	int fd = openat(cache, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!directory)
		return;
	while ((entry = readdir(directory)))
		delete_unused(fd, entry->d_name);
	closedir(directory);
}
