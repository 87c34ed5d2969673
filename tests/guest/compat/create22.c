// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * create22.c - create contexts as perfmon 2.2 does: the caller gives the
 *		format's UUID, and pfarg_ctx_t returns the descriptor
 */
#include <string.h>

#include <perfmon/perfmon22.h>

#include "check.h"
#include "compat2x.h"

/* The default format's UUID, as published with 2.2. */
static const pfm_uuid_t default_uuid = {
	0xd1, 0x39, 0xb2, 0x9e, 0x62, 0xe8, 0x40, 0xe4,
	0xb4, 0x02, 0x73, 0x07, 0x87, 0x92, 0xe9, 0x37,
};

int context(__u32 flags)
{
	pfarg_ctx_t ctx = { .ctx_flags = flags };

	CHECK_EQ(pfm_create_context(&ctx, NULL, 0), 0);
	return ctx.ctx_fd;
}

static pfarg_ctx_t sampling(void)
{
	pfarg_ctx_t ctx = { .ctx_flags = 0 };

	memcpy(ctx.ctx_smpl_buf_id, default_uuid, sizeof(default_uuid));
	return ctx;
}

int context_sampling(__u64 size)
{
	struct smpl_arg arg = { .buf_size = size };
	pfarg_ctx_t ctx = sampling();

	CHECK_EQ(pfm_create_context(&ctx, &arg, sizeof(arg)), 0);
	CHECK_EQ(ctx.ctx_smpl_buf_size, size);
	return ctx.ctx_fd;
}

TEST(creation_refuses_what_2_2_refuses)
{
	struct smpl_arg arg = { .buf_size = BUFFER };
	pfarg_ctx_t ctx = sampling();

	CHECK_ERRNO(pfm_create_context(&ctx, NULL, 0), EINVAL);
	CHECK_ERRNO(pfm_create_context(&ctx, &arg, 8), EINVAL);
	ctx.reserved[11] = 1;
	CHECK_ERRNO(pfm_create_context(&ctx, &arg, sizeof(arg)), EINVAL);
	ctx = sampling();
	ctx.ctx_smpl_buf_id[0]++;
	CHECK_ERRNO(pfm_create_context(&ctx, &arg, sizeof(arg)), EINVAL);
	memset(&ctx, 0, sizeof(ctx));
	CHECK_ERRNO(pfm_create_context(&ctx, &arg, sizeof(arg)), EINVAL);
}
