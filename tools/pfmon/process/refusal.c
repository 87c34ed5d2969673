// SPDX-License-Identifier: MIT OR GPL-2.0
/* refusal.c - explain why a thread cannot be traced */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "access/access_facts.h"
#include "base/util.h"
#include "process/refusal.h"

#define TRACER	"\nTracerPid:"

/* Returns the process that traces a thread, or 0. */
static pid_t tracer_of(pid_t tid)
{
	char *path = checked_printf("/proc/%d/status", tid);
	char *text = read_file(path, &(size_t){ 0 });
	const char *line = text ? strstr(text, TRACER) : NULL;
	pid_t tracer = line ? (pid_t)strtol(line + strlen(TRACER), NULL, 10) :
			      0;

	free(text);
	free(path);
	return tracer;
}

static bool is_kernel_thread(pid_t tid)
{
	struct access_facts facts;

	access_gather(&facts, tid);
	return facts.thread.kernel;
}

static char *name_tracer(pid_t tracer)
{
	char *comm = read_comm(tracer);
	char *text = checked_printf("process %d (%s) traces it already", tracer,
				    comm ? comm : "?");

	free(comm);
	return text;
}

char *trace_refusal(pid_t tid, int error)
{
	pid_t tracer = tracer_of(tid);

	if (error == EPERM && tracer)
		return name_tracer(tracer);
	if (error == EPERM && is_kernel_thread(tid))
		return checked_strdup("it is a kernel thread; use --attach-task, or measure CPUs with --system-wide");
	return checked_printf("%s; ptrace may be forbidden (kernel.yama.ptrace_scope)",
			      strerror(error));
}
