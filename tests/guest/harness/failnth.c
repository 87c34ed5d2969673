// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * failnth.c - calls in which an allocation or a user copy fails
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "failnth.h"
#include "faults.h"
#include "files.h"

#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define DEBUGFS		"/sys/kernel/debug/"

/*
 * Also let allocations that may sleep and allocations of single pages fail. Do
 * not log the failures.
 */
static const char *const settings[][2] = {
	{ DEBUGFS "failslab/ignore-gfp-wait", "N" },
	{ DEBUGFS "failslab/verbose", "0" },
	{ DEBUGFS "fail_page_alloc/ignore-gfp-wait", "N" },
	{ DEBUGFS "fail_page_alloc/ignore-gfp-highmem", "N" },
	{ DEBUGFS "fail_page_alloc/min-order", "0" },
	{ DEBUGFS "fail_page_alloc/verbose", "0" },
	{ DEBUGFS "fail_usercopy/verbose", "0" },
};

/*
 * Do not let allocations of sysfs_slab_add() fail, because the kernel leaks
 * kobjects if they do. This function may be inlined into its caller, so exempt
 * the caller.
 */
#define SPARED		"do_kmem_cache_create"
#define SPARED_DEPTH	"16"

static int fail_nth;

/*
 * Exempt slab allocations by this kernel function, and by functions that it
 * calls.
 */
static void spare(const char *function)
{
	unsigned long long address, start = 0, end = ULLONG_MAX;
	char line[512], name[128];
	FILE *symbols = fopen("/proc/kallsyms", "re");

	CHECK(symbols);
	while (fgets(line, sizeof(line), symbols))
		if (sscanf(line, "%llx %*c %127s", &address, name) == 2 &&
		    !strcmp(name, function))
			start = address;
	CHECK(start);
	rewind(symbols);
	while (fgets(line, sizeof(line), symbols))
		if (sscanf(line, "%llx", &address) == 1 && address > start &&
		    address < end)
			end = address;
	fclose(symbols);
	snprintf(line, sizeof(line), "0x%llx", start);
	write_text(DEBUGFS "failslab/reject-start", line);
	snprintf(line, sizeof(line), "0x%llx", end);
	write_text(DEBUGFS "failslab/reject-end", line);
	write_text(DEBUGFS "failslab/stacktrace-depth", SPARED_DEPTH);
}

void failnth_prepare(void)
{
	fail_nth = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	if (fail_nth < 0)
		check_skip("needs a kernel with fault injection: %s",
			   strerror(errno));
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		write_text(settings[i][0], settings[i][1]);
	spare(SPARED);
	faults_prepare();
}

/*
 * Let the @n-th request after this call fail, or none if @n is 0. pwrite()
 * copies the number from user space. This copy is a request, too, and it may be
 * the one that the previous call of arm() lets fail. In this case try again:
 * each setting causes only one failure.
 */
static void arm(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	while (pwrite(fail_nth, text, len, 0) < 0)
		CHECK_EQ(errno, EFAULT);
}

/*
 * Return how many requests remain until one fails, counting that one, or 0 if
 * one has already failed. The pread() below copies its result to user space,
 * and this copy is a request, too. If the copy itself fails, no request had
 * failed before: return 1.
 */
static unsigned int left(void)
{
	char text[16] = "";

	if (pread(fail_nth, text, sizeof(text) - 1, 0) >= 0)
		return strtoul(text, NULL, 10);
	CHECK_EQ(errno, EFAULT);
	return 1;
}

bool failnth_call(unsigned int n, long (*call)(void *arg), void *arg,
		  long *result)
{
	bool failed;
	int error;

	arm(n);
	*result = call(arg);
	error = errno;
	failed = !left();
	arm(0);
	errno = error;
	return failed;
}
