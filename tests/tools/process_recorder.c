// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * process_recorder - record processes as pfmon does
 *
 * usage: process_recorder [pfmon's options] PID...
 *
 * Instead of a PID, "divide" finishes the capture and begins the next one, and
 * "cat" runs cat and prints its PID. "events" records the events that perf has
 * reported about all processes or, in a session for threads, about this
 * process. "new" records processes that perf has possibly not reported. "begin"
 * and "end" write the beginning and the end of the capture. "last" records this
 * process like one that is about to end. "modules=TEXT" sets the contents of
 * /proc/modules. Instead of reading /proc/kallsyms, the program prints
 * "symbols", or "locked" if the recording is locked then. "hide" hides the
 * addresses in it. "inode=N" sets the inode number of each directory
 * /sys/module/NAME. "watch" records as for pfmon top. "dropped=N" reports N
 * dropped notifications of a context.
 *
 * The environment variable CHANGED has digits: 1 if the first reading of perf's
 * records during "divide" reports that the kernel's code has changed, 2 for the
 * second. With REFUSED, perf_ring_open() fails with EACCES, so perf reports no
 * events. With UNLISTED, opendir("/proc") fails with EMFILE. With LOADS, the
 * program prints "load" whenever pfmon would load unwind tables, or "locked".
 * With LOOKS, it prints "sampled PID" for each process whose generated
 * functions are to be saved. The program also tries to record the clocks at the
 * beginning and at the end, which is possible only if perfmon is loaded.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"
#include "capture/jit.h"
#include "capture/perf_ring.h"
#include "capture/process_events.h"
#include "capture/recording.h"
#include "capture/recording_processes.h"
#include "capture/recording_state.h"
#include "capture/recording_totals.h"
#include "options/options.h"
#include "process/command.h"
#include "session/context.h"
#include "stacks/table_set.h"

#define SYMBOLS	"ffffffff81000000 T _text\n"
#define HIDDEN	"0000000000000000 T _text\n"

static struct recording *recording;
static const char *modules;	/* contents of /proc/modules; or NULL */
static const char *symbols = SYMBOLS;	/* contents of /proc/kallsyms */
static ino_t inode;	/* of directories of modules */
static bool changed;	/* the kernel's code, according to perf's records */
static int reading = '1';	/* number of the next reading of records */

/* The linker redirects calls of X() to __wrap_X(); __real_X() is X() itself. */
void __wrap_table_set_load(struct table_set *set);
int __wrap_stat(const char *path, struct stat *info);
int __real_stat(const char *path, struct stat *info);
DIR *__wrap_opendir(const char *path);
DIR *__real_opendir(const char *path);
char *__wrap_read_file(const char *path, size_t *length);
char *__real_read_file(const char *path, size_t *length);
bool __wrap_process_events_code_changed(struct process_events *events);
void __wrap_process_events_read(struct process_events *events, bool last);
void __real_process_events_read(struct process_events *events, bool last);
void __wrap_jit_look_at(struct jit *jit, pid_t tgid, bool made_code);
int __wrap_perf_ring_open(struct perf_ring *ring, int cpu, size_t size,
			  const struct perf_scope *scope);
int __real_perf_ring_open(struct perf_ring *ring, int cpu, size_t size,
			  const struct perf_scope *scope);

int __wrap_perf_ring_open(struct perf_ring *ring, int cpu, size_t size,
			  const struct perf_scope *scope)
{
	return getenv("REFUSED") ? EACCES :
	       __real_perf_ring_open(ring, cpu, size, scope);
}

void __wrap_jit_look_at(struct jit *jit, pid_t tgid, bool made_code)
{
	(void)jit;
	(void)made_code;
	if (getenv("LOOKS"))
		printf("sampled %d\n", tgid);
}

static void print_unless_locked(const char *text)
{
	bool free = !pthread_mutex_trylock(&recording->lock);

	if (free)
		pthread_mutex_unlock(&recording->lock);
	puts(free ? text : "locked");
}

void __wrap_table_set_load(struct table_set *set)
{
	(void)set;
	if (getenv("LOADS"))
		print_unless_locked("load");
}

int __wrap_stat(const char *path, struct stat *info)
{
	if (strncmp(path, "/sys/module/", 12) != 0)
		return __real_stat(path, info);
	info->st_ino = inode;
	return 0;
}

DIR *__wrap_opendir(const char *path)
{
	if (!getenv("UNLISTED") || strcmp(path, "/proc") != 0)
		return __real_opendir(path);
	errno = EMFILE;
	return NULL;
}

char *__wrap_read_file(const char *path, size_t *length)
{
	if (modules && !strcmp(path, "/proc/modules"))
		return checked_strdup(modules);
	if (strcmp(path, "/proc/kallsyms") != 0)
		return __real_read_file(path, length);
	print_unless_locked("symbols");
	*length = strlen(symbols);
	return checked_strdup(symbols);
}

bool __wrap_process_events_code_changed(struct process_events *events)
{
	bool result = changed;

	(void)events;
	changed = false;
	return result;
}

void __wrap_process_events_read(struct process_events *events, bool last)
{
	const char *readings = getenv("CHANGED");

	__real_process_events_read(events, last);
	changed |= readings && strchr(readings, reading++);
}

static bool divide(const struct plan *plan)
{
	struct division division;
	bool ok;

	changed = false;
	reading = '1';
	ok = recording_divide(recording, plan, NULL, 0, &division);
	printf("%s\n", division.path ? division.path : "refused");
	free(division.path);
	return ok;
}

/* Run cat, wait until it has ended, and print its PID. */
static bool run_cat(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/cat", "cat", "/dev/null", NULL);
		_exit(127);
	}
	printf("%d\n", pid);
	return pid > 0 && waitpid(pid, NULL, 0) == pid;
}

