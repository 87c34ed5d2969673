// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * block_stops.c - a blocked thread can still be stopped, traced, frozen and
 *		   killed (specification 3.1.1, 3.4.3, 3.5.14)
 */
#define _GNU_SOURCE
#include <elf.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "params.h"

#define PERIOD	4
#define LOOKS	300
#define FREEZER	"/sys/fs/cgroup/blocking"

/* A monitored process that counts its page faults and its signals. */
struct blocked {
	pid_t		pid;
	int		fd;
	int		go;
	unsigned long	*progress;
	unsigned long	*handled;
};

static unsigned long *shared_words;

static void count_signal(int number)
{
	__atomic_add_fetch(&shared_words[1], 1, __ATOMIC_RELAXED);
}

static unsigned long handled(const struct blocked *b)
{
	return __atomic_load_n(b->handled, __ATOMIC_RELAXED);
}

static unsigned long progress(const struct blocked *b)
{
	return __atomic_load_n(b->progress, __ATOMIC_RELAXED);
}

/*
 * On request, cause 2 * PERIOD - 1 page faults, so that the process is blocked
 * once.
 */
static void touch_when_told(void *arg)
{
	const struct blocked *b = arg;
	struct sigaction action = { .sa_handler = count_signal };
	char byte;

	/*
	 * If this process held the descriptor of its own context, its exit
	 * would not send PFM_MSG_END.
	 */
	CHECK_OK(close(b->fd));
	faults_prepare();
	CHECK_OK(sigaction(SIGUSR1, &action, NULL));
	CHECK_OK(sigaction(SIGUSR2, &action, NULL));
	/*
	 * Write once, because the first write to shared memory may cause a page
	 * fault.
	 */
	shared_words[0] = 0;
	CHECK_OK(read(b->go, &byte, 1));
	touch_pages(2 * PERIOD - 1, &shared_words[0]);
}

static void start_on(struct blocked *b)
{
	int pipes[2];

	CHECK_OK(pipe(pipes));
	shared_words = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	CHECK(shared_words != MAP_FAILED);
	b->progress = &shared_words[0];
	b->handled = &shared_words[1];
	b->go = pipes[0];
	b->pid = spawn(touch_when_told, b);
	wait_asleep(b->pid);
	ctx_start_on(b->fd, b->pid);
	CHECK_OK(write(pipes[1], "", 1));
	close(pipes[0]);
	close(pipes[1]);
}

/* Check that the process makes no progress and runs no signal handler. */
static void expect_blocked(const struct blocked *b)
{
	unsigned long signals = handled(b);

	wait_asleep(b->pid);
	for (int i = 0; i < LOOKS; i++) {
		CHECK_EQ(progress(b), PERIOD - 1);
		CHECK_EQ(handled(b), signals);
		sched_yield();
	}
}

static void block_on(struct blocked *b)
{
	start_on(b);
	ctx_expect_message(b->fd, PFM_MSG_OVFL);
	expect_blocked(b);
}

static struct blocked block(void)
{
	struct blocked b = { .fd = ctx_notifying(PFM_FL_NOTIFY_BLOCK, PERIOD) };

	block_on(&b);
	return b;
}

static void expect_end(const struct blocked *b)
{
	reap(b->pid);
	CHECK_EQ(progress(b), 2 * PERIOD - 1);
}

static void restart_to_end(const struct blocked *b)
{
	CHECK_OK(pfm_restart(b->fd));
	expect_end(b);
}

static void expect_killed(const struct blocked *b, int number)
{
	int status = wait_for(b->pid);

	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), number);
	CHECK_EQ(progress(b), PERIOD - 1);
	ctx_expect_message(b->fd, PFM_MSG_END);
	ctx_expect_state(b->fd, "unloaded");
}

/* Wait until the process stops. The caller is the parent or the tracer. */
static void wait_stopped(const struct blocked *b, int number)
{
	int status;

	CHECK_EQ(waitpid(b->pid, &status, WUNTRACED), b->pid);
	CHECK(WIFSTOPPED(status));
	CHECK_EQ(WSTOPSIG(status), number);
}

