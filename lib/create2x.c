// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * create2x.c - pfm_create_context() of perfmon 2.3 and later: formats by name
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <perfmon/perfmon.h>
#include <perfmon/perfmon2x.h>
#include <perfmon/perfmon_callstack_smpl.h>
#include <perfmon/perfmon_cgroup_counts_smpl.h>
#include <perfmon/perfmon_default_smpl.h>
#include <perfmon/perfmon_flight_smpl.h>
#include <perfmon/perfmon_histogram_smpl.h>
#include <perfmon/perfmon_nway_smpl.h>
#include <perfmon/perfmon_oprofile_smpl.h>
#include <perfmon/perfmon_pebs32_smpl.h>
#include <perfmon/perfmon_pebs64_smpl.h>
#include <perfmon/perfmon_stacks_smpl.h>

#include "ioctl.h"

/*
 * perfmon.h declares this symbol with other arguments, so use an alias. The
 * library is built with hidden visibility.
 */
#pragma GCC visibility push(default)
int pfm2x_create_context(struct pfm2x_ctx *ctx, char *fmt_name, void *fmt_arg,
			 size_t fmt_arg_size) __asm__("pfm_create_context");
#pragma GCC visibility pop

/* Formats that are found by name even if their modules are not loaded */
static const struct {
	const char	*name;
	pfm_uuid_t	uuid;
} known_formats[] = {
	{ PFM_DFL_SMPL_NAME,		PFM_DFL_SMPL_UUID },
	{ PFM_NWAY_SMPL_NAME,		PFM_NWAY_SMPL_UUID },
	{ PFM_OPROFILE_SMPL_NAME,	PFM_OPROFILE_SMPL_UUID },
	{ PFM_PEBS32_SMPL_NAME,		PFM_PEBS32_SMPL_UUID },
	{ PFM_PEBS64_SMPL_NAME,		PFM_PEBS64_SMPL_UUID },
	{ PFM_CALLSTACK_SMPL_NAME,	PFM_CALLSTACK_SMPL_UUID },
	{ PFM_FLIGHT_SMPL_NAME,		PFM_FLIGHT_SMPL_UUID },
	{ PFM_HISTOGRAM_SMPL_NAME,	PFM_HISTOGRAM_SMPL_UUID },
	{ PFM_STACKS_SMPL_NAME,		PFM_STACKS_SMPL_UUID },
	{ PFM_CGROUP_COUNTS_SMPL_NAME,	PFM_CGROUP_COUNTS_SMPL_UUID },
};

static bool find_known_format(const char *name, pfm_uuid_t uuid)
{
	size_t n = sizeof(known_formats) / sizeof(*known_formats);

	for (size_t i = 0; i < n; i++) {
		if (!strcmp(known_formats[i].name, name)) {
			memcpy(uuid, known_formats[i].uuid, sizeof(pfm_uuid_t));
			return true;
		}
	}
	return false;
}

/* Does the format in this directory of sysfs have this name? */
static bool has_name(const char *dir, const char *name)
{
	char path[512], text[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), PFM_SYSFS "/formats/%s/name", dir);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fgets(text, sizeof(text), file))
		text[strcspn(text, "\n")] = '\0';
	fclose(file);
	return !strcmp(text, name);
}

static bool parse_uuid(const char *text, pfm_uuid_t uuid)
{
	for (size_t i = 0; i < sizeof(pfm_uuid_t); i++) {
		if (*text == '-')
			text++;
		if (sscanf(text, "%2hhx", &uuid[i]) != 1)
			return false;
		text += 2;
	}
	return !*text;
}

static int find_loaded_format(const char *name, pfm_uuid_t uuid)
{
	DIR *dir = opendir(PFM_SYSFS "/formats");
	struct dirent *entry;
	bool found = false;

	if (!dir)
		return fail(ENOSYS);
	while (!found && (entry = readdir(dir)))
		found = strlen(entry->d_name) ==
				strlen(PFM_DFL_SMPL_UUID_STR) &&
			has_name(entry->d_name, name) &&
			parse_uuid(entry->d_name, uuid);
	closedir(dir);
	return found ? 0 : fail(EINVAL);
}

static int find_format(const char *name, pfm_uuid_t uuid)
{
	if (*name && find_known_format(name, uuid))
		return 0;
	return find_loaded_format(name, uuid);
}

int pfm2x_create_context(struct pfm2x_ctx *ctx, char *fmt_name, void *fmt_arg,
			 size_t fmt_arg_size)
{
	pfarg_ctx_t req = { .ctx_flags = 0 };

	if (!ctx)
		return fail(EFAULT);
	if (fmt_name && find_format(fmt_name, req.ctx_smpl_buf_id))
		return -1;
	req.ctx_flags = ctx->ctx_flags;
	req.reserved[0] = ctx->reserved1;
	memcpy(&req.reserved[1], ctx->reserved2, sizeof(ctx->reserved2));
	if (pfm_create_command(&req, fmt_arg, fmt_arg_size))
		return -1;
	return req.ctx_fd;
}
