/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fixture.h - a context on the simulated PMU, and a format that does as it is
 *	       told, for the suites
 */
#ifndef PFM_KUNIT_FIXTURE_H
#define PFM_KUNIT_FIXTURE_H

#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <perfmon/perfmon_fmt_sdk.h>
#include "context.h"
#include "load.h"
#include "pfm_sim.h"
#include "regs.h"
#include "restart.h"

#define SCRIPT_MAX	64

/* 0e9a3a5c-6c0e-4d0c-9d3e-0a4b7f1c2d11: this suite's own */
#define SCRIPT_UUID {							\
	0x0e, 0x9a, 0x3a, 0x5c, 0x6c, 0x0e, 0x4d, 0x0c,			\
	0x9d, 0x3e, 0x0a, 0x4b, 0x7f, 0x1c, 0x2d, 0x11 }

/* What the scripted format answers, and what it was asked. */
struct script {
	u32		ctrl[SCRIPT_MAX];	/* control bits of each call */
	int		ret[SCRIPT_MAX];
	u32		restart_ctrl;
	int		restart_ret;
	void		(*during)(void);	/* run inside the first call */
	int		calls;
	int		restarts;
	int		was_active;
	int		exits;
	bool		inside;
	bool		overlapped;
	pfm_ovfl_arg_t	arg[SCRIPT_MAX];
	u64		tstamp[SCRIPT_MAX];
	struct pfm_ovfl_data data[SCRIPT_MAX];
};

static struct script *script;

static int script_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
			  void *data)
{
	int n = script->calls++;

	script->overlapped |= script->inside;
	script->inside = true;
	script->arg[n] = *arg;
	script->tstamp[n] = tstamp;
	script->data[n] = *(struct pfm_ovfl_data *)data;
	if (!n && script->during)
		script->during();
	arg->ovfl_ctrl.val = script->ctrl[n];
	script->inside = false;
	return script->ret[n];
}

static int script_restart(void *buf, int is_active, pfm_ovfl_ctrl_t *ctrl)
{
	script->restarts++;
	script->was_active = is_active;
	ctrl->val = script->restart_ctrl;
	return script->restart_ret;
}

static int script_exit(void *buf)
{
	script->exits++;
	return 0;
}

static const pfm_buffer_fmt_t script_fmt = {
	.fmt_name	= "script",
	.fmt_uuid	= SCRIPT_UUID,
	.fmt_msgq_depth	= 2,
	.fmt_handler	= script_handler,
	.fmt_restart	= script_restart,
	.fmt_exit	= script_exit,
	.fmt_owner	= THIS_MODULE,
};

/* From here on the test's thread stays on CPU 0, which samples will name. */
static inline void fixture_pin(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(0)), 0);
}

/* A context in a test: attached to the test's own thread once started. */
struct fixture {
	struct pfm_context	*ctx;
	struct script		script;
};

static inline void fixture_lock(struct pfm_context *ctx)
{
	mutex_lock(&ctx->mutex);
}

static inline void fixture_unlock(struct pfm_context *ctx)
{
	mutex_unlock(&ctx->mutex);
}

static inline struct fixture *fixture_create(struct kunit *test, u32 flags,
					     bool with_fmt)
{
	static const pfm_uuid_t uuid = SCRIPT_UUID;
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	pfarg_ctx_t req = { .ctx_flags = flags };

	KUNIT_ASSERT_NOT_NULL(test, f);
	fixture_pin(test);
	script = &f->script;
	if (with_fmt) {
		memcpy(req.ctx_smpl_buf_id, uuid, sizeof(uuid));
		KUNIT_ASSERT_EQ(test, pfm_register_buffer_fmt(&script_fmt), 0);
	}
	f->ctx = pfm_context_create(&req, NULL, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(f->ctx));
	test->priv = f;
	return f;
}

