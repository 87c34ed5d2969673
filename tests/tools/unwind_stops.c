// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * unwind_stops.c - compare call chains from unwind tables with those of
 * elfutils
 *
 * usage: unwind_stops [--start|--store] COUNT COMMAND [ARGUMENT...]
 *
 * Stops the command COUNT times, after equal amounts of CPU time and a random
 * number of further instructions, and unwinds its stack in both ways. With
 * --start, stops it from its first instruction on, each time after a random
 * number of instructions below 2048.
 *
 * Prints a line of JSON with these numbers:
 *
 *	stops		all stops
 *	whole		the stops at which the chain from the tables reaches
 *			the outermost frame and agrees with elfutils
 *	frames		the frames that were compared: at each stop, those of
 *			the longer chain
 *	equal		the frames that are equal in both chains
 *	given_up	the stops at which elfutils ended its chain early.
 *			Only the frames that it found are compared.
 *	guessed		the callers found by frame pointer, because no table
 *			describes the callee's code
 *
 * and, for each reason, how often the chain from the tables ended early. With
 * --store, it first prints a line for each "whole" stop at which elfutils did
 * not give up: the registers, the stacks, the words that were read from the
 * stacks, and the frames.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
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
#include "unwind_walk.h"	/* the kernel module's unwinder */

#define STOP_US		4000	/* of CPU time, between stops */
#define MOST_STEPS	64
#define START_STEPS	2048
#define MOST_TEXTS	512
#define MOST_STACKS	512
#define MOST_WORDS	1024
#define MOST_FRAMES	(1 + PFM_UNWIND_MAX_FRAMES)

#ifdef __x86_64__
#define MACHINE	EM_X86_64
#define CPU_REGS	.sp = 7, .fp = 6, .rbx = 3
#define CODE_BITS	0
#define NUM_REGS	16
#elif defined(__aarch64__)
#define MACHINE	EM_AARCH64
#define CPU_REGS	.sp = 31, .fp = 29, .lr = 30
#define CODE_BITS	16	/* upper bits that may hold a PAC */
#define NUM_REGS	32
#else
#error "unwind_stops does not know this machine"
#endif

/*
 * The compiled table of a mapped file, which was checked as the kernel checks
 * it.
 */
struct compiled {
	char *path;
	__u64 file_offset;
	struct pfm_unwind_head *bytes;
	struct pfm_unwind_table table;
};

struct stopped {
	pid_t pid;
	char *maps;
	struct pfm_unwind_text texts[MOST_TEXTS];
	struct compiled compiled[MOST_TEXTS];
	struct pfm_unwind_stack stacks[MOST_STACKS];
	struct pfm_unwind_space space;
	Dwfl *dwfl;
};

/* A word that the unwinder has read from the stack. */
struct word {
	__u64 address, value;
};

struct chain {
	__u64 pcs[MOST_FRAMES];
	size_t nr;
};

struct result {
	unsigned int stops, whole, given_up, frames, equal, guessed;
	unsigned int ends[PFM_UNWIND_UNREADABLE + 1];
};

static struct stopped stopped;
static bool is_stored;
static struct word words[MOST_WORDS];
static unsigned int nr_words;

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "unwind_stops: %s: %m\n", what);
	exit(1);
}

static bool read_memory(uint64_t address, void *bytes, size_t size)
{
	struct iovec to = { .iov_base = bytes, .iov_len = size };
	struct iovec from = { .iov_base = (void *)address, .iov_len = size };

	return process_vm_readv(stopped.pid, &to, 1, &from, 1, 0) ==
	       (ssize_t)size;
}

static bool read_word(__u64 address, __u64 *word)
{
	if (!read_memory(address, word, sizeof(*word)))
		return false;
	if (nr_words < MOST_WORDS)
		words[nr_words++] = (struct word){ address, *word };
	return true;
}

static struct pfm_unwind_head *compile_vdso(const struct mapping *mapping)
{
	size_t size = mapping->end - mapping->start;
	struct pfm_unwind_head *table = NULL;
	void *image = checked_calloc(1, size);
	const char *why;

	if (read_memory(mapping->start, image, size))
		table = unwind_compile_image(image, size, &why);
	free(image);
	return table;
}

