// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * tables.c - unwind tables of the test program itself
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "check.h"
#include "modules.h"
#include "tables.h"
#include "unwind/compile.h"

int set_new(void)
{
	module_load("pfm_unwind");
	return CHECK_OK(open(PFM_UNWIND_DEVICE, O_RDWR | O_CLOEXEC));
}

int set_add(int set, int fd, const struct pfm_unwind_head *table, __u32 size)
{
	struct pfm_unwind_add add = { fd, size, (uintptr_t)table };

	return ioctl(set, PFM_UNWIND_ADD, &add);
}

int own_file(void)
{
	return CHECK_OK(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
}

struct pfm_unwind_head *own_table(void)
{
	const char *why = "";
	int fd = own_file();
	struct pfm_unwind_head *table = unwind_compile(fd, &why);

	CHECK(table);
	close(fd);
	return table;
}

int own_set(void)
{
	struct pfm_unwind_head *table = own_table();
	int set = set_new(), fd = own_file();

	CHECK_OK(set_add(set, fd, table, table->size));
	close(fd);
	free(table);
	return set;
}
