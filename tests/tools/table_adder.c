// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * table_adder - load unwind tables into a set
 *
 * usage: table_adder ERRNO BUILD_ID FILE...
 *
 * All files have the build ID BUILD_ID; if it is "", the files have no build
 * ID. The program simulates the kernel's device for unwind tables. The device
 * does not exist if ERRNO is ENOENT. Otherwise, the program prints "SIZE bytes"
 * for each table that the device gets, and then refuses the table with ERRNO,
 * unless this is 0. The device refuses tables without a magic number. It
 * accepts the table of the vDSO unless OLD is in the environment. The program
 * also prints "compiled" for each compilation of a file, which takes 600 ms on
 * pfmon's clock. It calls table_set_load() three times.
 *
 * With CHANGED in the environment, the program first calls table_set_changed()
 * twice for process 1. It prints "process 1" whenever the device is told to
 * read the mappings of process 1. The first of these reads fails.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/buildid.h"
#include "stacks/table_set.h"
#include "unwind/compile.h"

static int refusal;
static uint64_t now_ns;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
uint64_t __wrap_clock_ns(clockid_t clock);
struct pfm_unwind_head *__real_unwind_compile(int fd, const char **why);
struct pfm_unwind_head *__wrap_unwind_compile(int fd, const char **why);

int __wrap_open(const char *path, int flags, ...)
{
	if (strcmp(path, PFM_UNWIND_DEVICE))
		return __real_open(path, flags);
	if (refusal != ENOENT)
		return __real_open("/dev/null", flags);
	errno = refusal;
	return -1;
}

static int copy(const pid_t *pid)
{
	static bool again;
	int ret = again ? 0 : -1;

	printf("process %d\n", *pid);
	again = true;
	errno = EBUSY;
	return ret;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	const struct pfm_unwind_head *table;
	const struct pfm_unwind_add *add;
	va_list args;

	(void)fd;
	va_start(args, request);
	add = va_arg(args, const struct pfm_unwind_add *);
	va_end(args);
	if (request == PFM_UNWIND_COPY)
		return copy((const pid_t *)add);
	if (add->fd == PFM_UNWIND_VDSO) {
		errno = EINVAL;
		return getenv("OLD") ? -1 : 0;
	}
	table = (const void *)(uintptr_t)add->table;
	printf("%u bytes\n", add->size);
	errno = table->magic == PFM_UNWIND_MAGIC ? refusal : EINVAL;
	return errno ? -1 : 0;
}

uint64_t __wrap_clock_ns(clockid_t clock)
{
	(void)clock;
	return now_ns;
}

struct pfm_unwind_head *__wrap_unwind_compile(int fd, const char **why)
{
	puts("compiled");
	now_ns += 600000000;
	return __real_unwind_compile(fd, why);
}

int main(int argc, char **argv)
{
	struct table_set *set;
	const char *build_id;

	if (argc < 4)
		return 2;
	refusal = atoi(argv[1]);
	build_id = *argv[2] ? argv[2] : NULL;
	set = table_set_open();
	if (!set)
		return 1;
	for (int i = 3; i < argc; i++)
		table_set_add(set, file_open(argv[i]), build_id);
	if (getenv("CHANGED")) {
		table_set_changed(set, 1);
		table_set_changed(set, 1);
	}
	for (int i = 0; i < 3; i++)
		table_set_load(set);
	table_set_close(set);
	return 0;
}
