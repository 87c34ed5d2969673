// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * oprofile.c - record samples in OProfile's format
 *
 * The samples of all contexts are read from one device, in the form of
 * OProfile's event stream. The stream contains cookies instead of file names;
 * an ioctl of the open device translates a cookie to a file name.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <perfmon/perfmon_oprofile_smpl.h>

#include "base/json.h"
#include "base/util.h"
#include "formats/opstream.h"
#include "formats/rows.h"
#include "process/buildid.h"

#define STATS	PFM_SYSFS "/formats/" PFM_OPROFILE_SMPL_UUID_STR "/stats"

struct bridge {
	struct opstream stream;
	uint64_t lost_before;
};

/* The device, and a list of the cookies that it has translated. */
struct cookie_list {
	int fd;
	struct json_object *list;	/* NULL while it is empty */
};

static int counts_losses(const struct dirent *entry)
{
	static const char start[] = "sample_lost_";

	return !strncmp(entry->d_name, start, strlen(start)) ||
	       !strcmp(entry->d_name, "event_lost_overflow");
}

/* Returns the number of samples lost since the module was loaded. */
static uint64_t count_lost(void)
{
	struct dirent **entries;
	int count = scandir(STATS, &entries, counts_losses, alphasort);
	uint64_t sum = 0, number;

	for (int i = 0; i < count; i++) {
		char *path = checked_printf(STATS "/%s", entries[i]->d_name);
		char *text = read_line_of(path);

		if (text && parse_u64(text, &number))
			sum += number;
		free(text);
		free(path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return sum;
}

static void *begin(const struct smpl_format *format)
{
	struct bridge *bridge = checked_calloc(1, sizeof(*bridge));

	(void)format;
	bridge->lost_before = count_lost();
	return bridge;
}

static void end(void *state)
{
	struct bridge *bridge = state;

	opstream_free(&bridge->stream);
	free(bridge);
}

static void list_cookie(uint64_t cookie, void *data)
{
	struct cookie_list *cookies = data;
	struct json_object *object;
	struct file_identity identity = { .size = 0 };
	char path[PATH_MAX];
	struct pfm_oprofile_cookie request = {
		.cookie = cookie,
		.path = (uintptr_t)path,
		.size = sizeof(path),
	};
	int fd;

	/*
	 * If the file has been unmapped, the kernel may no longer know the
	 * cookie. The samples then remain without a file name.
	 */
	if (ioctl(cookies->fd, PFM_OPROFILE_IOC_COOKIE, &request))
		return;
	fd = file_open(path);
	if (fd >= 0) {
		file_identify(&identity, fd);
		close(fd);
	}
	object = json_new_object();
	json_add_u64(object, "cookie", cookie);
	json_add_text(object, "path", path);
	file_identity_add(object, &identity);
	file_identity_free(&identity);
	if (!cookies->list)
		cookies->list = json_new_array();
	json_append(cookies->list, object);
}

static void scan(void *state, int fd, const struct image *image,
		 struct smpl_scan *found)
{
	struct bridge *bridge = state;
	struct cookie_list cookies = { fd, NULL };
	uint64_t before = bridge->stream.samples;
	struct json_object *object;

	/* The device returns whole words of 64 bits. */
	opstream_scan(&bridge->stream, (const uint64_t *)image->bytes,
		      image->size / sizeof(uint64_t), list_cookie, &cookies);
	found->samples = bridge->stream.samples - before;
	if (!cookies.list)
		return;
	object = json_new_object();
	json_add(object, "cookies", cookies.list);
	found->text = json_finish(object);
}

static uint64_t lost(void *state)
{
	const struct bridge *bridge = state;

	return count_lost() - bridge->lost_before;
}

static const struct smpl_device device = {
	.chunk = "COOK",
	.begin = begin,
	.scan = scan,
	.lost = lost,
	.end = end,
};

static bool set_up(struct smpl_format *format, const struct options *options)
{
	(void)options;
	smpl_format_set_device(format, &device, PFM_OPROFILE_DEVICE);
	return true;
}

const struct smpl_module smpl_oprofile = {
	.name = PFM_OPROFILE_SMPL_NAME,
	.uuid = PFM_OPROFILE_SMPL_UUID_STR,
	.summary = PFM_OPROFILE_SMPL_SUMMARY,
	.options = FORMAT_OPT_RANDOM,
	.set_up = set_up,
};
