// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * pfm_scale - the cost of a sample with many contexts or event sets, and of
 *	       detaching many threads, in guest instructions
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <perfmon/perfmon_default_smpl.h>
#include "bench.h"
#include "sleepers.h"

#define PMD_VALUE	(-1ULL)		/* each page fault overflows */
#define DETACHED	10000U		/* threads, SLEEPERS_MAX at a time */
#define TRACEFS		"/sys/kernel/tracing/"

/* The descriptors of the contexts of other threads. */
static int others[SLEEPERS_MAX];
static unsigned int num_others;

/* Create a context that samples the page faults of a sleeping thread. */
static void add_other(pid_t tid)
{
	int fd = new_default(sysconf(_SC_PAGESIZE), 0);

	write_counter(fd, 0, 0, PAGE_FAULTS, PMD_VALUE, 0);
	start_on(fd, tid);
	others[num_others++] = fd;
}

static void close_others(void)
{
	while (num_others)
		close(others[--num_others]);
}

static void add_sets(int fd, int n)
{
	pfarg_setdesc_t set = { .set_id = 0 };

	for (set.set_id = 1; set.set_id < n; set.set_id++) {
		if (pfm_create_evtsets(fd, &set, 1))
			die("PFM_CREATE_EVTSETS");
		write_counter(fd, set.set_id, 0, PAGE_FAULTS, PMD_VALUE, 0);
	}
}

/* Return the cost of one round of samples in a context with @sets sets. */
static uint64_t sample(int sets)
{
	size_t size = 2 * FAULTS * sizeof(pfm_default_smpl_entry_t);
	const pfm_default_smpl_hdr_t *hdr;
	int fd = new_default(size, 0);
	uint64_t t;

	hdr = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (hdr == MAP_FAILED)
		die("mmap of the buffer");
	write_counter(fd, 0, 0, PAGE_FAULTS, PMD_VALUE, 0);
	add_sets(fd, sets);
	start_on(fd, syscall(SYS_gettid));
	t = now();
	run_faults();
	t = now() - t;
	if (pfm_stop(fd))
		die("PFM_STOP");
	if (hdr->hdr_count < FAULTS || hdr->hdr_overflows)
		die("%" PRIu64 " samples", (uint64_t)hdr->hdr_count);
	munmap((void *)hdr, size);
	close(fd);
	return t;
}

/* The cost of a round of page faults that are not counted. */
static uint64_t unsampled;

/* Return the cost of a sampled page fault minus that of an uncounted one. */
static double cost(int sets)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t t = sample(sets);

		if (t < best)
			best = t;
	}
	return (double)(best - unsampled) / FAULTS;
}

static void print_cost(const char *what, unsigned int n, double insns,
		       double first)
{
	printf("%6u %-21s %12.1f %12.3f", n, what, insns, insns / first);
	end_row(insns / first, n > 1 ? 1.05 : 0);
}

static void scale(void)
{
	static const unsigned int contexts[] = { 10, 100, SLEEPERS_MAX };
	static const unsigned int sets[] = { 8, 64 };
	double first;

	run_faults();
	unsampled = least(run_faults);
	first = cost(1);
	printf("default format, page faults, instructions of a sample\n");
	printf("%-28s %12s %12s\n", "", "insns/sample", "ratio");
	print_cost("context of one set", 1, first, first);
	for (size_t i = 0; i < ARRAY_SIZE(contexts); i++) {
		pid_t pid = sleepers_beside(contexts[i] - 1, add_other);

		print_cost("contexts", contexts[i], cost(1), first);
		sleepers_beside_end(pid);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		print_cost("sets in the context", sets[i], cost(sets[i]),
			   first);
}

/*
 * Functions that wait for an RCU grace period. Their calls are counted. Some
 * may not exist in this kernel.
 */
static const char *const waits[] = {
	"synchronize_rcu", "synchronize_rcu_expedited", "rcu_barrier",
	"synchronize_rcu_tasks", "synchronize_srcu",
};

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd < 0 || (write(fd, text, strlen(text)) < 0 && errno != ENOENT))
		die("%s", path);
	close(fd);
}

static void count_waits(void)
{
	char line[80];

	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		snprintf(line, sizeof(line), "p:bench/%s %s", waits[i],
			 waits[i]);
		write_file(TRACEFS "kprobe_events", line);
	}
	write_file(TRACEFS "events/bench/enable", "1");
}

static unsigned long num_waits(void)
{
	FILE *file = fopen(TRACEFS "kprobe_profile", "r");
	unsigned long sum = 0, n;

	if (!file)
		die(TRACEFS "kprobe_profile");
	while (fscanf(file, "%*s %lu %*u", &n) == 1)
		sum += n;
	fclose(file);
	return sum;
}

/*
 * The ways to detach the threads: the tool closes the contexts (BY_CLOSE), or
 * the threads exit first (BY_EXIT). With NOBODY, the threads are not monitored.
 */
enum how { NOBODY, BY_CLOSE, BY_EXIT };

struct detaching {
	uint64_t	insns;
	unsigned long	waits;
};

static void detach_some(enum how how, struct detaching *sum)
{
	const pid_t *tids = sleepers_begin(SLEEPERS_MAX);
	unsigned long n;
	uint64_t t;

	for (unsigned int i = 0; how != NOBODY && i < SLEEPERS_MAX; i++)
		add_other(tids[i]);
	n = num_waits();
	t = now();
	if (how == BY_CLOSE)
		close_others();
	else
		sleepers_end();
	sum->insns += now() - t;
	sum->waits += num_waits() - n;
	if (how == BY_EXIT)
		close_others();
	if (how == BY_CLOSE)
		sleepers_end();
}

/*
 * The bound is one wait per 100 threads, because other parts of the kernel may
 * wait, too.
 */
static void detach(enum how how, const char *what)
{
	struct detaching sum = {};

	for (unsigned int n = 0; n < DETACHED; n += SLEEPERS_MAX)
		detach_some(how, &sum);
	printf("%-28s %12.0f %12lu", what, (double)sum.insns / DETACHED,
	       sum.waits);
	end_row(sum.waits, how == NOBODY ? 0 : DETACHED / 100);
}

int main(void)
{
	allow_files(SLEEPERS_MAX);
	scale();
	count_waits();
	printf("%u threads, %u at a time\n", DETACHED, SLEEPERS_MAX);
	printf("%-28s %12s %12s\n", "", "insns/thread", "RCU waits");
	detach(NOBODY, "exit, none monitored");
	detach(BY_EXIT, "exit, each monitored");
	detach(BY_CLOSE, "the tool closes contexts");
	return 0;
}
