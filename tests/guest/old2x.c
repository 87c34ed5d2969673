// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * old2x.c - in the place of the shared library of then: its system calls are not
 *	     there any more
 */
#include <errno.h>

#include <perfmon/perfmon2x.h>

#define GONE(declaration)						\
	int declaration							\
	{								\
		errno = ENOSYS;						\
		return -1;						\
	}

GONE(pfm_create_context(pfarg_ctx_t *ctx, char *fmt_name, void *fmt_arg,
			size_t fmt_arg_size))
GONE(pfm_write_pmcs(int fd, pfarg_pmc_t *pmcs, int n))
GONE(pfm_write_pmds(int fd, pfarg_pmd_t *pmds, int n))
GONE(pfm_read_pmds(int fd, pfarg_pmd_t *pmds, int n))
GONE(pfm_load_context(int fd, pfarg_load_t *load))
GONE(pfm_start(int fd, pfarg_start_t *start))
GONE(pfm_stop(int fd))
GONE(pfm_restart(int fd))
GONE(pfm_unload_context(int fd))
GONE(pfm_create_evtsets(int fd, pfarg_setdesc_t *sets, int n))
GONE(pfm_delete_evtsets(int fd, pfarg_setdesc_t *sets, int n))
GONE(pfm_getinfo_evtsets(int fd, pfarg_setinfo_t *sets, int n))
