/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fixture.h - a context on the simulated PMU, attached to the test's thread
 */
#ifndef PFM_KUNIT_FIXTURE_H
#define PFM_KUNIT_FIXTURE_H

#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "block.h"
#include "context.h"
#include "create.h"
#include "evtset.h"
#include "load.h"
#include "msgq.h"
#include "owner.h"
#include "pfm_sim.h"
#include "regs.h"
#include "restart.h"
#include "scripted_format.h"

/* The short and the long reset value of fixture_sampling_counter(). */
#define SHORT_RESET	(-100ULL)
#define LONG_RESET	(-1000ULL)

/*
 * Keep the test's thread on CPU 0, so that samples contain this CPU's number.
 */
static inline void fixture_pin(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(0)), 0);
}

/* A context, which fixture_start() attaches to the test's own thread. */
struct fixture {
	struct pfm_context	*ctx;
	struct script		script;
};

static inline struct pfm_context *ctx_of(struct kunit *test)
{
	return ((struct fixture *)test->priv)->ctx;
}

/* Return a PMD of the active set, or NULL if it is not allocated yet. */
static inline struct pfm_pmd *fixture_pmd_of(struct pfm_context *ctx, u16 slot)
{
	return pfm_pmd_at(ctx->set, slot);
}

static inline void fixture_lock(struct pfm_context *ctx)
{
	mutex_lock(&ctx->mutex);
}

static inline void fixture_unlock(struct pfm_context *ctx)
{
	mutex_unlock(&ctx->mutex);
}

/*
 * Find event set @id. Return: the set, or NULL. The set stays valid after the
 * unlock, because no other thread uses the context.
 */
static inline struct pfm_evtset *fixture_find_set(struct pfm_context *ctx,
						  u16 id)
{
	struct pfm_evtset *set;

	fixture_lock(ctx);
	set = pfm_evtset_find(ctx, id);
	fixture_unlock(ctx);
	return set;
}

static inline bool fixture_is_blocked(struct pfm_context *ctx)
{
	bool blocked;

	fixture_lock(ctx);
	blocked = pfm_is_blocked(ctx);
	fixture_unlock(ctx);
	return blocked;
}

/*
 * Create a context as PFM_CREATE_CONTEXT does. Return: the context, or an
 * ERR_PTR.
 */
static inline struct pfm_context *fixture_context(const pfarg_ctx_t *req,
						  void *arg, size_t size)
{
	struct pfm_creation new = { .req = *req, .fmt_arg = arg,
				    .fmt_arg_size = size };
	struct pfm_context *ctx;
	int ret = pfm_creation_check(&new);

	if (ret)
		return ERR_PTR(ret);
	pfm_creation_find_fmt(&new);
	ctx = pfm_context_create(&new);
	pfm_creation_end(&new);
	return ctx;
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
	f->ctx = fixture_context(&req, NULL, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(f->ctx));
	test->priv = f;
	return f;
}

/* Create a context with a registered format. */
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
	f->ctx = fixture_context(&req, arg, size);
	KUNIT_ASSERT_FALSE(test, IS_ERR(f->ctx));
	test->priv = f;
	return f;
}

/*
 * The .init functions of suites: without a format, and with the scripted
 * format.
 */
static inline int fixture_init(struct kunit *test)
{
	fixture_create(test, 0, false);
	return 0;
}

static inline int fixture_init_scripted(struct kunit *test)
{
	fixture_create(test, 0, true);
	return 0;
}

/* The .exit of suites: release everything that a test left behind. */
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

/* Program a counter with @value as start value and as both reset values. */
static inline void fixture_counter(struct kunit *test, u16 num, u32 flags,
				   u64 value)
{
	fixture_pmc(test, (pfarg_pmc_t){ .reg_num = num, .reg_flags = flags });
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = num, .reg_value = value,
					 .reg_short_reset = value,
					 .reg_long_reset = value });
}

/*
 * Program a counter to overflow after 10 events, with different short and long
 * reset values.
 */
static inline void fixture_sampling_counter(struct kunit *test, u16 num,
					    u32 flags)
{
	fixture_pmc(test, (pfarg_pmc_t){ .reg_num = num, .reg_flags = flags });
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = num, .reg_value = -10,
					 .reg_short_reset = SHORT_RESET,
					 .reg_long_reset = LONG_RESET });
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

