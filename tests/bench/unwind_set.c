// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * unwind_set.c - a set with the unwind table of this program
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <perfmon/perfmon_unwind.h>
#include "bench.h"
#include "unwind/compile.h"
#include "unwind_set.h"

static void add_own_table(int set)
{
	const char *why = "";
	struct pfm_unwind_add add = {
		.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
	};
	struct pfm_unwind_head *table = unwind_compile(add.fd, &why);

	if (!table)
		die("the table of this program: %s", why);
	add.size = table->size;
	add.table = (uintptr_t)table;
	if (ioctl(set, PFM_UNWIND_ADD, &add))
		die("PFM_UNWIND_ADD");
	free(table);
	close(add.fd);
}

int own_unwind_set(void)
{
	static int set;

	if (set)
		return set;
	set = open(PFM_UNWIND_DEVICE, O_RDWR | O_CLOEXEC);
	if (set < 0)
		die(PFM_UNWIND_DEVICE);
	add_own_table(set);
	return set;
}
