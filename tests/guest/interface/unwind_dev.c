// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * unwind_dev.c - /dev/perfmon_unwind: add tables, and charge them
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <perfmon/perfmon_unwind.h>

#include "check.h"
#include "modules.h"
#include "params.h"
#include "refusals.h"
#include "tables.h"
#include "users.h"
#include "worker.h"

TEST(file_has_one_table)
{
	struct pfm_unwind_head *table = own_table();
	int set = own_set(), fd = own_file();

	CHECK_ERRNO(set_add(set, fd, table, table->size), EEXIST);
	CHECK_OK(set_add(set, PFM_UNWIND_VDSO, table, table->size));
	CHECK_ERRNO(set_add(set, PFM_UNWIND_VDSO, table, table->size), EEXIST);
	/* The table can be added to another set, too. */
	CHECK_OK(set_add(set_new(), fd, table, table->size));
}

TEST(damaged_tables_are_refused)
{
	struct pfm_unwind_head *table = own_table();
	int set = set_new(), fd = own_file();
	__u32 size = table->size;

	CHECK_ERRNO(set_add(set, fd, table, 0), EINVAL);
	CHECK_ERRNO(set_add(set, fd, table, sizeof(*table) - 1), EINVAL);
	CHECK_ERRNO(set_add(set, fd, table, size - 1), EINVAL);
	CHECK_ERRNO(set_add(set, fd, table, PFM_UNWIND_MAX_SIZE + 1), EINVAL);
	CHECK_ERRNO(set_add(set, fd, table, -1U), EINVAL);
	table->machine ^= 1;
	CHECK_ERRNO(set_add(set, fd, table, size), EINVAL);
	table->machine ^= 1;
	table->version++;
	CHECK_ERRNO(set_add(set, fd, table, size), EINVAL);
	table->version--;
	CHECK_ERRNO(set_add(set, fd, NULL, size), EFAULT);
	CHECK_OK(set_add(set, fd, table, size));
}

TEST(descriptor_must_be_a_readable_file)
{
	struct pfm_unwind_head *table = own_table();
	int set = set_new();
	int folder = CHECK_OK(open("/", O_RDONLY));
	int path = CHECK_OK(open("/proc/self/exe", O_PATH));
	int writer = CHECK_OK(open("/tmp/unwind", O_WRONLY | O_CREAT, 0600));

	CHECK_ERRNO(set_add(set, 999, table, table->size), EBADF);
	CHECK_ERRNO(set_add(set, -2, table, table->size), EBADF);
	CHECK_ERRNO(set_add(set, path, table, table->size), EBADF);
	CHECK_ERRNO(set_add(set, folder, table, table->size), EINVAL);
	CHECK_ERRNO(set_add(set, writer, table, table->size), EINVAL);
	CHECK_ERRNO(set_add(set, set, table, table->size), EINVAL);
	CHECK_ERRNO(ioctl(set, PFM_UNWIND_ADD + 1, table), ENOTTY);
	CHECK_ERRNO(ioctl(set, PFM_UNWIND_ADD, NULL), EFAULT);
}

static void add_as_stranger(void *of_set)
{
	struct pfm_unwind_head *table = own_table();

	CHECK_ERRNO(set_add(*(const int *)of_set, own_file(), table,
			    table->size), EPERM);
}

/*
 * Only the process that created a set may add tables. If another process added
 * one, the creator would be charged, but the caller's limits would apply.
 */
TEST(other_process_adds_no_tables)
{
	int set = set_new();

	reap(spawn(add_as_stranger, &set));
}

static int set_copy(int set, pid_t pid)
{
	return ioctl(set, PFM_UNWIND_COPY, &pid);
}

#define KTHREADD	2

TEST(mappings_of_a_process_are_read_on_request)
{
	int set = set_new();

	CHECK_OK(set_copy(set, getpid()));
	CHECK_OK(set_copy(set, getppid()));
	CHECK_ERRNO(set_copy(set, KTHREADD), ESRCH);
	CHECK_ERRNO(set_copy(set, -1), ESRCH);
	CHECK_ERRNO(ioctl(set, PFM_UNWIND_COPY, NULL), EFAULT);
}

