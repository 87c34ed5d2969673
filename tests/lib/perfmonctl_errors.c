// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * perfmonctl_errors - the errors that libperfmon reports without a kernel
 *
 * Prints one line per case, "NAME: RESULT ERRNO", for test_perfmonctl.py.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

static void show(const char *name, int result)
{
	printf("%s: %d %s\n", name, result,
	       result < 0 ? strerrorname_np(errno) : "0");
}

static void show_device_commands(void)
{
	struct {
		pfarg_ctx_t ctx;
		char arg[64];
	} create = { .arg = "" };
	pfarg_pmcinfo_t info = { .reg_num = 0 };
	pfarg_config_t config = { .cf_flags = 0 };

	show("create", perfmonctl(0, PFM_CREATE_CONTEXT, &create, 1));
	show("create_0", perfmonctl(0, PFM_CREATE_CONTEXT, &create, 0));
	show("create_2", perfmonctl(0, PFM_CREATE_CONTEXT, &create, 2));
	show("create_null", perfmonctl(0, PFM_CREATE_CONTEXT, NULL, 1));
	show("create_context", pfm_create_context(&create.ctx, create.arg, 64));
	show("create_context_huge",
	     pfm_create_context(&create.ctx, create.arg, SIZE_MAX));
	show("getinfo_pmcs", pfm_getinfo_pmcs(&info, 1));
	show("getinfo_pmds", pfm_getinfo_pmds(&info, 1));
	show("set_config", pfm_set_config(&config));
	show("get_config", pfm_get_config(&config));
	show("getinfo_negative", pfm_getinfo_pmds(&info, -1));
}

static void show_context_commands(const char *what, int fd)
{
	pfarg_pmc_t pmc = { .reg_num = 0 };
	pfarg_pmd_t pmd = { .reg_num = 0 };
	pfarg_load_t load = { .load_pid = 1 };
	pfarg_start_t start = { .start_set = 0 };
	char name[64];

#define SHOW(command, result)						\
	do {								\
		snprintf(name, sizeof(name), "%s_%s", what, command);	\
		show(name, result);					\
	} while (0)
	SHOW("write_pmcs", pfm_write_pmcs(fd, &pmc, 1));
	SHOW("write_pmds", pfm_write_pmds(fd, &pmd, 1));
	SHOW("read_pmds", pfm_read_pmds(fd, &pmd, 1));
	SHOW("load", pfm_load_context(fd, &load));
	SHOW("start", pfm_start(fd, &start));
	SHOW("start_null", pfm_start(fd, NULL));
	SHOW("stop", pfm_stop(fd));
	SHOW("restart", pfm_restart(fd));
	SHOW("unload", pfm_unload_context(fd));
	SHOW("set_fmt_arg", pfm_set_fmt_arg(fd, &load, sizeof(load)));
#undef SHOW
}

static void show_unknown_commands(void)
{
	show("unknown_negative", perfmonctl(0, -1, NULL, 0));
	show("unknown_zero", perfmonctl(0, 0, NULL, 0));
	show("unknown_gap", perfmonctl(0, 0x06, NULL, 0));
	show("unknown_large", perfmonctl(0, 0x7fffffff, NULL, 0));
	show("write_negative", pfm_write_pmcs(0, NULL, -1));
	show("set_fmt_arg_negative", perfmonctl(0, PFM_SET_FMT_ARG, NULL, -1));
	show("set_fmt_arg_huge", pfm_set_fmt_arg(0, NULL, SIZE_MAX));
}

int main(void)
{
	int ends[2], file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (file < 0 || pipe2(ends, O_CLOEXEC)) {
		perror("perfmonctl_errors");
		return 1;
	}
	show_device_commands();
	show_context_commands("closed", -1);
	show_context_commands("pipe", ends[0]);
	show_context_commands("file", file);
	show_unknown_commands();
	close(ends[0]);
	close(ends[1]);
	close(file);
	return 0;
}
