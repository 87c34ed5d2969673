// SPDX-License-Identifier: MIT OR GPL-2.0
/* times.c - elapsed time of a measurement, CPU time of its command */
#define _GNU_SOURCE
#include <sys/resource.h>

#include "times.h"
#include "util.h"

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 +
	       (uint64_t)time.tv_usec * 1000;
}

struct times times_read(void)
{
	struct rusage children;

	getrusage(RUSAGE_CHILDREN, &children);
	return (struct times){
		.elapsed = clock_ns(CLOCK_MONOTONIC),
		.user = ns_of(children.ru_utime),
		.system = ns_of(children.ru_stime),
	};
}

struct times times_since(const struct times *start)
{
	struct times now = times_read();

	return (struct times){
		.elapsed = now.elapsed - start->elapsed,
		.user = now.user - start->user,
		.system = now.system - start->system,
	};
}