TEST(blocking_is_invisible_to_the_parent)
{
	struct blocked b = block();
	int status;

	CHECK_EQ(waitpid(b.pid, &status, WUNTRACED | WCONTINUED | WNOHANG), 0);
	restart_to_end(&b);
}

/* Tracers */

#if defined(__x86_64__)
#define IP(regs)	((regs).rip)
#else
#define IP(regs)	((regs).pc)
#endif

/*
 * Check that the tracer sees the user-space registers, with the instruction
 * pointer at the faulting instruction.
 */
static void expect_registers(const struct blocked *b)
{
	struct user_regs_struct regs;
	struct iovec iov = { &regs, sizeof(regs) };

	CHECK_OK(ptrace(PTRACE_GETREGSET, b->pid, NT_PRSTATUS, &iov));
	CHECK_EQ(iov.iov_len, sizeof(regs));
	CHECK(in_touch_pages(IP(regs)));
}

static void detach(const struct blocked *b)
{
	CHECK_OK(ptrace(PTRACE_DETACH, b->pid, 0, 0));
}

/* Proves H24 */
TEST(ptrace_attach_and_detach_keep_thread_blocked)
{
	struct blocked b = block();

	for (int i = 0; i < 3; i++) {
		CHECK_OK(ptrace(PTRACE_ATTACH, b.pid, 0, 0));
		wait_stopped(&b, SIGSTOP);
		expect_registers(&b);
		detach(&b);
		expect_blocked(&b);
	}
	restart_to_end(&b);
}

/* Proves H24 */
TEST(ptrace_seize_and_interrupt_keep_thread_blocked)
{
	struct blocked b = block();

	CHECK_OK(ptrace(PTRACE_SEIZE, b.pid, 0, 0));
	expect_blocked(&b);
	for (int i = 0; i < 3; i++) {
		CHECK_OK(ptrace(PTRACE_INTERRUPT, b.pid, 0, 0));
		wait_stopped(&b, SIGTRAP);
		expect_registers(&b);
		CHECK_OK(ptrace(PTRACE_CONT, b.pid, 0, 0));
		expect_blocked(&b);
	}
	CHECK_OK(ptrace(PTRACE_INTERRUPT, b.pid, 0, 0));
	wait_stopped(&b, SIGTRAP);
	detach(&b);
	expect_blocked(&b);
	restart_to_end(&b);
}

/* Proves H24 */
TEST(tracer_can_suppress_signals_of_blocked_thread)
{
	struct blocked b = block();

	CHECK_OK(ptrace(PTRACE_SEIZE, b.pid, 0, 0));
	CHECK_OK(kill(b.pid, SIGUSR1));
	wait_stopped(&b, SIGUSR1);
	/* This suppresses the signal. */
	CHECK_OK(ptrace(PTRACE_CONT, b.pid, 0, 0));
	expect_blocked(&b);
	restart_to_end(&b);
	CHECK_EQ(handled(&b), 0);
}

static void seize_and_die(void *pid)
{
	CHECK_OK(ptrace(PTRACE_SEIZE, *(pid_t *)pid, 0, 0));
	CHECK_OK(ptrace(PTRACE_INTERRUPT, *(pid_t *)pid, 0, 0));
	CHECK_EQ(waitpid(*(pid_t *)pid, NULL, __WALL), *(pid_t *)pid);
}

/* Proves H24 */
TEST(tracer_death_keeps_thread_blocked)
{
	struct blocked b = block();

	reap(spawn(seize_and_die, &b.pid));
	expect_blocked(&b);
	restart_to_end(&b);
}

/* Proves H24 */
TEST(restart_of_a_traced_thread_waits_for_the_tracer)
{
	struct blocked b = block();

	CHECK_OK(ptrace(PTRACE_ATTACH, b.pid, 0, 0));
	wait_stopped(&b, SIGSTOP);
	CHECK_OK(pfm_restart(b.fd));
	for (int i = 0; i < LOOKS; i++)
		CHECK_EQ(progress(&b), PERIOD - 1);
	detach(&b);
	expect_end(&b);
}

