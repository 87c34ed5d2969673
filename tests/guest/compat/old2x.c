// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * old2x.c - a stand-in for the shared library of perfmon 2.x, whose system
 *	     calls no longer exist
 */
#include <errno.h>

static int gone(void)
{
	errno = ENOSYS;
	return -1;
}

#define GONE(call) int call(void) __attribute__((alias("gone")))

GONE(pfm_create_context);
GONE(pfm_write_pmcs);
GONE(pfm_write_pmds);
GONE(pfm_read_pmds);
GONE(pfm_load_context);
GONE(pfm_start);
GONE(pfm_stop);
GONE(pfm_restart);
GONE(pfm_unload_context);
GONE(pfm_create_evtsets);
GONE(pfm_delete_evtsets);
GONE(pfm_getinfo_evtsets);