/* A context with a registered format. */
static inline struct fixture *fixture_create_with(struct kunit *test,
						  const pfm_uuid_t uuid,
						  void *arg, size_t size)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	pfarg_ctx_t req = {};

	KUNIT_ASSERT_NOT_NULL(test, f);
	fixture_pin(test);
	script = &f->script;
	memcpy(req.ctx_smpl_buf_id, uuid, sizeof(pfm_uuid_t));
	f->ctx = pfm_context_create(&req, arg, size);
	KUNIT_ASSERT_FALSE(test, IS_ERR(f->ctx));
	test->priv = f;
	return f;
}

/* For a suite's .exit: whatever the test left is taken down. */
static inline void fixture_exit(struct kunit *test)
{
	struct fixture *f = test->priv;
	bool scripted;

	if (!f)
		return;
	scripted = f->ctx->fmt == &script_fmt;
	pfm_context_destroy(f->ctx);
	if (scripted)
		pfm_unregister_buffer_fmt(script_fmt.fmt_uuid);
}

static inline void fixture_pmc(struct kunit *test, pfarg_pmc_t pmc)
{
	struct fixture *f = test->priv;

	if (!pmc.reg_value)
		pmc.reg_value = 1;
	fixture_lock(f->ctx);
	KUNIT_ASSERT_EQ(test, pfm_write_pmc(f->ctx, &pmc), 0);
	fixture_unlock(f->ctx);
}

static inline void fixture_pmd(struct kunit *test, pfarg_pmd_t pmd)
{
	struct fixture *f = test->priv;

	fixture_lock(f->ctx);
	KUNIT_ASSERT_EQ(test, pfm_write_pmd(f->ctx, &pmd), 0);
	fixture_unlock(f->ctx);
}

/* A counter with the same period for all three reset values. */
static inline void fixture_counter(struct kunit *test, u16 num, u32 flags,
				   u64 value)
{
	fixture_pmc(test, (pfarg_pmc_t){ .reg_num = num, .reg_flags = flags });
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = num, .reg_value = value,
					 .reg_short_reset = value,
					 .reg_long_reset = value });
}

static inline void fixture_start_on(struct kunit *test,
				    struct task_struct *task)
{
	struct fixture *f = test->priv;
	pfarg_load_t load = { .load_pid = task_pid_vnr(task) };

	KUNIT_ASSERT_EQ(test, pfm_load_context(f->ctx, &load), 0);
	fixture_lock(f->ctx);
	KUNIT_ASSERT_EQ(test, pfm_start_monitoring(f->ctx, NULL), 0);
	fixture_unlock(f->ctx);
}

static inline void fixture_start(struct kunit *test)
{
	fixture_start_on(test, current);
}

static inline void fixture_unload(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_lock(f->ctx);
	KUNIT_ASSERT_EQ(test, pfm_unload_context(f->ctx), 0);
	fixture_unlock(f->ctx);
}

static inline int fixture_restart(struct kunit *test)
{
	struct fixture *f = test->priv;
	int ret;

	fixture_lock(f->ctx);
	ret = pfm_restart_context(f->ctx);
	fixture_unlock(f->ctx);
	return ret;
}

static inline pfarg_pmd_t fixture_read(struct kunit *test, u16 num)
{
	struct fixture *f = test->priv;
	pfarg_pmd_t pmd = { .reg_num = num };

	fixture_lock(f->ctx);
	KUNIT_EXPECT_EQ(test, pfm_read_pmd(f->ctx, &pmd), 0);
	fixture_unlock(f->ctx);
	return pmd;
}

static inline u64 fixture_value(struct kunit *test, u16 num)
{
	return fixture_read(test, num).reg_value;
}

/* One instant in which PMD0 counts @d0 and PMD1 counts @d1. */
static inline void fixture_count2(struct kunit *test, u64 d0, u64 d1)
{
	struct pfm_sim_tick tick = { .task = current, .ip = 0x1234,
				     .delta = { d0, d1 } };

	KUNIT_ASSERT_EQ(test, pfm_sim_advance(&tick), 0);
}

static inline void fixture_count(struct kunit *test, u64 d0)
{
	fixture_count2(test, d0, 0);
}

#endif /* PFM_KUNIT_FIXTURE_H */
