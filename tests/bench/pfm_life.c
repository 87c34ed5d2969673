// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * pfm_life - compare a context that counts some events of the calling thread
 * with perf's events: the cost, in guest instructions, of creating and
 * destroying either, and of a whole measurement
 *
 * Both sides use as few calls as possible. perf's events form a group, which
 * one call enables, disables or reads. PMDs are 0 already, so they need not be
 * written. close() unloads the context, so PFM_UNLOAD_CONTEXT is not needed.
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

/* Software events, which exist on every machine. */
static const uint64_t events[EVENTS_MAX] = {
	PERF_COUNT_SW_PAGE_FAULTS,	PERF_COUNT_SW_CONTEXT_SWITCHES,
	PERF_COUNT_SW_PAGE_FAULTS_MIN,	PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	PERF_COUNT_SW_CPU_MIGRATIONS,	PERF_COUNT_SW_ALIGNMENT_FAULTS,
	PERF_COUNT_SW_EMULATION_FAULTS,	PERF_COUNT_SW_DUMMY,
};

static int num;			/* number of events in use */
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

static void read_pmds(void)
{
	pfarg_pmd_t pmds[EVENTS_MAX] = {};

	for (int i = 0; i < num; i++)
		pmds[i].reg_num = i;
	if (pfm_read_pmds(fds[0], pmds, num))
		die("PFM_READ_PMDS");
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
		.read_format = PERF_FORMAT_GROUP,
		.disabled = 1,
	};

	for (int i = 0; i < num; i++) {
		attr.config = events[i];
		fds[i] = syscall(SYS_perf_event_open, &attr, 0, -1,
				 i ? fds[0] : -1, 0);
		if (fds[i] < 0)
			die("perf_event_open");
		/*
		 * The other events are enabled and disabled with the group
		 * leader.
		 */
		attr.disabled = 0;
	}
}

static void enable_events(void)
{
	if (ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0))
		die("PERF_EVENT_IOC_ENABLE");
}

static void disable_events(void)
{
	if (ioctl(fds[0], PERF_EVENT_IOC_DISABLE, 0))
		die("PERF_EVENT_IOC_DISABLE");
}

static void read_events(void)
{
	uint64_t values[1 + EVENTS_MAX];

	if (read(fds[0], values, sizeof(values)) < 0)
		die("read of events");
}

static void close_events(void)
{
	for (int i = num; i > 0; i--)
		close(fds[i - 1]);
}

struct step {
	const char	*name;
	void		(*run)(void);
};

/**
 * struct side - the steps of one side of a comparison
 * @steps: all steps from creation to destruction
 * @n:	   number of @steps
 */
struct side {
	const struct step	*steps;
	size_t			n;
};

#define SIDE(...) \
	{ (const struct step []){ __VA_ARGS__ }, \
	  sizeof((const struct step []){ __VA_ARGS__ }) / sizeof(struct step) }

/**
 * struct life - a comparison
 * @name: the subject of the comparison
 * @bound:   upper bound of the ratio, or 0 for none
 * @context: steps with a context
 * @perf:    steps with perf's events
 */
struct life {
	const char	*name;
	double		bound;
	struct side	context;
	struct side	perf;
};

static const struct life lives[] = {
	{
		.name = "created, destroyed",
		.bound = 1,
		.context = SIDE({ "PFM_CREATE_CONTEXT", create },
				{ "PFM_WRITE_PMCS", write_pmcs },
				{ "PFM_LOAD_CONTEXT", load },
				{ "close", close_one }),
		.perf = SIDE({ "perf_event_open", open_events },
			     { "close", close_events }),
	}, {
		.name = "created, run, destroyed",
		.context = SIDE({ "PFM_CREATE_CONTEXT", create },
				{ "PFM_WRITE_PMCS", write_pmcs },
				{ "PFM_LOAD_CONTEXT", load },
				{ "PFM_START", start },
				{ "PFM_STOP", stop },
				{ "PFM_READ_PMDS", read_pmds },
				{ "close", close_one }),
		.perf = SIDE({ "perf_event_open", open_events },
			     { "enable", enable_events },
			     { "disable", disable_events },
			     { "read", read_events },
			     { "close", close_events }),
	},
};

#define STEPS_MAX	8

/* Return the mean cost of all steps together. */
static uint64_t live(const struct side *side)
{
	uint64_t t = now();

	for (unsigned int i = 0; i < LIVES; i++)
		for (size_t j = 0; j < side->n; j++)
			side->steps[j].run();
	return (now() - t) / LIVES;
}

/* Do all steps, and add the cost of each to @sums. */
static void live_slowly(const struct side *side, uint64_t *sums)
{
	for (unsigned int i = 0; i < LIVES; i++)
		for (size_t j = 0; j < side->n; j++) {
			uint64_t t = now();

			side->steps[j].run();
			sums[j] += now() - t;
		}
}

static void print_steps(const struct side *side)
{
	uint64_t sums[STEPS_MAX] = {};

	live_slowly(side, sums);
	for (size_t j = 0; j < side->n; j++)
		printf("    %-24s %10" PRIu64 "\n", side->steps[j].name,
		       sums[j] / LIVES);
}

static void compare(const struct life *life, int n)
{
	uint64_t ours, theirs;

	num = n;
	/* The first runs fill the kernel's caches, so they are not measured. */
	live(&life->context);
	live(&life->perf);
	ours = live(&life->context);
	theirs = live(&life->perf);
	printf("%d event%-21s %10" PRIu64 " %10" PRIu64 " %10.2f", n,
	       n > 1 ? "s" : "", ours, theirs, (double)ours / theirs);
	end_row((double)ours / theirs, life->bound);
	print_steps(&life->context);
	print_steps(&life->perf);
}

int main(void)
{
	self = syscall(SYS_gettid);
	for (size_t i = 0; i < ARRAY_SIZE(lives); i++) {
		printf("%-28s %10s %10s %10s\n", lives[i].name, "a context",
		       "events", "ratio");
		compare(&lives[i], 1);
		compare(&lives[i], 4);
		compare(&lives[i], 8);
	}
	return 0;
}
