/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * results.h - counts of threads and CPUs, and sums of them
 *
 * Results outlive the contexts from which they were read.
 */
#ifndef PFMON_SESSION_RESULTS_H
#define PFMON_SESSION_RESULTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/pid_table.h"
#include "session/plan.h"

#define NO_CPU		(-1)
#define COMM_LENGTH	16

struct event_result {
	uint64_t count;		/* the value of the PMD */
	bool denied;		/* had no counter for some time */
	bool unsupported;	/* this machine cannot count it */
};

/* The counts of a thread or a CPU, or the sum of several. */
struct result {
	pid_t tid;		/* 0 if not of a single thread */
	pid_t tgid;		/* the process; 0 if not known */
	char comm[COMM_LENGTH];	/* the thread's name, or "" */
	int cpu;		/* NO_CPU if not of a single CPU */
	const char *cgroup;	/* path of the plan's control group, or NULL */
	unsigned int parts;	/* number of results in the sum */
	struct event_result *events;	/* one per event of the plan */
	uint64_t *durations;	/* active time of each event set in ns */
	uint64_t *times;	/* total time of each set; 0 for unused sets */
	uint64_t *runs;		/* number of activations of each set */
};

/* Returns whether the count is complete. */
static inline bool was_counted(const struct event_result *event)
{
	return !event->denied && !event->unsupported;
}

void result_init(struct result *result, const struct plan *plan, int cpu);
/* Initializes an empty sum. */
void result_init_sum(struct result *sum, const struct plan *plan, int cpu);

/* Resets the counts; unsupported events remain marked. */
void result_clear(struct result *result, const struct plan *plan);

void result_free(struct result *result);

/*
 * Sets *part to *now minus *since, and then *since to *now. @part and @since
 * must be initialized.
 */
void result_part(struct result *part, const struct plan *plan,
		 struct result *since, const struct result *now);

void result_add(struct result *sum, const struct plan *plan,
		const struct result *result);

/*
 * Returns the estimated count of event @i for the whole time. Sets *share to
 * the fraction of the time in which the event's set was active; it may be 0.
 */
uint64_t result_estimate(const struct result *result, const struct plan *plan,
			 unsigned int i, double *share);

/*
 * The results of a measurement. In a system-wide session, each row has the
 * counts of a CPU, or of one of several control groups. Otherwise each row has
 * the counts of a thread, of a process, or of all threads, depending on
 * --aggregate.
 */
struct results {
	const struct plan *plan;
	struct result sum;	/* of all added results */
	struct result *rows;	/* in the order of their first results */
	unsigned int row_count;
	struct pid_table processes;	/* rows of processes */
};

void results_init(struct results *results, const struct plan *plan);
void results_free(struct results *results);

/* Removes all results. */
void results_clear(struct results *results);

/*
 * Adds a result to the sum and to its row. The memory needed depends on the
 * number of rows, not on the number of threads.
 */
void results_add(struct results *results, const struct result *result);

/* Forgets an ended process, whose ID may be reused; its row is kept. */
void results_forget_process(struct results *results, pid_t tgid);

#endif /* PFMON_SESSION_RESULTS_H */
