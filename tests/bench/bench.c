// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * bench.c - code that the benchmark's programs share
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <perfmon/perfmon_default_smpl.h>
#include "bench.h"

#define NS_PER_INSN	2		/* -icount shift=1 */
#define CPU_LIMIT	"/sys/module/perfmon/parameters/ovfl_cpu_max"

void die(const char *fmt, ...)
{
	int error = errno;
	va_list ap;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, ": %s\n", strerror(error));
	exit(1);
}

uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (ts.tv_sec * 1000000000ULL + ts.tv_nsec) / NS_PER_INSN;
}

uint64_t least(void (*what)(void))
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t t = now();

		what();
		t = now() - t;
		if (t < best)
			best = t;
	}
	return best;
}

void end_row(double value, double bound)
{
	if (bound)
		printf("  bound %g: %s", bound,
		       value > bound ? "missed" : "met");
	printf("\n");
}

/* Use pages that exist already, because the cost of allocating pages varies. */
static int faults_file(size_t size)
{
	static int fd = -1;
	char *p;

	if (fd >= 0)
		return fd;
	fd = memfd_create("faults", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, size))
		die("memfd_create");
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		die("mmap");
	memset(p, 1, size);
	munmap(p, size);
	return fd;
}

void run_faults(void)
{
	size_t page = sysconf(_SC_PAGESIZE), size = FAULTS * page;
	int fd = faults_file(size);
	char *p;

	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		die("mmap");
	for (size_t i = 0; i < FAULTS; i++)
		__atomic_store_n(&p[i * page], 1, __ATOMIC_RELAXED);
	munmap(p, size);
}

void write_counter(int fd, int set, int num, uint64_t event, uint64_t value,
		   int values)
{
	pfarg_pmc_t pmc = { .reg_num = num, .reg_set = set,
			    .reg_value = event };
	pfarg_pmd_t pmd = { .reg_num = num, .reg_set = set, .reg_value = value,
			    .reg_short_reset = value, .reg_long_reset = value };

	for (int i = 0; i < values; i++)
		pfm_bv_set(pmc.reg_smpl_pmds, i);
	if (pfm_write_pmcs(fd, &pmc, 1) || pfm_write_pmds(fd, &pmd, 1))
		die("PMC%d/PMD%d of set%d", num, num, set);
}

int new_context(void)
{
	pfarg_ctx_t ctx = { .ctx_flags = 0 };
	int fd = pfm_create_context(&ctx, NULL, 0);

	if (fd < 0)
		die("PFM_CREATE_CONTEXT");
	return fd;
}

int new_default(size_t size, uint32_t flags)
{
	pfm_default_smpl_arg_t arg = { .buf_size = size, .buf_flags = flags };
	pfarg_ctx_t ctx = { .ctx_smpl_buf_id = PFM_DFL_SMPL_UUID };
	int fd = pfm_create_context(&ctx, &arg, sizeof(arg));

	if (fd < 0)
		die("PFM_CREATE_CONTEXT");
	return fd;
}

void start_on(int fd, pid_t tid)
{
	pfarg_load_t load = { .load_pid = tid };

	if (pfm_load_context(fd, &load) || pfm_start(fd, NULL))
		die("PFM_LOAD_CONTEXT, PFM_START");
}

static char cpu_limit[16];

static bool write_cpu_limit(const char *text)
{
	int fd = open(CPU_LIMIT, O_WRONLY);
	bool written = write(fd, text, strlen(text)) > 0;

	close(fd);
	return written;
}

/* exit() calls this function, so it must not call die(). */
static void restore_cpu_limit(void)
{
	if (!write_cpu_limit(cpu_limit))
		perror(CPU_LIMIT);
}

void lift_cpu_limit(void)
{
	int fd = open(CPU_LIMIT, O_RDONLY);

	if (fd < 0 || read(fd, cpu_limit, sizeof(cpu_limit) - 1) <= 0)
		die(CPU_LIMIT);
	close(fd);
	atexit(restore_cpu_limit);
	if (!write_cpu_limit("0"))
		die(CPU_LIMIT);
}

void allow_files(unsigned int n)
{
	struct rlimit limit = { n + 100, n + 100 };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		die("RLIMIT_NOFILE");
}
