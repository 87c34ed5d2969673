// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * jit_writer - write the JITM and JITD chunks that pfmon would write
 *
 * usage: jit_writer CAPTURE all|sampled WHAT...
 *
 * WHAT is PID, a process with samples that generated code; =PID, a process with
 * samples; or PID:DUMP[:INODE[:DEVICE]], a process and the jitdump file that it
 * maps. INODE is by default that of the file. With "sampled", jitdump files of
 * processes without samples are left out. Opens the files, prints "looked", and
 * writes the capture when standard input ends.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/util.h"
#include "capture/capture.h"
#include "capture/jit.h"
#include "process/mapping.h"

static void look(struct jit *jit, char *arg)
{
	bool made_code = *arg != '=';
	pid_t pid = atoi(arg + !made_code);
	char *dump = (strsep(&arg, ":"), strsep(&arg, ":"));
	char *inode = strsep(&arg, ":"), *key;
	struct mapping mapping = { .device_inode = arg ? arg : "08:01" };
	struct stat info = { .st_ino = 1 };

	if (!dump) {
		jit_look_at(jit, pid, made_code);
		return;
	}
	stat(dump, &info);
	mapping.inode = inode ? (uint64_t)atoi(inode) : info.st_ino;
	key = checked_printf("%s %" PRIu64, mapping.device_inode,
			     mapping.inode);
	mapping.device_inode = key;
	jit_add_dump(jit, pid, &mapping, dump);
	free(key);
}

int main(int argc, char **argv)
{
	struct capture capture;
	struct jit *jit;
	int ret;

	if (argc < 3 || capture_open(&capture, argv[1]))
		return 2;
	jit = jit_create();
	for (int i = 3; i < argc; i++)
		look(jit, argv[i]);
	puts("looked");
	fflush(stdout);
	while (getchar() != EOF)
		;
	ret = jit_write(jit, !strcmp(argv[2], "all"), &capture);
	jit_destroy(jit);
	return capture_close(&capture) || ret ? 1 : 0;
}
