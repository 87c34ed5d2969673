// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * modules.c - load and unload perfmon's modules
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "check.h"
#include "files.h"
#include "modules.h"

/*
 * Return whether another process is loading the module, so that its init
 * function may still be running.
 */
static bool is_loading(const char *module)
{
	FILE *list = fopen("/proc/modules", "re");
	char line[512], name[64], state[16];
	bool found = false;

	CHECK(list);
	while (!found && fgets(line, sizeof(line), list))
		found = sscanf(line, "%63s %*s %*s %*s %15s", name,
			       state) == 2 &&
			!strcmp(name, module);
	fclose(list);
	return found && !strcmp(state, "Loading");
}

void module_load(const char *module)
{
	char command[128];

	snprintf(command, sizeof(command), "modprobe %s", module);
	CHECK_EQ(system(command), 0);
	/*
	 * busybox's modprobe does not wait until another process has loaded the
	 * module.
	 */
	while (is_loading(module))
		sched_yield();
}

int module_insert_with(const char *path, const char *parameters)
{
	char full[192];
	struct utsname uts;
	int fd, ret;

	CHECK_OK(uname(&uts));
	snprintf(full, sizeof(full), "/lib/modules/%s/extra/%s", uts.release,
		 path);
	fd = CHECK_OK(open(full, O_RDONLY));
	ret = syscall(SYS_finit_module, fd, parameters, 0);
	close(fd);
	return ret;
}

int module_insert(const char *path)
{
	return module_insert_with(path, "");
}

int module_unload(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK);
}

void modules_unload_formats(void)
{
	FILE *list = fopen("/proc/modules", "re");
	char line[512];

	CHECK(list);
	while (fgets(line, sizeof(line), list)) {
		line[strcspn(line, " ")] = '\0';
		/* Unload formats before the module that they use. */
		if (!strncmp(line, "pfm_fmt_", strlen("pfm_fmt_")) ||
		    !strcmp(line, "pfm_unwind"))
			module_unload(line);
	}
	fclose(list);
}

long module_references(const char *module)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s/refcnt", module);
	return read_number(path);
}
