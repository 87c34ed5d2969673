// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * trigger.c - code of the command at which measuring starts and stops
 *
 * The CPU's breakpoints stop the thread there, before the instruction; the
 * program's memory stays as it is.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <unistd.h>

#include "symbols.h"
#include "trigger.h"
#include "util.h"

bool trigger_options_agree(const struct options *options)
{
	if (!options->trigger_start && !options->trigger_stop)
		return true;
	if (!trigger_exists())
		message("--trigger-start and --trigger-stop are for x86_64");
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

#ifdef __x86_64__

/* An enabled breakpoint for one byte of code in DR7: no bits but this. */
#define DR7_ENABLE(number)	(1UL << (2 * (number)))
#define DR7			7

bool trigger_exists(void)
{
	return true;
}

static bool write_register(pid_t tid, int number, uint64_t value)
{
	size_t offset = offsetof(struct user, u_debugreg) +
			(size_t)number * sizeof(value);

	return !ptrace(PTRACE_POKEUSER, tid, (void *)offset, (void *)value);
}

static bool set_breakpoints(const struct trigger *trigger, pid_t tid)
{
	unsigned long enabled = (trigger->start ? DR7_ENABLE(0) : 0) |
				(trigger->stop ? DR7_ENABLE(1) : 0);

	return write_register(tid, 0, trigger->start) &&
	       write_register(tid, 1, trigger->stop) &&
	       write_register(tid, DR7, enabled);
}

#else

bool trigger_exists(void)
{
	return false;
}

static bool set_breakpoints(const struct trigger *trigger, pid_t tid)
{
	(void)trigger;
	(void)tid;
	errno = EOPNOTSUPP;
	return false;
}

#endif

/* Where the kernel has let the program begin; 0 if it does not say. */
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
static bool find(const char *text, pid_t tid, uint64_t *address)
{
	char *path = checked_printf("/proc/%d/exe", tid);
	char name[PATH_MAX] = "the program";
	ssize_t length = readlink(path, name, sizeof(name) - 1);
	uint64_t distance;
	bool ok;

	if (length > 0)
		name[length] = 0;
	ok = symbols_find(path, name, text, &distance);
	if (ok)
		*address = entry_of(tid) + distance;
	free(path);
	return ok;
}

static bool find_both(struct trigger *trigger, const struct options *options,
		      pid_t tid)
{
	const char *start = options->trigger_start;
	const char *stop = options->trigger_stop;

	if ((start && !find(start, tid, &trigger->start)) ||
	    (stop && !find(stop, tid, &trigger->stop)))
		return false;
	if (!start || trigger->start != trigger->stop)
		return true;
	message("--trigger-start=%s and --trigger-stop=%s are the same instruction",
		start, stop);
	return false;
}

bool trigger_arm(struct trigger *trigger, const struct options *options,
		 pid_t tid)
{
	struct trigger found = { 0 };

	*trigger = found;
	if (!find_both(&found, options, tid))
		return false;
	*trigger = found;
	if (set_breakpoints(trigger, tid))
		return true;
	message("cannot set a breakpoint: %s; does this machine have some, and are they free?",
		strerror(errno));
	return false;
}

enum trigger_effect trigger_of(const struct trigger *trigger, pid_t tid)
{
	siginfo_t info;
	uint64_t address;

	if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) ||
	    info.si_code != TRAP_HWBKPT)
		return TRIGGER_NONE;
	address = (uint64_t)(uintptr_t)info.si_addr;
	if (trigger->start && address == trigger->start)
		return TRIGGER_START;
	return trigger->stop && address == trigger->stop ? TRIGGER_STOP :
							   TRIGGER_NONE;
}
