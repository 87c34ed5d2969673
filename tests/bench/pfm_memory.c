// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * pfm_memory - the kernel memory of a context
 *
 * Many contexts are created, and the decrease of free memory is divided by
 * their number. Memory that the allocators had in reserve hides a part of the
 * decrease. The charge of the control group includes only perfmon's memory,
 * because the memory of perf events is not charged.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench.h"
#include "sleepers.h"

#define CONTEXTS	SLEEPERS_MAX
#define SETS		64
#define CONTEXTS_OF_SETS 64U
#define COUNTERS	8
#define KIB_MAX		256		/* bound for a context with SETS sets */
#define CGROUPS		"/sys/fs/cgroup/"
#define CHARGED		CGROUPS "command/memory.current"

static int fds[CONTEXTS];

struct memory {
	double	taken, charged;		/* KiB */
};

/* Return the number after the text @before in a file. */
static double number_in(const char *path, const char *before)
{
	char text[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *at;

	if (size < 0)
		die("%s", path);
	close(fd);
	text[size] = 0;
	at = strstr(text, before);
	if (!at)
		die("%s: no %s", path, before);
	return strtod(at + strlen(before), NULL);
}

static struct memory used(void)
{
	return (struct memory){
		.taken = -number_in("/proc/meminfo", "MemFree:"),
		.charged = number_in(CHARGED, "") / 1024,
	};
}

static int create(int sets, int counters)
{
	pfarg_setdesc_t set = { .set_id = 0 };
	int fd = new_context();

	for (; set.set_id < sets; set.set_id++) {
		if (set.set_id && pfm_create_evtsets(fd, &set, 1))
			die("PFM_CREATE_EVTSETS");
		for (int i = 0; i < counters; i++)
			write_counter(fd, set.set_id, i, PAGE_FAULTS, 0, 0);
	}
	return fd;
}

static void print_row(const char *what, struct memory before, unsigned int n,
		      double bound)
{
	struct memory now = used();
	double taken = (now.taken - before.taken) / n;
	double charged = (now.charged - before.charged) / n;

	printf("%-36s %10.1f %10.1f", what, taken, charged);
	end_row(taken > charged ? taken : charged, bound);
}

/* Measure the memory of @n contexts. */
static void measure(unsigned int n, int sets, int counters, double bound)
{
	const pid_t *tids = sleepers_begin(n);
	struct memory before;
	char what[80];

	/* Sleep because memory that was freed is not available at once. */
	sleep(1);
	before = used();
	for (unsigned int i = 0; i < n; i++)
		fds[i] = create(sets, counters);
	snprintf(what, sizeof(what), "sets: %d, counters in each: %d", sets,
		 counters);
	print_row(what, before, n, bound);
	for (unsigned int i = 0; i < n; i++)
		start_on(fds[i], tids[i]);
	print_row("  attached, with perf's events", before, n, 0);
	for (unsigned int i = 0; i < n; i++)
		close(fds[i]);
	sleepers_end();
}

static void count_charges(void)
{
	int fd = open(CGROUPS "cgroup.subtree_control", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "+memory", 7) != 7)
		die(CGROUPS "cgroup.subtree_control");
	close(fd);
}

int main(void)
{
	allow_files(CONTEXTS);
	count_charges();
	printf("memory of a context, KiB\n");
	printf("%-36s %10s %10s\n", "", "taken", "charged");
	measure(CONTEXTS_OF_SETS, SETS, COUNTERS, KIB_MAX);
	measure(CONTEXTS, 1, COUNTERS, 0);
	measure(CONTEXTS, 1, 1, 0);
	return 0;
}
