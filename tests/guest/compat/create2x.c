// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * create2x.c - create contexts as perfmon 2.3 and later do: the caller gives
 *		the format's name, and the call returns the descriptor
 */
#include <perfmon/perfmon2x.h>

#include "check.h"
#include "compat2x.h"

int context(__u32 flags)
{
	pfarg_ctx_t ctx = { .ctx_flags = flags };

	return CHECK_OK(pfm_create_context(&ctx, NULL, NULL, 0));
}

int context_sampling(__u64 size)
{
	struct smpl_arg arg = { .buf_size = size };
	pfarg_ctx_t ctx = { .ctx_flags = 0 };

	return CHECK_OK(pfm_create_context(&ctx, "default", &arg, sizeof(arg)));
}

TEST(creation_refuses_what_2x_refuses)
{
	struct smpl_arg arg = { .buf_size = BUFFER };
	pfarg_ctx_t ctx = { .ctx_flags = 0 };

	CHECK_ERRNO(pfm_create_context(&ctx, "no-such", NULL, 0), EINVAL);
	CHECK_ERRNO(pfm_create_context(&ctx, "", NULL, 0), EINVAL);
	CHECK_ERRNO(pfm_create_context(&ctx, NULL, &arg, sizeof(arg)), EINVAL);
	CHECK_ERRNO(pfm_create_context(&ctx, "default", &arg, 8), EINVAL);
	ctx.reserved1 = 1;
	CHECK_ERRNO(pfm_create_context(&ctx, NULL, NULL, 0), EINVAL);
	ctx.reserved1 = 0;
	ctx.reserved2[6] = 1;
	CHECK_ERRNO(pfm_create_context(&ctx, NULL, NULL, 0), EINVAL);
}
