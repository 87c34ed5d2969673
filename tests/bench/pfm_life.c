// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * pfm_life - what it costs to create a context that counts some events of its
 *	      own thread, to run and to destroy it, beside perf's events, in
 *	      guest instructions
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bench.h"

#define LIVES		1000U
#define EVENTS_MAX	8

/* Software events: each machine has them. */
static const uint64_t events[EVENTS_MAX] = {
	PERF_COUNT_SW_PAGE_FAULTS,	PERF_COUNT_SW_CONTEXT_SWITCHES,
	PERF_COUNT_SW_PAGE_FAULTS_MIN,	PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	PERF_COUNT_SW_CPU_MIGRATIONS,	PERF_COUNT_SW_ALIGNMENT_FAULTS,
	PERF_COUNT_SW_EMULATION_FAULTS,	PERF_COUNT_SW_DUMMY,
};

static int num;			/* how many of them */
static pid_t self;
static int fds[EVENTS_MAX];

static void create(void)
{
	fds[0] = new_context();
}

static void write_pmcs(void)
{
	pfarg_pmc_t pmcs[EVENTS_MAX] = {};

	for (int i = 0; i < num; i++) {
		pmcs[i].reg_num = i;
		pmcs[i].reg_value =
			PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, events[i]);
	}
	if (pfm_write_pmcs(fds[0], pmcs, num))
		die("PFM_WRITE_PMCS");
}

static void write_pmds(void)
{
	pfarg_pmd_t pmds[EVENTS_MAX] = {};

	for (int i = 0; i < num; i++)
		pmds[i].reg_num = i;
	if (pfm_write_pmds(fds[0], pmds, num))
		die("PFM_WRITE_PMDS");
}

static void load(void)
{
	pfarg_load_t arg = { .load_pid = self };

	if (pfm_load_context(fds[0], &arg))
		die("PFM_LOAD_CONTEXT");
}

static void start(void)
{
	if (pfm_start(fds[0], NULL))
		die("PFM_START");
}

static void stop(void)
{
	if (pfm_stop(fds[0]))
		die("PFM_STOP");
}

static void unload(void)
{
	if (pfm_unload_context(fds[0]))
		die("PFM_UNLOAD_CONTEXT");
}

static void close_one(void)
{
	close(fds[0]);
}

static void open_events(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.disabled = 1,
	};

	for (int i = 0; i < num; i++) {
		attr.config = events[i];
		fds[i] = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
		if (fds[i] < 0)
			die("perf_event_open");
	}
}

static void each_event(unsigned long request)
{
	for (int i = 0; i < num; i++)
		if (ioctl(fds[i], request, 0))
			die("ioctl of an event");
}

static void enable_events(void)
{
	each_event(PERF_EVENT_IOC_ENABLE);
}

static void disable_events(void)
{
	each_event(PERF_EVENT_IOC_DISABLE);
}

static void close_events(void)
{
	for (int i = 0; i < num; i++)
		close(fds[i]);
}

struct step {
	const char	*name;
	void		(*run)(void);
};

static const struct step contexts[] = {
	{ "PFM_CREATE_CONTEXT", create },
	{ "PFM_WRITE_PMCS", write_pmcs },
	{ "PFM_WRITE_PMDS", write_pmds },
	{ "PFM_LOAD_CONTEXT", load },
	{ "PFM_START", start },
	{ "PFM_STOP", stop },
	{ "PFM_UNLOAD_CONTEXT", unload },
	{ "close", close_one },
};

static const struct step perfs[] = {
	{ "perf_event_open", open_events },
	{ "enable", enable_events },
	{ "disable", disable_events },
	{ "close", close_events },
};

#define STEPS_MAX	8

/* What a life takes, the mean of many. */
static uint64_t live(const struct step *steps, size_t n)
{
	uint64_t t = now();

	for (unsigned int i = 0; i < LIVES; i++)
		for (size_t j = 0; j < n; j++)
			steps[j].run();
	return (now() - t) / LIVES;
}

/* The same for each step: sums. */
static void live_slowly(const struct step *steps, size_t n, uint64_t *sums)
{
	memset(sums, 0, n * sizeof(*sums));
	for (unsigned int i = 0; i < LIVES; i++)
		for (size_t j = 0; j < n; j++) {
			uint64_t t = now();

			steps[j].run();
			sums[j] += now() - t;
		}
}

static void print_steps(const struct step *steps, size_t n)
{
	uint64_t sums[STEPS_MAX];

	live_slowly(steps, n, sums);
	for (size_t j = 0; j < n; j++)
		printf("    %-24s %10" PRIu64 "\n", steps[j].name,
		       sums[j] / LIVES);
}

static void compare(int n)
{
	uint64_t ours, theirs;

	num = n;
	/* The first ones fill the kernel's caches. */
	live(contexts, ARRAY_SIZE(contexts));
	live(perfs, ARRAY_SIZE(perfs));
	ours = live(contexts, ARRAY_SIZE(contexts));
	theirs = live(perfs, ARRAY_SIZE(perfs));
	printf("%d event%-21s %10" PRIu64 " %10" PRIu64 " %10.2f", n,
	       n > 1 ? "s" : "", ours, theirs, (double)ours / theirs);
	end_row((double)ours / theirs, 1.0);
	print_steps(contexts, ARRAY_SIZE(contexts));
	print_steps(perfs, ARRAY_SIZE(perfs));
}

int main(void)
{
	self = syscall(SYS_gettid);
	printf("creating, running and destroying, instructions\n");
	printf("%-28s %10s %10s %10s\n", "", "a context", "events", "ratio");
	compare(1);
	compare(4);
	compare(8);
	return 0;
}
