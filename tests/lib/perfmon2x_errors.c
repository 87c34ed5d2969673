// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * perfmon2x_errors - the errors that libpfm2x reports without perfmon
 *
 * Prints one line per case, "NAME: RESULT ERRNO", for test_perfmon2x.py.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/perfmon2x.h>

static void show(const char *name, int result)
{
	printf("%s: %d %s\n", name, result,
	       result < 0 ? strerrorname_np(errno) : "0");
}

static unsigned int ioctls;

/*
 * This function replaces the C library's, and is called by the tested
 * libraries.
 */
int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	ioctls++;
	return syscall(SYS_ioctl, fd, request, arg);
}

/*
 * Show that mapping a file that is not a context fails with the same error as
 * without the library.
 */
static void show_mmap(const char *program)
{
	int fd = open(program, O_RDONLY);
	unsigned int before = ioctls;
	void *map = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 1);

	show("mmap_other", map == MAP_FAILED ? -1 : 0);
	show("ioctls_to_other", ioctls - before);
	close(fd);
}

static void show_create(void)
{
	pfarg_ctx_t ctx = { .ctx_flags = 0 };
	char arg[64] = "";

	show("create", pfm_create_context(&ctx, NULL, NULL, 0));
	show("create_known", pfm_create_context(&ctx, "default", arg, 64));
	show("create_unknown", pfm_create_context(&ctx, "no-such", arg, 64));
	show("create_null", pfm_create_context(NULL, NULL, NULL, 0));
	show("create_huge",
	     pfm_create_context(&ctx, "default", arg, SIZE_MAX));
}

static void show_context_calls(const char *what, int fd)
{
	pfarg_pmc_t pmc = { .reg_num = 0 };
	pfarg_pmd_t pmd = { .reg_num = 0 };
	pfarg_load_t load = { .load_pid = 1 };
	pfarg_setdesc_t set = { .set_id = 0 };
	pfarg_setinfo_t info = { .set_id = 0 };
	char name[64];

#define SHOW(call, result)						\
	do {								\
		snprintf(name, sizeof(name), "%s_%s", what, call);	\
		show(name, result);					\
	} while (0)
	SHOW("write_pmcs", pfm_write_pmcs(fd, &pmc, 1));
	SHOW("write_pmds", pfm_write_pmds(fd, &pmd, 1));
	SHOW("read_pmds", pfm_read_pmds(fd, &pmd, 1));
	SHOW("read_none", pfm_read_pmds(fd, NULL, 0));
	SHOW("load", pfm_load_context(fd, &load));
	SHOW("start", pfm_start(fd, NULL));
	SHOW("stop", pfm_stop(fd));
	SHOW("restart", pfm_restart(fd));
	SHOW("unload", pfm_unload_context(fd));
	SHOW("create_evtsets", pfm_create_evtsets(fd, &set, 1));
	SHOW("delete_evtsets", pfm_delete_evtsets(fd, &set, 1));
	SHOW("getinfo_evtsets", pfm_getinfo_evtsets(fd, &info, 1));
#undef SHOW
}

int main(int argc, char *argv[])
{
	int ends[2];

	if (pipe(ends)) {
		perror("perfmon2x_errors");
		return 1;
	}
	show_mmap(argv[argc - 1]);
	show_create();
	show_context_calls("closed", -1);
	show_context_calls("pipe", ends[0]);
	show("write_negative", pfm_write_pmcs(ends[0], NULL, -1));
	show("write_null", pfm_write_pmds(ends[0], NULL, 1));
	return 0;
}
