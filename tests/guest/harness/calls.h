/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * calls.h - monitored processes that call getppid() an exact number of times
 *
 * The tests count calls of getppid(), because nothing else calls it. Most of
 * the tests use contexts with PFM_FL_INHERIT, which monitor a family: a process
 * and its descendants. These functions fail the test on any error.
 */
#ifndef GUEST_CALLS_H
#define GUEST_CALLS_H

#include <linux/types.h>
#include <sys/types.h>

/* The number of getppid() calls that most child processes make. */
#define CALLS	10

/* Call getppid() @n times. */
void call(unsigned int n);
/*
 * Return the PMC value of the event that counts getppid(). The first use of
 * this function looks the event up, and therefore needs root.
 */
__u64 event_of_calls(void);

/* Fork without the system calls that the C library's fork() adds. */
pid_t fork_one(void);

/*
 * Run the program "family" with the arguments @what and @n, monitored by
 * context @fd. Return: the number of calls that the program prints.
 */
unsigned long run_family(int fd, const char *what, const char *n);

/*
 * A child that calls getppid() as often as requested, and exits when 0 calls
 * are requested.
 */
struct caller {
	pid_t	pid;
	int	ask[2];
	int	done[2];
};

void caller_start(struct caller *c);
/*
 * Create the pipe @go, and start a process that waits for a byte from it, then
 * starts the child @c and exits. The process closes its copy of the context's
 * descriptor @fd, which would keep the context open. Return: the process's PID.
 */
pid_t caller_start_by_other(struct caller *c, int fd, int go[2]);
/* Let the child call getppid() @n times, and wait until it has done so. */
void caller_do(const struct caller *c, unsigned int n);
void caller_quit(const struct caller *c);

/* Create a set-user-ID copy of the program "family". */
void make_setid_family(void);
/*
 * In an unprivileged child, call getppid() CALLS times, and then execute the
 * set-user-ID copy of "family" with the argument @what. The copy, or its child,
 * calls getppid() 10 times.
 */
void exec_setid(const char *what);

#endif /* GUEST_CALLS_H */
