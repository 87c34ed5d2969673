// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * unwind_stops - compare chains by unwind tables with those of elfutils
 *
 * usage: unwind_stops COUNT COMMAND [ARGUMENT...]
 *
 * Stops the command COUNT times, after equal amounts of CPU time and a random
 * number of further instructions, and follows its stack in both ways. Prints a
 * line of JSON: the number of stops, of those whose chain reaches the outermost
 * frame in equal frames, of frames of either chain, of equal frames, and why
 * other chains ended.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"
#include "process/mapping.h"
#include "unwind/compile.h"
#include "unwind_walk.h"

#define STOP_US		4000	/* of CPU time, between stops */
#define MOST_STEPS	64
#define MOST_TEXTS	512
#define MOST_FRAMES	(2 * WALK_MOST_FRAMES)

struct text {
	uint64_t start, end, offset;
	char *path;
	struct pfm_unwind_head *table;	/* NULL if there is none */
};

struct stopped {
	pid_t pid;
	char *maps;
	struct text texts[MOST_TEXTS];
	unsigned int nr_texts;
	Dwfl *dwfl;
};

struct chain {
	uint64_t pcs[MOST_FRAMES];
	size_t nr;
};

struct result {
	unsigned int stops, whole, frames, equal, ends[WALK_ENDS];
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "unwind_stops: %s: %m\n", what);
	exit(1);
}

static const struct pfm_unwind_head *find_table(void *data, uint64_t address,
						uint64_t *offset)
{
	const struct stopped *stopped = data;

	for (unsigned int i = 0; i < stopped->nr_texts; i++) {
		const struct text *text = &stopped->texts[i];

		*offset = address - text->start + text->offset;
		if (address >= text->start && address < text->end)
			return text->table;
	}
	return NULL;
}

static bool read_memory(const struct stopped *stopped, uint64_t address,
			void *bytes, size_t size)
{
	struct iovec to = { .iov_base = bytes, .iov_len = size };
	struct iovec from = { .iov_base = (void *)address, .iov_len = size };

	return process_vm_readv(stopped->pid, &to, 1, &from, 1, 0) ==
	       (ssize_t)size;
}

static bool read_word(void *data, uint64_t address, uint64_t *word)
{
	return read_memory(data, address, word, sizeof(*word));
}

static struct pfm_unwind_head *compile_vdso(const struct stopped *stopped,
					    const struct text *text)
{
	size_t size = text->end - text->start;
	struct pfm_unwind_head *table = NULL;
	void *image = checked_calloc(1, size);
	const char *why;

	if (read_memory(stopped, text->start, image, size))
		table = unwind_compile_image(image, size, &why);
	free(image);
	return table;
}

static void compile_text(const struct stopped *stopped, struct text *text)
{
	const char *why;
	int fd;

	if (!strcmp(text->path, "[vdso]")) {
		text->table = compile_vdso(stopped, text);
		return;
	}
	fd = open(text->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	text->table = unwind_compile(fd, &why);
	close(fd);
}

static void add_texts(struct stopped *stopped)
{
	char *rest = checked_strdup(stopped->maps), *start = rest, *line;
	struct mapping mapping;

	while ((line = strsep(&rest, "\n"))) {
		struct text *text = &stopped->texts[stopped->nr_texts];

		if (!mapping_parse(line, &mapping) || mapping.prot[2] != 'x' ||
		    stopped->nr_texts == MOST_TEXTS)
			continue;
		*text = (struct text){ .start = mapping.start,
				       .end = mapping.end,
				       .offset = mapping.offset,
				       .path = checked_strdup(mapping.path) };
		compile_text(stopped, text);
		stopped->nr_texts++;
	}
	free(start);
}

static void forget_maps(struct stopped *stopped)
{
	while (stopped->nr_texts) {
		struct text *text = &stopped->texts[--stopped->nr_texts];

		free(text->path);
		free(text->table);
	}
	free(stopped->maps);
	stopped->maps = NULL;
	dwfl_end(stopped->dwfl);
	stopped->dwfl = NULL;
}

/* Only exec and loading a library change what is executable. */
static void look_at_maps(struct stopped *stopped)
{
	char *path = checked_printf("/proc/%d/maps", stopped->pid);
	size_t length;
	char *maps = read_file(path, &length);

	free(path);
	if (!maps)
		fail("maps");
	if (stopped->maps && !strcmp(maps, stopped->maps)) {
		free(maps);
		return;
	}
	forget_maps(stopped);
	stopped->maps = maps;
	add_texts(stopped);
	stopped->dwfl = dwfl_begin(&callbacks);
	if (!stopped->dwfl ||
	    dwfl_linux_proc_report(stopped->dwfl, stopped->pid) ||
	    dwfl_report_end(stopped->dwfl, NULL, NULL) ||
	    dwfl_linux_proc_attach(stopped->dwfl, stopped->pid, true))
		fail(dwfl_errmsg(-1) ?: "libdw");
}

static int add_frame(Dwfl_Frame *frame, void *data)
{
	struct chain *chain = data;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	chain->pcs[chain->nr++] = pc;
	return chain->nr < WALK_MOST_FRAMES ? DWARF_CB_OK : DWARF_CB_ABORT;
}

static struct walk_frame read_registers(pid_t pid)
{
	struct walk_frame frame = { .innermost = true, .exact = true };
	struct user_regs_struct user;
	struct iovec place = { .iov_base = &user, .iov_len = sizeof(user) };

	if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &place))
		fail("registers");