static struct pfm_unwind_head *compile_mapped(const struct mapping *mapping)
{
	struct pfm_unwind_head *table;
	const char *why;
	int fd;

	if (!strcmp(mapping->path, "[vdso]"))
		return compile_vdso(mapping);
	fd = open(mapping->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	table = unwind_compile(fd, &why);
	close(fd);
	return table;
}

static void add_text(const struct mapping *mapping)
{
	unsigned int number = stopped.space.nr_texts++;
	struct compiled *compiled = &stopped.compiled[number];
	struct pfm_unwind_text *text = &stopped.texts[number];

	*text = (struct pfm_unwind_text){ .start = mapping->start,
					  .end = mapping->end };
	compiled->path = checked_strdup(mapping->path);
	compiled->file_offset = mapping->offset;
	compiled->bytes = compile_mapped(mapping);
	if (!compiled->bytes)
		return;
	if (pfm_unwind_table_init(&compiled->table, compiled->bytes,
				  compiled->bytes->size, MACHINE))
		fail("the kernel would refuse a table");
	text->table = &compiled->table;
	text->shift = mapping->start - mapping->offset + compiled->table.start;
}

static void add_stack(const struct mapping *mapping)
{
	stopped.stacks[stopped.space.nr_stacks++] = (struct pfm_unwind_stack){
		.start = mapping->start, .end = mapping->end };
}

static void add_mappings(void)
{
	char *rest = checked_strdup(stopped.maps), *start = rest, *line;
	struct mapping mapping;

	while ((line = strsep(&rest, "\n"))) {
		if (!mapping_parse(line, &mapping))
			continue;
		if (mapping.prot[2] == 'x' &&
		    stopped.space.nr_texts < MOST_TEXTS)
			add_text(&mapping);
		else if (mapping.prot[1] == 'w' &&
			 stopped.space.nr_stacks < MOST_STACKS)
			add_stack(&mapping);
	}
	stopped.space.texts = stopped.texts;
	stopped.space.stacks = stopped.stacks;
	free(start);
}

static void forget_maps(void)
{
	while (stopped.space.nr_texts) {
		stopped.space.nr_texts--;
		free(stopped.compiled[stopped.space.nr_texts].bytes);
		free(stopped.compiled[stopped.space.nr_texts].path);
	}
	stopped.space.nr_stacks = 0;
	free(stopped.maps);
	stopped.maps = NULL;
	dwfl_end(stopped.dwfl);
	stopped.dwfl = NULL;
}

/* Read the mappings again if exec or loading a library has changed them. */
static void look_at_maps(void)
{
	char *path = checked_printf("/proc/%d/maps", stopped.pid);
	size_t length;
	char *maps = read_file(path, &length);

	free(path);
	if (!maps)
		fail("maps");
	if (stopped.maps && !strcmp(maps, stopped.maps)) {
		free(maps);
		return;
	}
	forget_maps();
	stopped.maps = maps;
	add_mappings();
	stopped.dwfl = dwfl_begin(&callbacks);
	if (!stopped.dwfl ||
	    dwfl_linux_proc_report(stopped.dwfl, stopped.pid) ||
	    dwfl_report_end(stopped.dwfl, NULL, NULL) ||
	    dwfl_linux_proc_attach(stopped.dwfl, stopped.pid, true))
		fail(dwfl_errmsg(-1) ?: "libdw");
}

static int add_frame(Dwfl_Frame *frame, void *data)
{
	struct chain *chain = data;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	chain->pcs[chain->nr++] = pc;
	return chain->nr < MOST_FRAMES ? DWARF_CB_OK : DWARF_CB_ABORT;
}

#ifdef __x86_64__
static __u64 get_reg(const void *regs, unsigned int number)
{
	const struct user_regs_struct *user = regs;
	const __u64 values[] = {
		user->rax, user->rdx, user->rcx, user->rbx, user->rsi,
		user->rdi, user->rbp, user->rsp, user->r8, user->r9, user->r10,
		user->r11, user->r12, user->r13, user->r14, user->r15 };

	return values[number];
}

static struct pfm_unwind_frame first_frame(const struct user_regs_struct *user)
{
	return (struct pfm_unwind_frame){ .pc = user->rip, .sp = user->rsp,
					  .fp = user->rbp, .regs = user };
}
#elif defined(__aarch64__)
static __u64 get_reg(const void *regs, unsigned int number)
{
	const struct user_regs_struct *user = regs;

	return number == 31 ? user->sp : user->regs[number];
}

static struct pfm_unwind_frame first_frame(const struct user_regs_struct *user)
{
	return (struct pfm_unwind_frame){ .pc = user->pc, .sp = user->sp,
					  .fp = user->regs[29], .regs = user };
}
#endif

/* Remove the pointer authentication code, which is in the upper bits. */
static __u64 strip(__u64 address)
{
	return address << CODE_BITS >> CODE_BITS;
}

static const struct pfm_unwind_cpu cpu = {
	CPU_REGS,
	.read = read_word,
	.reg = get_reg,
	.strip = strip,
};

static struct user_regs_struct read_registers(void)
{
	struct user_regs_struct user;
	struct iovec place = { .iov_base = &user, .iov_len = sizeof(user) };

