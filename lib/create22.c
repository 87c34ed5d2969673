// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * create22.c - pfm_create_context() of perfmon 2.2: formats by UUID
 */
#include <perfmon/perfmon.h>
#include <perfmon/perfmon2x.h>

#include "ioctl.h"

/* perfmon.h declares this symbol with other types, so use an alias. */
#pragma GCC visibility push(default)
int pfm22_create_context(struct pfm22_ctx *ctx, void *fmt_arg,
			 size_t fmt_arg_size) __asm__("pfm_create_context");
#pragma GCC visibility pop

/* The structure is passed to the kernel unchanged. */
PFM_STATIC_ASSERT(sizeof(struct pfm22_ctx) == sizeof(pfarg_ctx_t));

/* Return 0 as programs expect, and the descriptor in the structure. */
int pfm22_create_context(struct pfm22_ctx *ctx, void *fmt_arg,
			 size_t fmt_arg_size)
{
	return pfm_create_command((pfarg_ctx_t *)ctx, fmt_arg, fmt_arg_size);
}