/* Job control */

static void stop(const struct blocked *b)
{
	CHECK_OK(kill(b->pid, SIGSTOP));
	wait_stopped(b, SIGSTOP);
}

/* Proves H24 */
TEST(blocked_thread_can_be_stopped_and_continued)
{
	struct blocked b = block();
	int status;

	for (int i = 0; i < 3; i++) {
		stop(&b);
		CHECK_OK(kill(b.pid, SIGCONT));
		CHECK_EQ(waitpid(b.pid, &status, WCONTINUED), b.pid);
		CHECK(WIFCONTINUED(status));
		expect_blocked(&b);
	}
	restart_to_end(&b);
}

/* Proves H24 */
TEST(restarted_stopped_thread_resumes_on_sigcont)
{
	struct blocked b = block();

	stop(&b);
	CHECK_OK(pfm_restart(b.fd));
	for (int i = 0; i < LOOKS; i++)
		CHECK_EQ(progress(&b), PERIOD - 1);
	CHECK_OK(kill(b.pid, SIGCONT));
	expect_end(&b);
}

/* Proves H24 */
TEST(stopped_thread_resumes_on_sigcont_after_close)
{
	struct blocked b = block();

	stop(&b);
	CHECK_OK(close(b.fd));
	CHECK_OK(kill(b.pid, SIGCONT));
	expect_end(&b);
}

/* The old thread returns to user space while the context blocks the new one. */
/* Proves H24 */
TEST(former_target_is_not_blocked_with_the_new_one)
{
	struct blocked first = block(), second = { .fd = first.fd };

	stop(&first);
	CHECK_OK(pfm_unload_context(first.fd));
	ctx_add_counter(second.fd, 0, PFM_REGFL_OVFL_NOTIFY, PERIOD);
	block_on(&second);
	CHECK_OK(kill(first.pid, SIGCONT));
	expect_end(&first);
	expect_blocked(&second);
	restart_to_end(&second);
}

/* Signals */

static bool has_pending(const struct blocked *b)
{
	unsigned long long thread, process;
	char path[64], text[4096];

	snprintf(path, sizeof(path), "/proc/%d/status", b->pid);
	read_text(path, text, sizeof(text));
	CHECK(sscanf(strstr(text, "SigPnd:"), "SigPnd: %llx ShdPnd: %llx",
		     &thread, &process) == 2);
	return thread || process;
}

/* Proves H24, 3.5.14-28 */
TEST(signal_handlers_run_after_restart)
{
	struct blocked b = block();

	CHECK_OK(kill(b.pid, SIGUSR1));
	CHECK_OK(kill(b.pid, SIGUSR2));
	/*
	 * Wait until the kernel has set up the signal frames. The handlers must
	 * not run before the restart.
	 */
	while (has_pending(&b))
		sched_yield();
	CHECK_EQ(handled(&b), 0);
	expect_blocked(&b);
	restart_to_end(&b);
	CHECK_EQ(handled(&b), 2);
}

static void signal_while_kprobes_are_off(void *arg)
{
	struct blocked b = block();

	CHECK(file_has(PFM_SYSFS "/defects", "kprobe"));
	CHECK_OK(kill(b.pid, SIGUSR1));
	expect_blocked(&b);
	restart_to_end(&b);
	CHECK_EQ(handled(&b), 1);
}

/* Proves H24 */
TEST(thread_stays_blocked_if_kprobe_does_not_fire)
{
	struct blocked b;

	with_setting(KPROBES, "0", signal_while_kprobes_are_off, NULL);
	b = block();
	CHECK(!file_has(PFM_SYSFS "/defects", "kprobe"));
	restart_to_end(&b);
}