	if (ptrace(PTRACE_GETREGSET, stopped.pid, NT_PRSTATUS, &place))
		fail("registers");
	return user;
}

static enum pfm_unwind_why walk(struct chain *chain, unsigned int *guessed)
{
	struct user_regs_struct user = read_registers();
	struct pfm_unwind_frame first = first_frame(&user);
	struct pfm_unwind_chain found;

	nr_words = 0;
	chain->pcs[0] = first.pc;
	found = pfm_unwind_walk(&cpu, &stopped.space, &first, chain->pcs + 1,
				PFM_UNWIND_MAX_FRAMES);
	chain->nr = 1 + found.nr;
	*guessed += found.guessed;
	return found.why;
}

static void print_chain(const char *title, const struct chain *chain)
{
	fprintf(stderr, "%s:", title);
	for (size_t i = 0; i < chain->nr; i++)
		fprintf(stderr, " %llx", chain->pcs[i]);
	fputc('\n', stderr);
}

/* Print the file of a frame's code, and the offset in the file. */
static void print_frame(__u64 pc)
{
	const struct pfm_unwind_text *text =
		pfm_unwind_find_text(&stopped.space, NULL, pc - 1);
	const struct compiled *file = &stopped.compiled[text - stopped.texts];

	printf("[%llu, \"%s\", %llu]", pc, file->path,
	       pc - text->start + file->file_offset);
}

static bool was_read(const struct pfm_unwind_stack *stack)
{
	for (unsigned int i = 0; i < nr_words; i++)
		if (words[i].address >= stack->start &&
		    words[i].address < stack->end)
			return true;
	return false;
}

static void print_stacks(void)
{
	const char *before = "";

	for (unsigned int i = 0; i < stopped.space.nr_stacks; i++) {
		const struct pfm_unwind_stack *stack = &stopped.stacks[i];

		if (!was_read(stack))
			continue;
		printf("%s[%llu, %llu]", before, stack->start, stack->end);
		before = ", ";
	}
}

static void print_stop(const struct chain *chain)
{
	struct user_regs_struct user = read_registers();

	printf("{\"regs\": [");
	for (unsigned int i = 0; i < NUM_REGS; i++)
		printf("%s%llu", i ? ", " : "", get_reg(&user, i));
	printf("], \"stacks\": [");
	print_stacks();
	printf("], \"words\": [");
	for (unsigned int i = 0; i < nr_words; i++)
		printf("%s[%llu, %llu]", i ? ", " : "", words[i].address,
		       words[i].value);
	printf("], \"frames\": [");
	for (size_t i = 0; i < chain->nr; i++) {
		printf("%s", i ? ", " : "");
		print_frame(chain->pcs[i]);
	}
	puts("]}");
}

static void compare(struct result *result)
{
	struct chain ours, theirs = { .nr = 0 };
	enum pfm_unwind_why why;
	size_t equal = 0, both, either;
	bool given_up, good;

	look_at_maps();
	why = walk(&ours, &result->guessed);
	given_up = dwfl_getthread_frames(stopped.dwfl, stopped.pid, add_frame,
					 &theirs) < 0 &&
		   theirs.nr < ours.nr;
	both = ours.nr < theirs.nr ? ours.nr : theirs.nr;
	either = given_up ? theirs.nr : ours.nr + theirs.nr - both;
	for (size_t i = 0; i < both; i++)
		equal += ours.pcs[i] == theirs.pcs[i];
	good = equal == either && why == PFM_UNWIND_WHOLE;
	result->stops++;
	result->whole += good;
	result->given_up += given_up;
	result->frames += either;
	result->equal += equal;
	result->ends[why]++;
	if (good && !given_up && is_stored)
		print_stop(&ours);
	if (!good && getenv("UNWIND_STOPS_PRINT")) {
		print_chain("tables", &ours);
		print_chain("libdw", &theirs);
	}
}

/*
 * Continue the command.
 *
 * Return: the signal that has stopped the command, or 0 if it has ended.
 */
static int next_stop(pid_t pid, enum __ptrace_request request, int signal)
{
	int status;

	if (ptrace(request, pid, NULL, signal) || waitpid(pid, &status, 0) < 0)
		fail("ptrace");
	return WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
}

/*
 * Step over some instructions.
 *
 * Return: false if the command has ended.
 */
static bool step_some(pid_t pid, int most)
{
	for (int left = rand() % most; left; left--) {
		int signal = next_stop(pid, PTRACE_SINGLESTEP, 0);

		if (signal != SIGTRAP)
			return signal;
	}
	return true;
}

static void follow_start(unsigned int count, struct result *result)
{
	while (result->stops < count && step_some(stopped.pid, START_STEPS))
		compare(result);
	kill(stopped.pid, SIGKILL);
}

static void follow(unsigned int count, struct result *result)
{
	int signal = 0;

	while (result->stops < count) {
		signal = next_stop(stopped.pid, PTRACE_CONT, signal);
		if (!signal)
			return;
		if (signal == SIGPROF) {
			if (!step_some(stopped.pid, MOST_STEPS))
				return;
			compare(result);
		}
		if (signal == SIGPROF || signal == SIGTRAP)
			signal = 0;
	}
	kill(stopped.pid, SIGKILL);
}

/* Start the timer, which keeps running across exec, and execute the command. */
static _Noreturn void run_command(char **command, suseconds_t stop_us)
{
	struct itimerval every = { { 0, stop_us }, { 0, stop_us } };

	if (!freopen("/dev/null", "w", stdout) ||
	    ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		fail("ptrace");
	setitimer(ITIMER_PROF, &every, NULL);
	execvp(command[0], command);
	fail(command[0]);
}

static void print_result(const struct result *result)
{
	static const char *const names[] = {
		[PFM_UNWIND_FULL] = "full",
		[PFM_UNWIND_NO_MAPPING] = "no_mapping",
		[PFM_UNWIND_NO_TABLE] = "no_table",
		[PFM_UNWIND_NO_RULE] = "no_rule",
		[PFM_UNWIND_UNREADABLE] = "unreadable",
	};

	printf("{\"stops\": %u, \"whole\": %u, \"frames\": %u, \"equal\": %u",
	       result->stops, result->whole, result->frames, result->equal);
	printf(", \"given_up\": %u, \"guessed\": %u", result->given_up,
	       result->guessed);
	for (int why = PFM_UNWIND_FULL; why <= PFM_UNWIND_UNREADABLE; why++)
		printf(", \"%s\": %u", names[why], result->ends[why]);
	puts("}");
}

int main(int argc, char **argv)
{
	bool start = argc > 1 && !strcmp(argv[1], "--start");
	struct result result = { .stops = 0 };
	unsigned int count;

	is_stored = argc > 1 && !strcmp(argv[1], "--store");
	argv += start || is_stored;
	if (argc < 3 + (start || is_stored))
		return 2;
	count = (unsigned int)strtoul(argv[1], NULL, 0);
	stopped.pid = fork();
	if (!stopped.pid)
		run_command(argv + 2, start ? 0 : STOP_US);
	/* The first stop is at the exec. */
	if (stopped.pid < 0 || waitpid(stopped.pid, NULL, 0) < 0)
		fail("fork");
	if (start)
		follow_start(count, &result);
	else
		follow(count, &result);
	forget_maps();
	print_result(&result);
	return 0;
}
