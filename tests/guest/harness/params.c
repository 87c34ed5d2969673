// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * params.c - module parameters and limits for the time of a test
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "check.h"
#include "files.h"
#include "params.h"

void with_param(const struct param_run *r)
{
	char path[128], old[32];
	int status;

	snprintf(path, sizeof(path), PFM_PARAMETERS "%s", r->name);
	read_text(path, old, sizeof(old));
	write_text(path, r->value);
	status = wait_for(spawn(r->run, r->arg));
	write_text(path, old);
	CHECK_EQ(status, 0);
}

void limit_locked_pages(unsigned int pages)
{
	const rlim_t bytes = pages * sysconf(_SC_PAGESIZE);
	const struct rlimit limit = { bytes, bytes };

	CHECK_OK(setrlimit(RLIMIT_MEMLOCK, &limit));
}

void with_locked_pages(unsigned int pages, void (*run)(void *arg))
{
	struct param_run r = { "paranoid", "0", run, NULL };

	limit_locked_pages(pages);
	with_param(&r);
}
