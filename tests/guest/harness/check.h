/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * check.h - test functions that run in separate processes and report TAP
 *
 *	TEST(start_needs_a_loaded_context)
 *	{
 *		CHECK_ERRNO(pfm_start(fd, NULL), EBUSY);
 *	}
 *
 * A test passes if its function returns. A failed check prints its location and
 * reason, and its process exits. reap() reports failures in child processes.
 * Processes that are left running are killed when the test ends.
 *
 * usage: PROGRAM [--list | NAME...]
 */
#ifndef GUEST_CHECK_H
#define GUEST_CHECK_H

#include <errno.h>
#include <stdbool.h>
#include <sys/types.h>

/* These macros have the same names as in the kernel. */
#define __printf(a, b)	__attribute((__format__(printf, a, b)))
#define __section(name)	__attribute((__section__(name)))

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Return the test timeout in seconds: $CHECK_TIMEOUT, or the default. */
unsigned int check_timeout(void);

/* Exit statuses of a process that runs a test. */
enum { PASSED, FAILED, SKIPPED };

struct check_test {
	const char *name;
	void (*run)(void);
};

/* The linker defines these symbols at the bounds of the section check_tests. */
extern const struct check_test __start_check_tests[];
extern const struct check_test __stop_check_tests[];

/*
 * The tests run in source order, because no_reorder keeps them in that order in
 * the section.
 */
#define TEST(name_)							\
	static void name_(void);					\
	static const struct check_test test_##name_			\
	__attribute__((used, no_reorder, section("check_tests"),	\
		       aligned(sizeof(void *)))) = {			\
		.name = #name_, .run = name_ };				\
	static void name_(void)

_Noreturn __printf(3, 4)
void check_failed(const char *file, int line, const char *format, ...);
_Noreturn __printf(1, 2)
void check_skip(const char *format, ...);
void check_errno(const char *file, int line, const char *expr, long result,
		 int error, int expected);
void check_eq(const char *file, int line, const char *expr,
	      unsigned long long value, unsigned long long expected);

#define CHECK(expr)							\
	((expr) ? (void)0 :						\
		  check_failed(__FILE__, __LINE__, "%s", #expr))
#define CHECK_EQ(expr, expected)					\
	check_eq(__FILE__, __LINE__, #expr " == " #expected, (expr), (expected))
/* Check that the expression returns -1 with this errno. */
#define CHECK_ERRNO(expr, expected)					\
	({								\
		long result_ = (expr);					\
									\
		check_errno(__FILE__, __LINE__, #expr, result_, errno,	\
			    expected);					\
	})
/* Check that the expression is not negative, and evaluate to its value. */
#define CHECK_OK(expr)							\
	({								\
		__typeof__(expr) result_ = (expr);			\
									\
		if (result_ < 0)					\
			check_failed(__FILE__, __LINE__, "%s", #expr);	\
		result_;						\
	})

/* Run a function in a child process. Return: its pid. */
pid_t spawn(void (*function)(void *arg), void *arg);
/* Wait for a child and return its wait status. */
int wait_for(pid_t pid);
/* Wait for a child and fail unless all its checks passed. */
void reap(pid_t pid);

/* Wait until a byte is written to a pipe. */
void wait_go(int pipe);
/* Wait until a process sleeps in a system call or is blocked by perfmon. */
void wait_asleep(pid_t pid);
/*
 * Sleep in read() until another process has seen that this process is asleep.
 */
void sleep_once(void);

#endif /* GUEST_CHECK_H */
