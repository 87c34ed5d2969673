/* SPDX-License-Identifier: GPL-2.0 */
/*
 * share_fixture.h - a family that samples on the simulated PMU, with a scripted
 * format that has a buffer
 */
#ifndef PFM_KUNIT_SHARE_FIXTURE_H
#define PFM_KUNIT_SHARE_FIXTURE_H

#include "family_fixture.h"

/* 0e9a3a5c-6c0e-4d0c-9d3e-0a4b7f1c2d12 */
#define SHARED_UUID {							\
	0x0e, 0x9a, 0x3a, 0x5c, 0x6c, 0x0e, 0x4d, 0x0c,			\
	0x9d, 0x3e, 0x0a, 0x4b, 0x7f, 0x1c, 0x2d, 0x12 }

/* The number of events before the first overflow. */
#define PERIOD	10

static int shared_getsize(u32 flags, void *arg, size_t *size)
{
	*size = PAGE_SIZE;
	return 0;
}

/* Called in fmt_restart, unless it is NULL. */
static void (*during_restart)(void);

static int shared_restart(void *buf, int is_active, pfm_ovfl_ctrl_t *ctrl)
{
	if (during_restart)
		during_restart();
	return script_restart(buf, is_active, ctrl);
}

static const pfm_buffer_fmt_t shared_fmt = {
	.fmt_name	= "shared",
	.fmt_uuid	= SHARED_UUID,
	.fmt_msgq_depth	= 2,
	.fmt_getsize	= shared_getsize,
	.fmt_handler	= script_handler,
	.fmt_restart	= shared_restart,
	.fmt_exit	= script_exit,
};

/* Start a family in which PMD0 and PMD1 sample. Only PMD0 notifies. */
static inline int share_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = SHARED_UUID;
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	pfarg_ctx_t req = { .ctx_flags = PFM_FL_INHERIT };
	int i;

	KUNIT_ASSERT_NOT_NULL(test, f);
	fixture_pin(test);
	script = &f->script;
	for (i = 0; i < SCRIPT_MAX; i++)
		f->script.ctrl[i] = PFM_OVFL_CTRL_RESET;
	during_restart = NULL;
	memcpy(req.ctx_smpl_buf_id, uuid, sizeof(uuid));
	KUNIT_ASSERT_EQ(test, pfm_register_buffer_fmt(&shared_fmt), 0);
	f->ctx = fixture_context(&req, NULL, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(f->ctx));
	test->priv = f;
	fixture_sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	fixture_sampling_counter(test, 1, 0);
	KUNIT_ASSERT_EQ(test, family_load(test), 0);
	KUNIT_ASSERT_EQ(test, family_do(test, family_start), 0);
	return 0;
}

static inline void share_exit(struct kunit *test)
{
	family_exit(test);
	pfm_unregister_buffer_fmt(shared_fmt.fmt_uuid);
}

/* Return PMD0 of a child's context. */
static inline struct pfm_pmd *pmd_of(const struct child *c)
{
	struct pfm_context *ctx = pfm_attach_get_thread(c->task);

	pfm_context_put(ctx);
	return pfm_pmd_at(ctx->set, 0);
}

#endif /* PFM_KUNIT_SHARE_FIXTURE_H */