static void copy_as_stranger(void *of_set)
{
	CHECK_ERRNO(set_copy(*(const int *)of_set, getpid()), EPERM);
}

static void copy_as_nobody(void *unused)
{
	int set;

	become_nobody();
	set = CHECK_OK(open(PFM_UNWIND_DEVICE, O_RDWR));
	CHECK_OK(set_copy(set, getpid()));
	CHECK_ERRNO(set_copy(set, getppid()), EPERM);
}

TEST(mappings_of_strangers_are_not_read)
{
	int set = set_new();

	reap(spawn(copy_as_stranger, &set));
	reap(spawn(copy_as_nobody, NULL));
}

TEST(tables_are_charged_until_close)
{
	struct pfm_unwind_head *table = own_table();
	int set, fd = own_file();
	long none, empty, full;

	module_load("pfm_unwind");
	none = charged_to(getpid());
	set = set_new();
	empty = charged_to(getpid());
	CHECK(empty >= none + 256);
	CHECK_OK(set_add(set, fd, table, table->size));
	full = charged_to(getpid());
	/*
	 * Whole pages are charged, and the last page of the empty set has room
	 * for a part of the table.
	 */
	CHECK(labs((full - empty) * 1024 - (long)table->size) <
	      sysconf(_SC_PAGESIZE));
	/* A refused table is not charged. */
	CHECK_ERRNO(set_add(set, fd, table, table->size), EEXIST);
	CHECK_EQ(charged_to(getpid()), full);
	CHECK_OK(close(set));
	CHECK_EQ(charged_to(getpid()), none);
}

/* A set without tables uses more than ROOM bytes and less than LIMIT bytes. */
#define ROOM	(256 << 10)
#define LIMIT	(ROOM + (16 << 10))

static void fill_locked_memory(void *unused)
{
	struct pfm_unwind_head *table = own_table();
	int set, fd = own_file();

	CHECK(table->size > LIMIT - ROOM);
	become_nobody();
	set = CHECK_OK(open(PFM_UNWIND_DEVICE, O_RDWR));
	CHECK_ERRNO(set_add(set, fd, table, table->size), ENOMEM);
	CHECK_ERRNO(open(PFM_UNWIND_DEVICE, O_RDWR), ENOMEM);
	CHECK_OK(close(set));
	CHECK_OK(open(PFM_UNWIND_DEVICE, O_RDWR));
}

TEST(locked_memory_is_limited)
{
	module_load("pfm_unwind");
	with_locked_pages(LIMIT / sysconf(_SC_PAGESIZE), fill_locked_memory);
}

static void refuse_tables(void *of_program)
{
	const struct pfm_unwind_head *table = of_program;
	const __u32 size = table->size;
	int set = set_new(), fd = own_file();

	REFUSED(set_add(set, 999, table, size), EBADF);
	REFUSED(set_add(set, set, table, size), EINVAL);
	REFUSED(set_add(set, fd, table, 0), EINVAL);
	REFUSED(set_add(set, fd, table, sizeof(*table)), EINVAL);
	REFUSED(set_add(set, fd, NULL, sizeof(*table)), EFAULT);
	CHECK_OK(set_add(set, fd, table, size));
	REFUSED(set_add(set, fd, table, size), EEXIST);
	REFUSED(set_copy(set, -1), ESRCH);
	REFUSED(set_copy(set, KTHREADD), ESRCH);
	REFUSED(ioctl(set, PFM_UNWIND_COPY, NULL), EFAULT);
	REFUSED(ioctl(set, PFM_UNWIND_ADD + 1, table), ENOTTY);
	keep_caps(ALL_CAPS & ~CAP(CAP_IPC_LOCK));
	limit_locked_pages(1);
	REFUSED(set_add(set, PFM_UNWIND_VDSO, table, size), ENOMEM);
	REFUSED(open(PFM_UNWIND_DEVICE, O_RDWR), ENOMEM);
}

TEST(refused_table_leaves_nothing)
{
	refusals_leave_nothing(refuse_tables, own_table());
}
