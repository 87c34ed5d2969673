// SPDX-License-Identifier: MIT OR GPL-2.0
/* sample.c - try to sample and to count, and find conflicting sessions */
#define _GNU_SOURCE
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "doctor/checks.h"
#include "doctor/trial.h"

/* Targets of links in /proc/PID/fd. */
#define CONTEXT		"anon_inode:[perfmon]"
#define EVENT		"anon_inode:[perf_event]"
/* Part of pfmon's message about a conflict with another session. */
#define MEASURED	"is being measured already"

static bool leads_to(const char *path, const char *target)
{
	char found[64];
	ssize_t length = readlink(path, found, sizeof(found));

	return length == (ssize_t)strlen(target) &&
	       !memcmp(found, target, (size_t)length);
}

/*
 * Returns the PIDs of other visible processes that have a file of this kind
 * open, separated by spaces.
 */
static char *holders(const struct machine *machine, const char *kind)
{
	char *pattern = machine_path(machine, "/proc/[0-9]*/fd/*");
	char *pids = checked_strdup(""), number[24];
	glob_t files = { .gl_pathc = 0 };
	long pid, last = getpid();

	if (glob(pattern, GLOB_NOSORT, NULL, &files))
		files.gl_pathc = 0;
	for (size_t i = 0; i < files.gl_pathc; i++) {
		const char *path = files.gl_pathv[i];

		pid = strtol(path + strlen(machine->root) + strlen("/proc/"),
			     NULL, 10);
		if (pid == last || !leads_to(path, kind))
			continue;
		snprintf(number, sizeof(number), "%ld", pid);
		pids = checked_append(pids, " ", number);
		last = pid;
	}
	globfree(&files);
	free(pattern);
	return pids;
}

/*
 * Returns a command that ends the other sessions if the trial conflicted with
 * one of them. Only root sees the sessions of all users.
 */
static char *end_sessions(const struct machine *machine, const char *reason,
			  struct finding *finding)
{
	char *pids, *remedy;

	if (!strstr(reason, MEASURED))
		return NULL;
	finding->root_sees_more = machine->access.uid;
	pids = holders(machine, CONTEXT);
	remedy = *pids ? checked_printf("kill %s   # or wait until they end",
					pids) : NULL;
	free(pids);
	return remedy;
}

void check_sample(const struct machine *machine, struct finding *finding)
{
	struct trial trial;

	machine->try_sample(&trial);
	if (trial.worked)
		finding_ok(finding, "a page fault was sampled");
	else
		finding_problem(finding,
				end_sessions(machine, trial.reason, finding),
				"pfmon cannot sample one of its own page faults: %s",
				trial.reason);
	free(trial.reason);
}

/*
 * Does not suggest a command, because not every process with perf events
 * conflicts with perfmon: some perf events use no hardware counters.
 */
static void note_holders(const struct machine *machine, const char *reason,
			 struct finding *finding)
{
	char *pids = holders(machine, EVENT);

	finding_note(finding, NULL, "cycles cannot be counted now: %s%s%s",
		     reason,
		     *pids ? "; perf events are open in processes " : "",
		     pids);
	finding->root_sees_more = machine->access.uid;
	free(pids);
}

void check_cycles(const struct machine *machine, struct finding *finding)
{
	struct trial trial;

	if (!machine_has_counters(machine))
		return;
	machine->try_count(&trial);
	if (trial.worked)
		finding_ok(finding, "cycles were counted");
	else
		note_holders(machine, trial.reason, finding);
	free(trial.reason);
}
