// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * trap_pender - stop while a SIGTRAP of a breakpoint is pending, for the tests
 *
 * usage: trap_pender
 *
 * Sends itself the signal of a breakpoint at its entry point, and SIGWINCH, for
 * which it stops if it is traced. Then receives the first signal, which ends it
 * unless the tracer suppresses the signal. Exits with 7.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
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
	raise(SIGWINCH);
	sigprocmask(SIG_UNBLOCK, &trap, NULL);
	return 7;
}
