// SPDX-License-Identifier: MIT OR GPL-2.0
/* trigger.c - code of the command at which measuring starts and stops */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "library.h"
#include "symbols.h"
#include "trigger.h"
#include "util.h"

/* Of the breakpoints. */
#define START	0
#define STOP	1

bool trigger_options_agree(const struct options *options)
{
	if (!options->trigger_start && !options->trigger_stop)
		return true;
	if (!breakpoint_machine.set)
		message("--trigger-start and --trigger-stop are for x86_64 and arm64");
	else if (!options->command)
		message("--trigger-start and --trigger-stop need a command, whose code they are in");
	else if (options->system_wide)
		message("--trigger-start and --trigger-stop are for a thread; --system-wide measures CPUs");
	else if (options->follow || options->exclude)
		message("--trigger-start and --trigger-stop are for the command's first thread: they exclude --follow-* and --exclude");
	else if (options->delay_ns || options->delayed_for_good ||
		 options->duration_ns)
		message("--trigger-start and --trigger-stop say when is measured: they exclude --delay and --duration");
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

/* Where the kernel has let a 64-bit program begin; 0 of others. */
static uint64_t entry_of(pid_t tid)
{
	char *path = checked_printf("/proc/%d/auxv", tid);
	uint64_t entry = 0;
	size_t length = 0;
	char *content = read_file(path, &length);
	Elf64_auxv_t value;

	for (size_t at = 0; content && at + sizeof(value) <= length;
	     at += sizeof(value)) {
		memcpy(&value, content + at, sizeof(value));
		if (value.a_type == AT_ENTRY)
			entry = value.a_un.a_val;
	}
	free(content);
	free(path);
	return entry;
}

/* The file may have been replaced since: it is opened as it is executed. */
static bool find_in_program(const char *text, pid_t tid, uint64_t *address)
{
	char *path = checked_printf("/proc/%d/exe", tid);
	struct code_place place;
	char name[PATH_MAX];
	bool ok;

	read_name(tid, name);
	ok = symbols_find(path, name, text, &place);
	if (ok)
		*address = entry_of(tid) + place.distance;
	free(path);
	return ok;
}

static bool find(const char *text, pid_t tid, uint64_t *address)
{
	return library_is_named(text) ? library_find(tid, text, address) :
					find_in_program(text, tid, address);
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

static bool set_breakpoints(struct trigger *trigger, pid_t tid)
{
	if (breakpoints_set(&trigger->breakpoints, tid))
		return true;
	message("cannot set a breakpoint: %s; does this machine have some, and are they free?",
		strerror(errno));
	return false;
}

/* Both places, or none. */
static bool set_both(struct trigger *trigger, pid_t tid)
{
	struct breakpoints found = { .addresses = { 0 } };

	if (!find_both(found.addresses, trigger->options, tid))
		return false;
	trigger->breakpoints = found;
	return set_breakpoints(trigger, tid);
}

static bool needs_libraries(const struct options *options)
{
	return library_is_named(options->trigger_start) ||
	       library_is_named(options->trigger_stop);
}

bool trigger_arm(struct trigger *trigger, const struct options *options,
		 pid_t tid)
{
	char name[PATH_MAX];

	*trigger = (struct trigger){ .options = options };
	if (!needs_libraries(options))
		return set_both(trigger, tid);
	trigger->entry = entry_of(tid);
	trigger->breakpoints.addresses[START] = trigger->entry;
	if (trigger->entry)
		return set_breakpoints(trigger, tid);
	read_name(tid, name);
	message("no code can be found in %s: it is no 64-bit program", name);
	return false;
}

/* The program has its libraries, and has executed nothing of its own. */
static bool enter(struct trigger *trigger, pid_t tid)
{
	trigger->entry = 0;
	trigger->breakpoints.addresses[START] = 0;
	breakpoints_set(&trigger->breakpoints, tid);
	return set_both(trigger, tid);
}

/* The places are not 0, where no code is. */
static enum trigger_effect effect_of(const struct breakpoints *breakpoints,
				     uint64_t address)
{
	if (address && address == breakpoints->addresses[START])
		return TRIGGER_START;
	return address && address == breakpoints->addresses[STOP] ?
	       TRIGGER_STOP : TRIGGER_NONE;
}

enum trigger_effect trigger_of(struct trigger *trigger, pid_t tid, int signal,
			       enum trace_way *way)
{
	struct breakpoints *breakpoints = &trigger->breakpoints;
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
	if (trigger->entry && address == trigger->entry) {
		*way = TRACE_WITHOUT;
		return enter(trigger, tid) ? effect_of(breakpoints, address) :
					     TRIGGER_MISSING;
	}
	effect = effect_of(breakpoints, address);
	if (effect != TRIGGER_NONE)
		*way = breakpoints_pass(breakpoints, tid, address);
	return effect;
}
