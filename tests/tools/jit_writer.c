// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * jit_writer - write the JITM and JITD chunks that pfmon would write
 *
 * usage: jit_writer CAPTURE WHAT...
 *
 * WHAT is PID, a process with samples that generated code; =PID, a process with
 * samples; -PID, a process that has ended; @PID, a process whose mappings are
 * read from /proc; or PID:DUMP[:INODE[:DEVICE]], a process and the jitdump file
 * that it maps. INODE and DEVICE are by default those of the file. Opens the
 * files, prints "looked", and writes the capture when standard input ends.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/util.h"
#include "capture/capture.h"
#include "capture/jit.h"
#include "capture/maps.h"
#include "process/mapping.h"

static void add_dump(struct maps *maps, pid_t pid, char *arg)
{
	char *dump = strsep(&arg, ":"), *inode = strsep(&arg, ":");
	struct mapping mapping = { .prot = "r-x", .path = dump };
	struct stat info = { .st_ino = 1 };
	char *device, *key;

	stat(dump, &info);
	mapping.inode = inode ? (uint64_t)atoi(inode) : info.st_ino;
	device = arg ? checked_strdup(arg) :
		       checked_printf("%02x:%02x", major(info.st_dev),
				      minor(info.st_dev));
	key = checked_printf("%s %" PRIu64, device, mapping.inode);
	mapping.device_inode = key;
	maps_identify(maps, pid, dump, &mapping);
	free(key);
	free(device);
}

static void look(struct maps *maps, struct jit *jit, char *arg)
{
	char kind = strchr("=-@", *arg) ? *arg++ : '\0';
	pid_t pid = atoi(arg);
	char *dump = strchr(arg, ':');

	if (kind == '-')
		maps_forget(maps, pid);
	else if (kind == '@')
		free(maps_changed(maps, pid));
	else if (dump)
		add_dump(maps, pid, dump + 1);
	else
		jit_look_at(jit, pid, kind != '=');
}

int main(int argc, char **argv)
{
	struct capture capture;
	struct maps *maps;
	struct jit *jit;
	int ret;

	if (argc < 2 || capture_open(&capture, argv[1]))
		return 2;
	jit = jit_create(time(NULL));
	maps = maps_create(false, NULL, jit);
	for (int i = 2; i < argc; i++)
		look(maps, jit, argv[i]);
	puts("looked");
	fflush(stdout);
	while (getchar() != EOF)
		;
	ret = jit_write(jit, &capture);
	maps_destroy(maps);
	jit_destroy(jit);
	return capture_close(&capture) || ret ? 1 : 0;
}