/* Proves H24 */
TEST(unhandled_signals_affect_blocked_thread)
{
	struct blocked b = block();

	CHECK_OK(kill(b.pid, SIGCHLD));
	CHECK_OK(kill(b.pid, SIGWINCH));
	expect_blocked(&b);
	CHECK_OK(kill(b.pid, SIGTERM));
	expect_killed(&b, SIGTERM);
}

/* Proves H24 */
TEST(stopped_blocked_thread_can_be_killed)
{
	struct blocked b = block();

	stop(&b);
	CHECK_OK(kill(b.pid, SIGKILL));
	expect_killed(&b, SIGKILL);
}

/* Proves H24 */
TEST(traced_blocked_thread_can_be_killed)
{
	struct blocked b = block();

	CHECK_OK(ptrace(PTRACE_ATTACH, b.pid, 0, 0));
	wait_stopped(&b, SIGSTOP);
	CHECK_OK(kill(b.pid, SIGKILL));
	expect_killed(&b, SIGKILL);
}

/* The cgroup freezer */

static void wait_frozen(bool frozen)
{
	char text[128];

	do {
		sched_yield();
		read_text(FREEZER "/cgroup.events", text, sizeof(text));
	} while (!strstr(text, frozen ? "frozen 1" : "frozen 0"));
}

/* Proves H24 */
TEST(blocked_thread_can_be_frozen_by_cgroup)
{
	struct blocked b = block();
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", b.pid);
	CHECK_OK(mkdir(FREEZER, 0755));
	write_text(FREEZER "/cgroup.procs", pid);
	write_text(FREEZER "/cgroup.freeze", "1");
	wait_frozen(true);
	write_text(FREEZER "/cgroup.freeze", "0");
	wait_frozen(false);
	expect_blocked(&b);
	restart_to_end(&b);
	remove_cgroup(FREEZER);
}

/* Races */

static void disturb(const struct blocked *b, unsigned int round)
{
	switch (round % 4) {
	case 0:
		CHECK_OK(kill(b->pid, SIGSTOP));
		CHECK_OK(kill(b->pid, SIGCONT));
		break;
	case 1:
		CHECK_OK(ptrace(PTRACE_SEIZE, b->pid, 0, 0));
		CHECK_OK(ptrace(PTRACE_INTERRUPT, b->pid, 0, 0));
		break;
	case 2:
		CHECK_OK(kill(b->pid, SIGUSR1));
		break;
	}
}

static void release(const struct blocked *b, unsigned int round)
{
	switch (round % 3) {
	case 0:
		CHECK_OK(kill(b->pid, SIGKILL));
		break;
	case 1:
		CHECK_OK(pfm_unload_context(b->fd));
		break;
	}
}

static void wait_for_end(pid_t pid)
{
	int status;

	do {
		status = wait_for(pid);
	} while (WIFSTOPPED(status));
}

/*
 * Signals, tracers and close() act in any order and at any time. At the end,
 * the context and its references must be gone.
 */
/* Proves H24 */
TEST(signals_tracers_and_close_race_with_blocking)
{
	/*
	 * Keep a context that can block, and with it the kprobe. Otherwise each
	 * round would patch the kernel's code twice.
	 */
	int keep = ctx_new(PFM_FL_NOTIFY_BLOCK);
	long references = read_number("/sys/module/perfmon/refcnt");

	for (unsigned int round = 0; round < 40; round++) {
		struct blocked b = {
			.fd = ctx_notifying(PFM_FL_NOTIFY_BLOCK, PERIOD),
		};

		start_on(&b);
		if (round % 5)
			while (progress(&b) < round % 5 - 1)
				sched_yield();
		disturb(&b, round);
		release(&b, round);
		CHECK_OK(close(b.fd));
		CHECK_OK(kill(b.pid, SIGKILL));
		wait_for_end(b.pid);
		CHECK_OK(munmap(shared_words, 4096));
	}
	close(keep);
	/* Wait until the deferred work of the closed contexts has finished. */
	while (read_number("/sys/module/perfmon/refcnt") >= references)
		sched_yield();
}
