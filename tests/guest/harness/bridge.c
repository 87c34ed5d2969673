// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * bridge.c - contexts, device and parameters of the OProfile bridge
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bridge.h"
#include "check.h"
#include "ctx.h"
#include "files.h"

int ctx_bridged(__u32 flags)
{
	pfarg_ctx_t ctx = { .ctx_smpl_buf_id = PFM_OPROFILE_SMPL_UUID,
			    .ctx_flags = flags };
	int fd = CHECK_OK(pfm_create_context(&ctx, NULL, 0));

	CHECK_EQ(ctx.ctx_smpl_buf_size, 0);
	return fd;
}

int open_device(void)
{
	return CHECK_OK(open(BRIDGE_DEVICE, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

unsigned long bridge_stat(const char *name)
{
	char path[160];

	snprintf(path, sizeof(path), BRIDGE_STATS "%s", name);
	return read_number(path);
}

void bridge_set(const char *name, const char *value, int error)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), BRIDGE_PARAMETERS "%s", name);
	fd = CHECK_OK(open(path, O_WRONLY | O_CLOEXEC));
	if (error)
		CHECK_ERRNO(write(fd, value, strlen(value)), error);
	else
		CHECK_EQ(write(fd, value, strlen(value)), strlen(value));
	close(fd);
}

const char *own_path(void)
{
	static char path[PATH_MAX];

	CHECK_OK(readlink("/proc/self/exe", path, sizeof(path) - 1));
	return path;
}

/* Return the offset, in the mapped file, of an address of this process. */
static __u64 file_offset(const void *address)
{
	unsigned long addr = (uintptr_t)address, start, end, offset;
	FILE *file = fopen("/proc/self/maps", "r");
	char line[PATH_MAX + 128];

	CHECK(file);
	while (fgets(line, sizeof(line), file)) {
		CHECK(sscanf(line, "%lx-%lx %*s %lx", &start, &end,
			     &offset) == 3);
		if (addr >= start && addr < end) {
			fclose(file);
			return addr - start + offset;
		}
	}
	check_failed(__FILE__, __LINE__, "%p is not mapped", address);
}

bool is_between(__u64 offset, const void *start, const void *stop)
{
	return offset >= file_offset(start) && offset < file_offset(stop);
}

static const char * const lost_names[] = {
	"sample_lost_overflow", "sample_lost_no_mm", "sample_lost_no_mapping",
	"event_lost_overflow",
};

unsigned long bridge_lost(void)
{
	unsigned long sum = 0;

	for (unsigned int i = 0; i < sizeof(lost_names) / sizeof(*lost_names);
	     i++)
		sum += bridge_stat(lost_names[i]);
	return sum;
}
