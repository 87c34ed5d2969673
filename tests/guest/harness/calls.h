/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * calls.h - processes that make an exact number of system calls, for families
 *
 * The event is getppid(), which only the tests call. These functions fail the
 * test on any error.
 */
#ifndef GUEST_CALLS_H
#define GUEST_CALLS_H

#include <linux/types.h>
#include <sys/types.h>

/* Number of calls that most children make */
#define CALLS	10

/* Make the system call @n times. */
void call(unsigned int n);
/* PMC value of that event. The first caller must be root, to look it up. */
__u64 event_of_calls(void);

/* fork() without a call by the C library */
pid_t fork_one(void);

/*
 * Run the program "family" in a family. Return: the number of calls that it has
 * announced.
 */
unsigned long run_family(int fd, const char *what, const char *n);

/* A child that calls on request, until it is asked for 0 calls. */
struct caller {
	pid_t	pid;
	int	ask[2];
	int	done[2];
};

void caller_start(struct caller *c);
/*
 * Start a process that waits for a byte in @go, then starts the child and ends.
 * It closes @fd, because a holder would monitor itself. Return: its ID.
 */
pid_t caller_start_by_other(struct caller *c, int fd, int go[2]);
/* Let the child call, and wait until it has. */
void caller_do(const struct caller *c, unsigned int n);
void caller_quit(const struct caller *c);

/* Create a set-user-ID copy of the program "family". */
void make_setid_family(void);
/*
 * An unprivileged child calls CALLS times, and executes that program, which
 * does @what: it or a child of it calls 10 times.
 */
void exec_setid(const char *what);

#endif /* GUEST_CALLS_H */