static void tell_dropped(const char *number)
{
	const struct context context = { .id = 7 };
	const struct context_stats stats = {
		.messages_dropped = strtoul(number, NULL, 10),
	};

	recording_tell_trouble(&context, &stats);
}

static bool record(const struct plan *plan, char **pids)
{
	struct moment moment = clocks_read(NO_CPU);
	bool ok = recording_clocks(recording, &moment);

	for (; *pids; pids++) {
		if (!strcmp(*pids, "divide"))
			ok = divide(plan) && ok;
		else if (!strcmp(*pids, "events"))
			ok = recording_events(recording) && ok;
		else if (!strcmp(*pids, "begin"))
			ok = recording_begin(recording, plan, NULL, 0) && ok;
		else if (!strcmp(*pids, "end"))
			ok = recording_end(recording, plan, NULL, 0,
					   NO_EXIT_STATUS) && ok;
		else if (!strncmp(*pids, "modules=", 8))
			modules = *pids + 8;
		else if (!strncmp(*pids, "inode=", 6))
			inode = strtoul(*pids + 6, NULL, 10);
		else if (!strncmp(*pids, "dropped=", 8))
			tell_dropped(*pids + 8);
		else if (!strcmp(*pids, "watch"))
			recording->watched = true;
		else if (!strcmp(*pids, "hide"))
			symbols = HIDDEN;
		else if (!strcmp(*pids, "cat"))
			ok = run_cat() && ok;
		else if (!strcmp(*pids, "new"))
			ok = recording_new_processes(recording,
						     ALL_PROCESSES) && ok;
		else if (!strcmp(*pids, "last"))
			ok = recording_last_of_process(recording,
						       getpid()) && ok;
		else
			ok = recording_process(recording, atoi(*pids)) && ok;
	}
	return recording_clocks(recording, &moment) && ok;
}

int main(int argc, char **argv)
{
	struct options options;
	struct plan plan;
	bool ok;

	if (!options_parse(&options, argc, argv))
		return 2;
	if (!plan_init(&plan, &options))
		return 1;
	recording = recording_open(&plan, options.system_wide ? ALL_PROCESSES :
				   getpid(), false);
	ok = recording && record(&plan, options.command);
	if (recording)
		ok = recording_close(recording) && ok;
	plan_free(&plan);
	options_free(&options);
	return ok ? 0 : 1;
}
