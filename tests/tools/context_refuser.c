// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * context_refuser - set up a context with a kernel that refuses it
 *
 * usage: context_refuser CREATE SETS LOAD PMC FLAGS [pfmon's options] [CMD]
 *
 * CREATE, SETS and LOAD are the errnos with which the creation of a context,
 * the creation of event sets after the first one, and the attachment to a
 * thread fail, or 0. Writing the PMC with this number fails, and returns the
 * flags; all other registers can be written. Reading the times of event sets
 * also fails.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "options/options.h"
#include "session/evtset.h"
#include "session/lifetime.h"

static int create_error, sets_error, load_error;
static int bad_pmc;
static uint32_t bad_flags;

/* The linker redirects calls of X() to __wrap_X(). */
int __wrap_pfm_create_context(pfarg_ctx_t *ctx, void *arg, size_t size);
int __wrap_pfm_create_evtsets(int fd, pfarg_setdesc_t *sets, int count);
int __wrap_pfm_load_context(int fd, pfarg_load_t *load);
int __wrap_pfm_write_pmcs(int fd, pfarg_pmc_t *pmcs, int count);
int __wrap_pfm_write_pmds(int fd, pfarg_pmd_t *pmds, int count);

int __wrap_pfm_create_context(pfarg_ctx_t *ctx, void *arg, size_t size)
{
	(void)ctx;
	(void)arg;
	(void)size;
	errno = create_error;
	return errno ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int __wrap_pfm_create_evtsets(int fd, pfarg_setdesc_t *sets, int count)
{
	(void)fd;
	(void)count;
	errno = sets->set_id ? sets_error : 0;
	return errno ? -1 : 0;
}

int __wrap_pfm_load_context(int fd, pfarg_load_t *load)
{
	(void)fd;
	(void)load;
	errno = load_error;
	return errno ? -1 : 0;
}

int __wrap_pfm_write_pmcs(int fd, pfarg_pmc_t *pmcs, int count)
{
	(void)fd;
	for (int i = 0; i < count; i++) {
		if (pmcs[i].reg_num != bad_pmc)
			continue;
		pmcs[i].reg_flags |= bad_flags;
		errno = EINVAL;
		return -1;
	}
	return 0;
}

int __wrap_pfm_write_pmds(int fd, pfarg_pmd_t *pmds, int count)
{
	(void)fd;
	(void)pmds;
	(void)count;
	return 0;
}

int main(int argc, char **argv)
{
	struct options options;
	struct context context;
	struct plan plan;

	if (argc < 6)
		return 2;
	create_error = atoi(argv[1]);
	sets_error = atoi(argv[2]);
	load_error = atoi(argv[3]);
	bad_pmc = atoi(argv[4]);
	bad_flags = (uint32_t)strtoul(argv[5], NULL, 0);
	argv[5] = argv[0];
	if (!options_parse(&options, argc - 5, argv + 5) ||
	    !plan_init(&plan, &options))
		return 2;
	return context_open(&context, &plan, 0, NO_CPU) &&
	       context_load(&context, getpid()) &&
	       evtsets_read(&context) ? 0 : 1;
}
