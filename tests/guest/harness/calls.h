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

/* The number of calls that most children make. */
#define CALLS	10

/* Make the system call @n times. */
void call(unsigned int n);
/*
 * Return the PMC value of the event. The first caller must be root, which may
 * look the event up.
 */
__u64 event_of_calls(void);

/* Call fork() without the calls that the C library adds. */
pid_t fork_one(void);

/*
 * Run the program "family" in a family. Return: the number of calls that it
 * prints.
 */
unsigned long run_family(int fd, const char *what, const char *n);

/* A child that calls on request, until 0 calls are requested. */
struct caller {
	pid_t	pid;
	int	ask[2];
	int	done[2];
};

void caller_start(struct caller *c);
/*
 * Start a process that waits for a byte in @go, then starts the child and ends.
 * The process closes @fd, because a process that holds the descriptor would
 * monitor itself. Return: the process's ID.
 */
pid_t caller_start_by_other(struct caller *c, int fd, int go[2]);
/* Let the child call @n times, and wait until it has done so. */
void caller_do(const struct caller *c, unsigned int n);
void caller_quit(const struct caller *c);

/* Create a set-user-ID copy of the program "family". */
void make_setid_family(void);
/*
 * In an unprivileged child, call CALLS times, and then execute the set-user-ID
 * copy of "family". It does @what: the program or a child of it calls 10 times.
 */
void exec_setid(const char *what);

#endif /* GUEST_CALLS_H */
