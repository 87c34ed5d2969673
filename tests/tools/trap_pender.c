// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * trap_pender - stop while a SIGTRAP of a breakpoint is pending
 *
 * usage: trap_pender [blocked]
 *
 * Blocks SIGTRAP, and sends itself the SIGTRAP of a breakpoint at its entry
 * point. Then it sends itself SIGWINCH, which stops it if it is traced. Then it
 * unblocks SIGTRAP, which kills it unless the tracer suppresses the signal.
 * Exits with status 7.
 *
 * With "blocked", it sends itself SIGWINCH many times, and never unblocks
 * SIGTRAP. It exits with status 7 if no process traces it at the end, otherwise
 * with 1.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STOPS	100

static int stop_often(void)
{
	for (int i = 0; i < STOPS; i++)
		raise(SIGWINCH);
	/* The call fails if another process traces this one already. */
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? 1 : 7;
}

int main(int argc, char **argv)
{
	siginfo_t info = {
		.si_signo = SIGTRAP,
		.si_code = TRAP_HWBKPT,
		.si_addr = (void *)getauxval(AT_ENTRY),
	};
	sigset_t trap;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	sigprocmask(SIG_BLOCK, &trap, NULL);
	if (syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGTRAP, &info))
		return 1;
	(void)argv;
	if (argc > 1)
		return stop_often();
	raise(SIGWINCH);
	sigprocmask(SIG_UNBLOCK, &trap, NULL);
	return 7;
}