/*
 * Start with PMD0 at -100, and own the context as a command does, until the
 * test calls pfm_disown().
 */
static inline void fixture_start_owned(struct kunit *test, unsigned long *flags)
{
	struct fixture *f = test->priv;

	f->script.ctrl[0] = PFM_OVFL_CTRL_RESET;
	fixture_counter(test, 0, 0, -100ULL);
	fixture_start(test);
	fixture_lock(f->ctx);
	pfm_own(f->ctx, flags);
}

static inline void fixture_unload(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, pfm_unload_context(ctx_of(test)), 0);
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

/* Make PMD0 count @d0 events and, at the same time, PMD1 count @d1 events. */
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

/*
 * Report an overflow of PMD0 only, as a PMU does that has one interrupt per
 * counter.
 */
static inline void fixture_report_pmd0(struct kunit *test)
{
	struct pfm_pmd *pmd = fixture_pmd_of(ctx_of(test), 0);

	preempt_disable();
	pfm_overflow(&pmd->hw, 1, NULL, 0x1234);
	preempt_enable();
}

/*
 * Start on a PMU with 64-bit counters that reports each counter separately.
 * fixture_counter_is() sets the counters' values.
 */
static inline void fixture_start_one_by_one(struct kunit *test)
{
	static struct pfm_pmu one_by_one;
	struct pfm_context *ctx = ctx_of(test);

	one_by_one = *ctx->pmu;
	one_by_one.counter_width = 64;
	ctx->pmu = &one_by_one;
	fixture_start(test);
}

static inline void fixture_counter_is(struct kunit *test, int pmd, u64 value)
{
	*(u64 *)fixture_pmd_of(ctx_of(test), pmd)->hw.priv = value;
}

/* Report a counter's overflow, unless the core has already handled it. */
static inline void fixture_report(struct kunit *test, int num)
{
	struct pfm_pmd *pmd = fixture_pmd_of(ctx_of(test), num);
	u64 value = *(u64 *)pmd->hw.priv;

	preempt_disable();
	if ((s64)value >= 0 || !pfm_overflow_discard_known(&pmd->hw, value))
		pfm_overflow(&pmd->hw, value, NULL, 0x1234);
	preempt_enable();
}

/* Make PMD1 overflow inside the handler. To be used as script.during. */
static inline void fixture_overflow_inside(void)
{
	struct pfm_sim_tick tick = { .task = current, .ip = 0x77,
				     .delta = { 0, 12 } };

	pfm_sim_advance(&tick);
}

static inline int fixture_thread_main(void *unused)
{
	set_current_state(TASK_IDLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_IDLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* Start a kernel thread to be monitored. It never runs in user space. */
static inline struct task_struct *fixture_thread(void)
{
	return kthread_run(fixture_thread_main, NULL, "monitored");
}

/*
 * Ask a thread to exit. The caller must hold a reference to the thread. Return:
 * true if it has exited, false if it is waiting for a mutex.
 */
static inline bool fixture_thread_ends(struct task_struct *task)
{
	kthread_stop(task);
	while (!READ_ONCE(task->exit_state)) {
		if (READ_ONCE(task->blocked_on))
			return false;
		/*
		 * Sleep because nothing signals that a thread has begun to
		 * wait.
		 */
		schedule_timeout_uninterruptible(1);
	}
	return true;
}

/*
 * Remove the next message from the queue. Return: false if the queue is empty.
 */
static inline bool take_msg(struct pfm_msgq *q, pfm_msg_t *msg)
{
	unsigned long pos;

	return pfm_msgq_peek(q, msg, &pos) && pfm_msgq_take(q, pos);
}

static inline bool fixture_take_msg(struct fixture *f, pfm_msg_t *msg)
{
	return take_msg(&f->ctx->msgq, msg);
}

/* Check that exactly one message is queued, and that it reports @pmds. */
static inline void fixture_expect_one_message(struct kunit *test, u64 pmds)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	KUNIT_ASSERT_TRUE(test, fixture_take_msg(f, &msg));
	KUNIT_EXPECT_EQ(test, msg.ovfl.msg_ovfl_pmds[0], pmds);
	KUNIT_EXPECT_FALSE(test, fixture_take_msg(f, &msg));
}

#endif /* PFM_KUNIT_FIXTURE_H */
