// SPDX-License-Identifier: MIT OR GPL-2.0
/* trigger.c - start and stop measuring when the command reaches given code */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "base/util.h"
#include "process/entry_stop.h"
#include "process/symbols.h"
#include "process/trigger.h"

/* Indices of breakpoints. */
#define START	0
#define STOP	1

bool trigger_options_agree(const struct options *options)
{
	if (!options->trigger_start && !options->trigger_stop)
		return true;
	if (!breakpoint_machine.set)
		message("--trigger-start and --trigger-stop are available only on x86_64 and arm64");
	else if (!options->command)
		message("--trigger-start and --trigger-stop need a command: triggers are instructions in its code");
	else if (options->system_wide)
		message("--trigger-start and --trigger-stop are for a thread, but --system-wide measures CPUs");
	else if (options->follow || options->exclude)
		message("--trigger-start and --trigger-stop are for the command's first thread: they cannot be combined with --follow-* or --exclude");
	else if (options->delay_ns || options->delayed_for_good ||
		 options->duration_ns)
		message("--trigger-start and --trigger-stop cannot be combined with --delay or --duration");
	else
		return true;
	return false;
}

static void read_name(pid_t tid, char name[PATH_MAX])
{
	char *path = checked_printf("/proc/%d/exe", tid);
	ssize_t length = readlink(path, name, PATH_MAX - 1);

	if (length < 0)
		length = snprintf(name, PATH_MAX, "the program");
	name[length] = 0;
	free(path);
}

/*
 * Finds the address of a trigger's code; returns false, with a message, on
 * failure. Opens the program as /proc/TID/exe, because its file may have been
 * replaced.
 */
static bool find(const char *text, pid_t tid, uint64_t *address)
{
	char *path = checked_printf("/proc/%d/exe", tid);
	char name[PATH_MAX];
	int64_t distance;
	bool ok;

	read_name(tid, name);
	ok = symbols_find(path, name, text, &distance);
	if (ok)
		*address = entry_of(tid) + (uint64_t)distance;
	free(path);
	return ok;
}

static bool find_both(uint64_t addresses[BREAKPOINTS],
		      const struct options *options, pid_t tid)
{
	const char *start = options->trigger_start;
	const char *stop = options->trigger_stop;

	if ((start && !find(start, tid, &addresses[START])) ||
	    (stop && !find(stop, tid, &addresses[STOP])))
		return false;
	if (!start || addresses[START] != addresses[STOP])
		return true;
	message("--trigger-start=%s and --trigger-stop=%s are the same instruction",
		start, stop);
	return false;
}

bool trigger_arm(struct breakpoints *breakpoints, const struct options *options,
		 pid_t tid)
{
	struct breakpoints found = { .addresses = { 0 } };

	*breakpoints = found;
	if (!find_both(found.addresses, options, tid))
		return false;
	*breakpoints = found;
	if (breakpoints_set(breakpoints, tid))
		return true;
	message("cannot set a breakpoint: %s; the hardware breakpoints may be in use, or missing on this machine",
		strerror(errno));
	return false;
}

/*
 * Returns the effect of the breakpoint at @address. An unused breakpoint has
 * the address 0.
 */
static enum trigger_effect effect_of(const struct breakpoints *breakpoints,
				     uint64_t address)
{
	if (address && address == breakpoints->addresses[START])
		return TRIGGER_START;
	return address && address == breakpoints->addresses[STOP] ?
	       TRIGGER_STOP : TRIGGER_NONE;
}

enum trigger_effect trigger_of(struct breakpoints *breakpoints, pid_t tid,
			       int signal, enum trace_way *way)
{
	enum trigger_effect effect;
	uint64_t address;
	siginfo_t info;
	bool known = signal && !ptrace(PTRACE_GETSIGINFO, tid, NULL, &info);

	*way = TRACE_WITH;
	if (breakpoints_passed(breakpoints, tid, known ? &info : NULL)) {
		*way = TRACE_WITHOUT;
		return TRIGGER_NONE;
	}
	if (!known || signal != SIGTRAP || info.si_code != TRAP_HWBKPT)
		return TRIGGER_NONE;
	address = (uint64_t)(uintptr_t)info.si_addr;
	effect = effect_of(breakpoints, address);
	if (effect != TRIGGER_NONE)
		*way = breakpoints_pass(breakpoints, tid, address);
	return effect;
}
