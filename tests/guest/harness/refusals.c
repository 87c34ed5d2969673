// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * refusals.c - check that refused calls leave nothing behind
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "check.h"
#include "files.h"
#include "refusals.h"
#include "slab.h"

#define CALLS	32
#define DESCRIPTORS 256	/* more than a process here opens */
#define ROUNDS	10	/* at most; usually one is enough */
#define KMEMLEAK "/sys/kernel/debug/kmemleak"

/* Return whether a descriptor number is free: neither open nor reserved. */
static bool is_free(int number)
{
	int fd = CHECK_OK(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, number));

	CHECK_OK(close(fd));
	return fd == number;
}

static void print_descriptors(FILE *out)
{
	fprintf(out, "descriptors:");
	for (int number = 0; number < DESCRIPTORS; number++)
		if (!is_free(number))
			fprintf(out, " %d", number);
	fprintf(out, "\n");
}

/* Print the lines of a file that contain @text. */
static void print_lines(FILE *out, const char *path, const char *text)
{
	FILE *file = fopen(path, "re");
	char line[512];

	CHECK(file);
	while (fgets(line, sizeof(line), file))
		if (strstr(line, text))
			fputs(line, out);
	fclose(file);
}

static void print_files(FILE *out, const char *pattern)
{
	char text[512];
	struct stat st;
	glob_t found;
	int ret = glob(pattern, 0, NULL, &found);

	if (ret == GLOB_NOMATCH)
		return;
	CHECK(!ret);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		CHECK_OK(stat(found.gl_pathv[i], &st));
		if (!S_ISREG(st.st_mode))
			continue;
		read_text(found.gl_pathv[i], text, sizeof(text));
		fprintf(out, "%s: %s", found.gl_pathv[i], text);
	}
	globfree(&found);
}

/*
 * Return a text that lists what is in use: descriptors, memory and module
 * references. Each context holds a reference to the PMU's module, and each open
 * file holds a reference to perfmon.ko.
 */
static char *holdings(void)
{
	static const char *const files[] = {
		"/sys/module/perfmon/refcnt", "/sys/module/pfm_*/refcnt",
		PFM_SYSFS "/*", PFM_SYSFS "/*/*", PFM_SYSFS "/*/*/*",
		PFM_SYSFS "/*/*/*/*",
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CHECK(out);
	print_descriptors(out);
	print_lines(out, "/proc/self/status", "VmPin:");
	print_lines(out, "/proc/vmallocinfo", "[perfmon]");
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		print_files(out, files[i]);
	CHECK(!fclose(out));
	return text;
}

/* Check that holdings() still returns the text @before, and free @before. */
static void expect_unchanged(const char *file, int line, const char *what,
			     char *before)
{
	char *now = holdings();

	if (strcmp(now, before)) {
		printf("# before:\n%s# after:\n%s", before, now);
		check_failed(file, line, "%s left something behind", what);
	}
	free(before);
	free(now);
}

/*
 * If this is set, REFUSED() only makes the calls, and does not call holdings().
 * This saves time.
 */
static bool only_calls;

/*
 * Compare what is in use after the first refused call and after the last one.
 * The state before the first one is not compared, because that call may load a
 * module or allocate memory that is kept.
 */
bool refusals_go_on(struct refusals *r)
{
	if (r->calls == 1 && !only_calls)
		r->before = holdings();
	if (r->calls++ < CALLS)
		return true;
	if (r->before)
		expect_unchanged(r->file, r->line, r->call, r->before);
	return false;
}

/*
 * Check that repeated rounds do not add slab objects. A leak adds objects in
 * each round. Other growth, for example of the kernel's own caches, ends after
 * some rounds.
 */
static void expect_no_growth(void (*run)(void *arg), void *arg)
{
	slab_begin();
	for (unsigned int round = 0; round < ROUNDS; round++) {
		reap(spawn(run, arg));
		if (!slab_has_grown(CALLS / 2))
			return;
	}
	check_failed(__FILE__, __LINE__, "refused calls leak memory");
}

void refusals_leave_nothing(void (*run)(void *arg), void *arg)
{
	char *before;

	/* The first process may load modules, so call holdings() after it. */
	only_calls = true;
	reap(spawn(run, arg));
	before = holdings();
	only_calls = false;
	reap(spawn(run, arg));
	only_calls = true;
	expect_unchanged(__FILE__, __LINE__, "the process", before);
	if (exists(KMEMLEAK))
		printf("# slab objects are not counted: kmemleak finds leaks on this kernel\n");
	else
		expect_no_growth(run, arg);
}
