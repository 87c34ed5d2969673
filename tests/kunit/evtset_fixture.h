/* SPDX-License-Identifier: GPL-2.0 */
/*
 * evtset_fixture.h - helpers for event sets, counters and commands
 */
#ifndef PFM_KUNIT_EVTSET_FIXTURE_H
#define PFM_KUNIT_EVTSET_FIXTURE_H

#include <linux/jiffies.h>
#include "context.h"
#include "evtset.h"
#include "evtset_switch.h"
#include "fixture.h"
#include "load.h"
#include "regs.h"

#define PERIOD	100
#define TICK	((u64)TICK_NSEC)
#define EXPL	PFM_SETFL_EXPL_NEXT
#define BY_TIME	PFM_SETFL_TIME_SWITCH
#define BY_OVFL	PFM_SETFL_OVFL_SWITCH
#define NOTIFY	PFM_REGFL_OVFL_NOTIFY

/* Run a vector command on one element. */
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

/*
 * Program a counter of a set. The start value, the short reset value and the
 * long reset value are all different.
 */
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

static inline void load_and_start(struct kunit *test, u16 set)
{
	KUNIT_ASSERT_EQ(test, load(test, set), 0);
	KUNIT_ASSERT_EQ(test, start(test, set), 0);
}

static inline void stop(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);

	fixture_lock(ctx);
	KUNIT_ASSERT_EQ(test, pfm_stop_monitoring(ctx), 0);
	fixture_unlock(ctx);
}

static inline int create_set(struct kunit *test, pfarg_setdesc_t *desc)
{
	return command(test, desc, pfm_create_evtset);
}

static inline int delete_set(struct kunit *test, pfarg_setdesc_t *desc)
{
	return command(test, desc, pfm_delete_evtset);
}

/*
 * Create a set. @ticks is its timeout, which matters only if the set switches
 * by time.
 */
static inline void make_set(struct kunit *test, u16 id, u32 flags, u16 next,
			    int ticks)
{
	pfarg_setdesc_t desc = {
		.set_id = id, .set_flags = flags, .set_id_next = next,
		.set_timeout.tv_nsec = ticks * TICK,
	};

	KUNIT_ASSERT_EQ(test, create_set(test, &desc), 0);
}

static inline pfarg_setinfo_t set_info(struct kunit *test, u16 id)
{
	pfarg_setinfo_t info = { .set_id = id };

	KUNIT_EXPECT_EQ(test, command(test, &info, pfm_getinfo_evtset), 0);
	return info;
}

static inline u64 nanoseconds(struct __kernel_timespec ts)
{
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static inline u64 remaining(struct kunit *test, u16 id)
{
	return nanoseconds(set_info(test, id).set_timeout);
}

static inline u64 duration(struct kunit *test, u16 id)
{
	return nanoseconds(set_info(test, id).set_act_duration);
}

static inline u64 unmeasured(struct kunit *test, u16 id)
{
	return nanoseconds(set_info(test, id).set_unmeasured);
}

static inline u16 active_set(struct kunit *test)
{
	return ctx_of(test)->set->id;
}

/*
 * Count events, then let time pass. If this makes the core switch sets, the
 * caller must then call pfm_finish_switch(), which programs the PMU.
 */
static inline void happen(struct kunit *test, u64 d0, u64 d1, u64 ns)
{
	struct pfm_sim_tick tick = { .task = current, .delta = { d0, d1 },
				     .ns = ns };

	KUNIT_ASSERT_EQ(test, pfm_sim_advance(&tick), 0);
}

static inline void count(struct kunit *test, u64 d0)
{
	happen(test, d0, 0, 0);
	pfm_finish_switch(ctx_of(test));
}

static inline void pass(struct kunit *test, u64 ns)
{
	happen(test, 0, 0, ns);
	pfm_finish_switch(ctx_of(test));
}

#endif /* PFM_KUNIT_EVTSET_FIXTURE_H */
