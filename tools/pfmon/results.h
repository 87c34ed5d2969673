/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * results.h - what was counted of one thread or CPU, and of many of them
 *
 * Results outlive the contexts that they were read from.
 */
#ifndef PFMON_RESULTS_H
#define PFMON_RESULTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "pid_table.h"
#include "plan.h"

#define NO_CPU		(-1)
#define COMM_LENGTH	16

struct event_result {
	uint64_t count;		/* what the PMD held */
	bool denied;		/* it got no counter, or not always */
	bool unsupported;	/* nobody there can count it */
};

/* Of a thread or a CPU, or the sum of several. */
struct result {
	pid_t tid;		/* 0 if it is not of one thread */
	pid_t tgid;		/* its process, 0 if that is not known */
	char comm[COMM_LENGTH];	/* the thread's name, or "" */
	int cpu;		/* NO_CPU if it is not of one */
	unsigned int parts;	/* what was summed up */
	struct event_result *events;	/* one per event of the plan */
	uint64_t *durations;	/* of each event set in ns */
	uint64_t *times;	/* of all sets, where that one takes turns */
	uint64_t *runs;		/* how often each set was active */
};

/* Does the count say all? */
static inline bool was_counted(const struct event_result *event)
{
	return !event->denied && !event->unsupported;
}

void result_init(struct result *result, const struct plan *plan, int cpu);
/* Nothing yet, to which others are added. */
void result_init_sum(struct result *sum, const struct plan *plan, int cpu);

/* Nothing was counted yet; what is unsupported stays so. */
void result_clear(struct result *result, const struct plan *plan);

void result_free(struct result *result);

/*
 * *part is what has come since; and then, since is now. Both have been
 * initialised.
 */
void result_part(struct result *part, const struct plan *plan,
		 struct result *since, const struct result *now);

void result_add(struct result *sum, const struct plan *plan,
		const struct result *result);

/*
 * What event i would have counted had its set been active all the time; *share
 * is the part of the time that it was, 0 if never.
 */
uint64_t result_estimate(const struct result *result, const struct plan *plan,
			 unsigned int i, double *share);

/*
 * Those of a measurement: the rows are what is told apart, CPUs or, as
 * --aggregate says, threads, processes or nothing.
 */
struct results {
	const struct plan *plan;
	struct result sum;	/* of all that were added */
	struct result *rows;	/* in the order in which they came */
	unsigned int row_count;
	struct pid_table processes;	/* which row is of which */
};

void results_init(struct results *results, const struct plan *plan);
void results_free(struct results *results);

/* Nothing is there again. */
void results_clear(struct results *results);

/*
 * Adds it to the sum and to its row: a measurement of many threads needs room
 * only for what is told apart.
 */
void results_add(struct results *results, const struct result *result);

/* It is gone: its row stays, and another may have its number. */
void results_forget_process(struct results *results, pid_t tgid);

#endif /* PFMON_RESULTS_H */
