// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * sysfs.c - the contents of /sys/kernel/perfmon (specification 3.5.2)
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <string.h>

#include <perfmon/perfmon.h>
#include <perfmon/perfmon_default_smpl.h>

#include "check.h"
#include "files.h"
#include "smpl.h"
#include "worker.h"

#define FORMAT_DIR PFM_SYSFS "/formats/" PFM_DFL_SMPL_UUID_STR

/* Proves 3.5.2-01, 3.5.2-04 */
TEST(sysfs_shows_version_format_and_pmu)
{
	expect_text(PFM_SYSFS "/version", "0.6");
	expect_text(FORMAT_DIR "/name", "default");
	expect_text(FORMAT_DIR "/arg_size", "64");
	expect_text(FORMAT_DIR "/arg_layout", "buf_size 0 8 65536 bytes");
	expect_text(PFM_SYSFS "/pmu_desc/name", "perf_events");
	CHECK_ERRNO(open(PFM_SYSFS "/version", O_WRONLY | O_TRUNC), EACCES);
}

static void find_default_format(void *arg)
{
	DIR *list;
	const struct dirent *entry;

	become_nobody();
	list = opendir(PFM_SYSFS "/formats");
	CHECK(list);
	do {
		entry = readdir(list);
		CHECK(entry);
	} while (strcmp(entry->d_name, PFM_DFL_SMPL_UUID_STR));
	closedir(list);
	expect_text(FORMAT_DIR "/name", "default");
}

/* Proves 3.5.2-05 */
TEST(everybody_can_list_the_formats)
{
	reap(spawn(find_default_format, NULL));
}
