// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * nway_reader - print the samples of an n-way buffer
 *
 * FILE is a copy of a buffer. All samples must have VALUES PMD values. The
 * program prints one line for each sample: its region's sequence number and its
 * instruction pointer.
 *
 * To read a buffer to which the kernel still writes, map the context's file
 * descriptor read-only instead of FILE, and call pfm_read_nway_begin() with the
 * flag PFM_READ_LIVE. To get later samples, call pfm_read_nway_begin() again.
 *
 * usage: nway_reader FILE VALUES
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perfmon/perfmon_read_nway.h>

static void complain(const char *file, const struct pfm_read_problem *problem)
{
	fprintf(stderr, "%s: offset %#llx: %s %s\n", file,
		(unsigned long long)problem->offset, problem->what,
		pfm_read_text(problem));
}

/* Print the valid samples. Return: 0; -1 if this is not an n-way buffer. */
static int print_samples(const char *file, const void *buf, size_t size,
			 unsigned int values)
{
	const struct pfm_read_kind kind = { 0, PFM_READ_ANY_PMD, values };
	struct pfm_read_nway r;
	int got;

	if (pfm_read_nway_init(&r, &kind, 1) ||
	    pfm_read_nway_begin(&r, buf, size, 0)) {
		complain(file, &r.problem);
		return -1;
	}
	while ((got = pfm_read_nway_next(&r))) {
		if (got < 0)
			complain(file, &r.problem);
		else
			printf("%llu %#llx\n", (unsigned long long)r.seq,
			       (unsigned long long)r.entry.head.ip);
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int values;
	struct stat st;
	void *buf;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: nway_reader FILE VALUES\n");
		return 2;
	}
	values = (unsigned int)strtoul(argv[2], NULL, 10);
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		perror(argv[1]);
		return 1;
	}
	buf = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (buf == MAP_FAILED) {
		perror(argv[1]);
		return 1;
	}
	return print_samples(argv[1], buf, st.st_size, values) ? 1 : 0;
}
