/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sets.h - event sets in tests: counters in them, commands on them
 */
#ifndef PFM_KUNIT_SETS_H
#define PFM_KUNIT_SETS_H

#include "context.h"
#include "fixture.h"
#include "load.h"
#include "regs.h"

#define PERIOD	100
#define BY_TIME	PFM_SETFL_TIME_SWITCH
#define BY_OVFL	PFM_SETFL_OVFL_SWITCH
#define NOTIFY	PFM_REGFL_OVFL_NOTIFY

static inline struct pfm_context *ctx_of(struct kunit *test)
{
	return ((struct fixture *)test->priv)->ctx;
}

/* One element of a command. */
static inline int command(struct kunit *test, void *elem,
			  int (*cmd)(struct pfm_context *ctx, void *elem))
{
	struct pfm_context *ctx = ctx_of(test);
	int ret;

	fixture_lock(ctx);
	ret = cmd(ctx, elem);
	fixture_unlock(ctx);
	return ret;
}

/* A counter of a set, with three different reset values. */
static inline void make_counter(struct kunit *test, u16 set, u16 num, u32 flags,
				u64 thres)
{
	fixture_pmc(test, (pfarg_pmc_t){ .reg_num = num, .reg_set = set,
					 .reg_flags = flags });
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = num, .reg_set = set,
					 .reg_value = -PERIOD,
					 .reg_short_reset = -2 * PERIOD,
					 .reg_long_reset = -3 * PERIOD,
					 .reg_ovflsw_thres = thres });
}

static inline pfarg_pmd_t read(struct kunit *test, u16 set, u16 num)
{
	pfarg_pmd_t pmd = { .reg_num = num, .reg_set = set };

	KUNIT_EXPECT_EQ(test, command(test, &pmd, pfm_read_pmd), 0);
	return pmd;
}

static inline u64 value(struct kunit *test, u16 set, u16 num)
{
	return read(test, set, num).reg_value;
}

static inline int load(struct kunit *test, u16 set)
{
	pfarg_load_t load = { .load_pid = task_pid_vnr(current),
			      .load_set = set };

	return pfm_load_context(ctx_of(test), &load);
}

static inline int start(struct kunit *test, u16 set)
{
	struct pfm_context *ctx = ctx_of(test);
	pfarg_start_t req = { .start_set = set };
	int ret;

	fixture_lock(ctx);
	ret = pfm_start_monitoring(ctx, &req);
	fixture_unlock(ctx);
	return ret;
}

static inline void stop(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);

	fixture_lock(ctx);
	KUNIT_ASSERT_EQ(test, pfm_stop_monitoring(ctx), 0);
	fixture_unlock(ctx);
}

#endif /* PFM_KUNIT_SETS_H */
