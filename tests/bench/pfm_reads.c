// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * pfm_reads - the cost of reading one PMD from a mapped event set, compared
 * with PFM_READ_PMDS, in guest instructions
 *
 * A program that monitors itself reads PMDs very often.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bench.h"

#define READS		20000U
#define CYCLES		PFM_PERF_EVENT(PERF_TYPE_HARDWARE, \
				       PERF_COUNT_HW_CPU_CYCLES)
#define USER_ACCESS	"/proc/sys/kernel/perf_user_access"

static int fd;
static struct pfm_set_map *maps[2];

static void read_nothing(unsigned int set, unsigned int pmd)
{
	__asm__ volatile("" : : "r"(set), "r"(pmd));
}

static void read_asked(unsigned int set, unsigned int pmd)
{
	pfarg_pmd_t arg = { .reg_num = pmd, .reg_set = set };

	if (pfm_read_pmds(fd, &arg, 1))
		die("PFM_READ_PMDS");
}

static void read_mapped(unsigned int set, unsigned int pmd)
{
	__u64 value;

	if (pfm_read_mapped(maps[set], pmd, &value))
		die("pfm_read_mapped");
}

/* Return the smallest number of instructions of a read in ROUNDS rounds. */
static double measure(void (*read)(unsigned int set, unsigned int pmd),
		      unsigned int set, unsigned int pmd)
{
	uint64_t best = UINT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t t = now();

		for (unsigned int i = 0; i < READS; i++)
			read(set, pmd);
		t = now() - t;
		if (t < best)
			best = t;
	}
	return (double)best / READS;
}

static void compare(const char *what, unsigned int set, unsigned int pmd,
		    double bound)
{
	double loop = measure(read_nothing, set, pmd);
	double asked = measure(read_asked, set, pmd) - loop;
	double mapped = measure(read_mapped, set, pmd) - loop;

	printf("%-28s %14.1f %12.1f %10.3f", what, asked, mapped,
	       mapped / asked);
	end_row(mapped / asked, bound);
}

/*
 * Allow programs to read their hardware counters. Return: whether the kernel
 * supports this.
 */
static bool allow_reading(void)
{
	int access = open(USER_ACCESS, O_WRONLY);

	if (access < 0)
		return false;
	if (write(access, "1", 1) != 1)
		die(USER_ACCESS);
	close(access);
	return true;
}

/*
 * Create two sets with a counter each. Set 0 is active. If @hardware, set 0
 * also has a hardware counter, which user space can read.
 */
static void set_up(bool hardware)
{
	pfarg_pmc_t cycles = { .reg_num = 1, .reg_value = CYCLES };
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_MAP_SETS };
	pfarg_setdesc_t desc = { .set_id = 1 };
	pfarg_load_t load = { .load_pid = syscall(SYS_gettid) };

	fd = pfm_create_context(&ctx, NULL, 0);
	if (fd < 0 || pfm_create_evtsets(fd, &desc, 1))
		die("PFM_CREATE_CONTEXT, PFM_CREATE_EVTSETS");
	for (unsigned int set = 0; set < 2; set++) {
		pfarg_pmc_t pmc = { .reg_set = set, .reg_value = PAGE_FAULTS };

		maps[set] = pfm_map_set(fd, set);
		if (!maps[set])
			die("pfm_map_set");
		if (pfm_write_pmcs(fd, &pmc, 1))
			die("PFM_WRITE_PMCS");
	}
	if (hardware && pfm_write_pmcs(fd, &cycles, 1))
		die("PFM_WRITE_PMCS");
	if (pfm_load_context(fd, &load))
		die("PFM_LOAD_CONTEXT");
}

int main(void)
{
	bool hardware = allow_reading();

	set_up(hardware);
	printf("reading one PMD, instructions\n");
	printf("%-28s %14s %12s %10s\n", "", "PFM_READ_PMDS", "mapped",
	       "ratio");
	compare("stopped", 0, 0, 0);
	if (pfm_start(fd, NULL))
		die("PFM_START");
	compare("set that is not active", 1, 0, 0);
	compare("elapsed time, counting", 0, PFM_PMD_ELAPSED, 0);
	compare("software event, counting", 0, 0, 0);
	if (hardware)
		compare("running counter", 0, 1, 0.05);
	return 0;
}