#ifdef __x86_64__
	uint64_t regs[] = { user.rax, user.rdx, user.rcx, user.rbx, user.rsi,
			    user.rdi, user.rbp, user.rsp, user.r8, user.r9,
			    user.r10, user.r11, user.r12, user.r13, user.r14,
			    user.r15 };

	memcpy(frame.regs, regs, sizeof(regs));
	frame.pc = user.rip;
	frame.sp = user.rsp;
	frame.fp = user.rbp;
#elif defined(__aarch64__)
	memcpy(frame.regs, user.regs, sizeof(user.regs));
	frame.pc = user.pc;
	frame.sp = user.sp;
	frame.fp = user.regs[29];
	frame.lr = user.regs[30];
	frame.knows_lr = true;
#else
#error "unwind_stops does not know this machine"
#endif
	return frame;
}

static void print_chain(const char *title, const struct chain *chain)
{
	fprintf(stderr, "%s:", title);
	for (size_t i = 0; i < chain->nr; i++)
		fprintf(stderr, " %" PRIx64, chain->pcs[i]);
	fputc('\n', stderr);
}

static void compare(struct stopped *stopped, struct result *result)
{
	struct walk_process process = {
		.data = stopped, .find = find_table, .read = read_word };
	struct chain ours, theirs = { .nr = 0 };
	size_t equal = 0, both;
	enum walk_end end;
	bool same;

	look_at_maps(stopped);
	ours.nr = walk(&process, read_registers(stopped->pid), ours.pcs, &end);
	dwfl_getthread_frames(stopped->dwfl, stopped->pid, add_frame, &theirs);
	both = ours.nr < theirs.nr ? ours.nr : theirs.nr;
	for (size_t i = 0; i < both; i++)
		equal += ours.pcs[i] == theirs.pcs[i];
	same = equal == both && ours.nr == theirs.nr;
	result->stops++;
	result->whole += same && end == WALK_WHOLE;
	result->frames += ours.nr + theirs.nr - both;
	result->equal += equal;
	result->ends[end]++;
	if (!(same && end == WALK_WHOLE) && getenv("UNWIND_STOPS_PRINT")) {
		print_chain("tables", &ours);
		print_chain("libdw", &theirs);
	}
}

/* Continues; returns the signal that stopped the command, 0 if it has ended. */
static int next_stop(pid_t pid, enum __ptrace_request request, int signal)
{
	int status;

	if (ptrace(request, pid, NULL, signal) || waitpid(pid, &status, 0) < 0)
		fail("ptrace");
	return WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
}

/* False if the command has ended. */
static bool step_some(pid_t pid)
{
	for (int left = rand() % MOST_STEPS; left; left--) {
		int signal = next_stop(pid, PTRACE_SINGLESTEP, 0);

		if (signal != SIGTRAP)
			return signal;
	}
	return true;
}

static void follow(struct stopped *stopped, unsigned int count,
		   struct result *result)
{
	int signal = 0;

	while (result->stops < count) {
		signal = next_stop(stopped->pid, PTRACE_CONT, signal);
		if (!signal)
			return;
		if (signal == SIGPROF) {
			if (!step_some(stopped->pid))
				return;
			compare(stopped, result);
		}
		if (signal == SIGPROF || signal == SIGTRAP)
			signal = 0;
	}
	kill(stopped->pid, SIGKILL);
}

/* The timer outlasts exec. */
static _Noreturn void run_command(char **command)
{
	struct itimerval every = { { 0, STOP_US }, { 0, STOP_US } };

	if (!freopen("/dev/null", "w", stdout) ||
	    ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		fail("ptrace");
	setitimer(ITIMER_PROF, &every, NULL);
	execvp(command[0], command);
	fail(command[0]);
}

static void print_result(const struct result *result)
{
	static const char *const names[WALK_ENDS] = {
		"whole", "no_table", "no_rule", "bad", "unreadable", "full" };

	printf("{\"stops\": %u, \"whole\": %u, \"frames\": %u, \"equal\": %u",
	       result->stops, result->whole, result->frames, result->equal);
	for (int end = WALK_WHOLE + 1; end < WALK_ENDS; end++)
		printf(", \"%s\": %u", names[end], result->ends[end]);
	puts("}");
}

int main(int argc, char **argv)
{
	static struct stopped stopped;
	struct result result = { .stops = 0 };

	if (argc < 3)
		return 2;
	stopped.pid = fork();
	if (!stopped.pid)
		run_command(argv + 2);
	/* The first stop is that of exec. */
	if (stopped.pid < 0 || waitpid(stopped.pid, NULL, 0) < 0)
		fail("fork");
	follow(&stopped, (unsigned int)strtoul(argv[1], NULL, 0), &result);
	forget_maps(&stopped);
	print_result(&result);
	return 0;
}
