/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/**
 * DOC: User interface of perfmon 2.2, provided by libpfm22
 *
 * This is the interface of perfmon2x.h, except that pfm_create_context() takes
 * the UUID of the format in @ctx::
 *
 *	int pfm_create_context(pfarg_ctx_t *ctx, void *fmt_arg,
 *			       size_t fmt_arg_size);
 *
 * This function returns 0 and stores the descriptor in ctx_fd. The caller must
 * close the descriptor.
 */
#ifndef PERFMON_PERFMON22_H
#define PERFMON_PERFMON22_H

#define PERFMON_2_2
#include <perfmon/perfmon2x.h>

#endif /* PERFMON_PERFMON22_H */
