// SPDX-License-Identifier: GPL-2.0
/*
 * evtset_page_kunit.c - mapped pages with the PMDs of event sets (Eranian 2006,
 * 8)
 */
#include <linux/jiffies.h>
#include "buffer.h"
#include "context.h"
#include "evtset.h"
#include "evtset_fixture.h"
#include "evtset_page.h"
#include "evtset_switch.h"
#include "exclude.h"
#include "owner.h"

static const pfm_set_page_t *page_of(struct kunit *test, u16 set)
{
	return fixture_find_set(ctx_of(test), set)->page;
}

/* Create a set with a page. Return: the page's mmap offset. */
static u64 make_page(struct kunit *test, u16 id, u32 flags)
{
	pfarg_setdesc_t desc = { .set_id = id, .set_flags = flags,
				 .set_mmap_offset = 77,
				 .set_timeout.tv_nsec = 1 };

	KUNIT_ASSERT_EQ(test, command(test, &desc, pfm_create_evtset), 0);
	return desc.set_mmap_offset;
}

static void count_on(struct kunit *test, u64 events, bool irq)
{
	struct pfm_sim_tick tick = { .task = current, .irq = irq,
				     .delta = { events } };

	KUNIT_ASSERT_EQ(test, pfm_sim_advance(&tick), 0);
	/* Wait until the PMU has switched to the new set. */
	pfm_wait_kicks(ctx_of(test));
	pfm_finish_switch(ctx_of(test));
}

/* Check that a page is complete and agrees with PFM_READ_PMDS. */
static void expect_page(struct kunit *test, u16 set, u32 flags, u8 state)
{
	const struct pfm_pmu *pmu = ctx_of(test)->pmu;
	const pfm_set_page_t *page = page_of(test, set);
	u16 i, num, pmds = 0;

	KUNIT_EXPECT_EQ(test, page->map_seq % 2, 0);
	KUNIT_EXPECT_EQ(test, page->map_set, set);
	KUNIT_EXPECT_EQ(test, page->map_flags, flags);
	KUNIT_EXPECT_EQ(test, page->map_state[0], state);
	for (i = 0; i < pmu->num_pmds; i++) {
		num = pmu->pmds[i].num;
		if (page->map_state[num] == PFM_MAP_VALUE)
			KUNIT_EXPECT_EQ(test, page->map_value[num],
					value(test, set, num));
	}
	for (num = 0; num < PFM_MAX_PMDS; num++)
		pmds += page->map_state[num] != PFM_MAP_NONE;
	KUNIT_EXPECT_EQ(test, pmds, page->map_num_pmds);
	KUNIT_EXPECT_EQ(test, pmds, pmu->num_pmds);
}

static void expect_kept(struct kunit *test, u16 set, bool active)
{
	expect_page(test, set, active ? PFM_MAPFL_ACTIVE : 0, PFM_MAP_VALUE);
}

static void expect_live(struct kunit *test, u16 set)
{
	expect_page(test, set, PFM_MAPFL_ACTIVE, PFM_MAP_LIVE);
}

static void expect_value(struct kunit *test, u16 set, u64 value)
{
	KUNIT_EXPECT_EQ(test, page_of(test, set)->map_value[0], value);
}

static int evtset_page_init(struct kunit *test)
{
	fixture_create(test, PFM_FL_MAP_SETS, false);
	return 0;
}

/* Return whether a page can be mapped at this offset. */
static bool is_there(struct kunit *test, u64 offset)
{
	struct pfm_buffer *page = pfm_page_at(ctx_of(test),
					      offset >> PAGE_SHIFT);

	if (page)
		pfm_buffer_put(page);
	return page;
}

/* Proves P8-03 */
static void each_event_set_page_has_own_offset(struct kunit *test)
{
	pfarg_setinfo_t info = { .set_mmap_offset = 77 };
	u64 last = make_page(test, 0xffff, 0);

	KUNIT_ASSERT_EQ(test, command(test, &info, pfm_getinfo_evtset), 0);
	KUNIT_EXPECT_EQ(test, info.set_mmap_offset, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, last, 0x10000ULL << PAGE_SHIFT);
	KUNIT_EXPECT_TRUE(test, is_there(test, PAGE_SIZE));
	KUNIT_EXPECT_TRUE(test, is_there(test, last));
	KUNIT_EXPECT_FALSE(test, is_there(test, 2 * PAGE_SIZE));
	KUNIT_EXPECT_FALSE(test, is_there(test, last + PAGE_SIZE));
	KUNIT_EXPECT_PTR_NE(test, page_of(test, 0), page_of(test, 0xffff));
}

static void modified_event_set_keeps_page(struct kunit *test)
{
	u64 offset = make_page(test, 3, 0);
	const pfm_set_page_t *page = page_of(test, 3);

	KUNIT_EXPECT_EQ(test, make_page(test, 3, BY_OVFL), offset);
	KUNIT_EXPECT_PTR_EQ(test, page_of(test, 3), page);
}

static void deleted_event_set_page_cannot_be_mapped(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_id = 3 };
	u64 offset = make_page(test, 3, 0);

	KUNIT_ASSERT_EQ(test, command(test, &desc, pfm_delete_evtset), 0);
	KUNIT_EXPECT_FALSE(test, is_there(test, offset));
}

/* Proves P8-04 */
static void detached_set_page_has_values(struct kunit *test)
{
	make_page(test, 1, 0);
	expect_kept(test, 0, false);
	expect_kept(test, 1, false);
	make_counter(test, 1, 0, 0, 0);
	expect_kept(test, 0, false);
	expect_kept(test, 1, false);
	expect_value(test, 1, -PERIOD);
}

/* Proves P8-04 */
static void counting_set_page_is_live(struct kunit *test)
{
	make_page(test, 1, 0);
	make_counter(test, 0, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	expect_kept(test, 0, true);
	expect_kept(test, 1, false);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	expect_live(test, 0);
	count_on(test, 7, false);
	expect_live(test, 0);
	stop(test);
	expect_kept(test, 0, true);
	expect_value(test, 0, -PERIOD + 7);
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	expect_live(test, 0);
	count_on(test, 7, false);
	fixture_unload(test);
	expect_kept(test, 0, false);
	expect_value(test, 0, -PERIOD + 14);
}

/*
 * The page describes a counter only if the PMU allows the monitored thread to
 * read that counter.
 */
static void set_page_describes_user_readable_counter(struct kunit *test)
{
	const pfm_map_counter_t show = { .cnt_index = 3, .cnt_bits = 32,
					 .cnt_start = 5, .cnt_count = 6 };
	const pfm_set_page_t *page = page_of(test, 0);
	const pfm_map_counter_t *c = &page->map_counter[1];
	struct pfm_pmu_reg *reg;

	make_counter(test, 0, 1, 0, 0);
	reg = ctx_of(test)->set->regs[1];
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	reg->user_read = true;
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	KUNIT_EXPECT_EQ(test, page->map_state[1], PFM_MAP_COUNTER + 1);
	KUNIT_EXPECT_EQ(test, page->map_value[1], reg->offset);
	KUNIT_EXPECT_EQ(test, c->cnt_index, 0);
	pfm_show_counter(reg, &show);
	KUNIT_EXPECT_EQ(test, c->cnt_seq, 2);
	KUNIT_EXPECT_EQ(test, c->cnt_index, show.cnt_index);
	KUNIT_EXPECT_EQ(test, c->cnt_bits, show.cnt_bits);
	KUNIT_EXPECT_EQ(test, c->cnt_start, show.cnt_start);
	KUNIT_EXPECT_EQ(test, c->cnt_count, show.cnt_count);
	stop(test);
	KUNIT_EXPECT_EQ(test, page->map_state[1], PFM_MAP_VALUE);
}

/*
 * While the set is loaded, a PMD that does not count events is live, because it
 * may change at any time.
 */
static void loaded_set_page_marks_resources_live(struct kunit *test)
{
	const pfm_set_page_t *page = page_of(test, 0);

	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	KUNIT_EXPECT_EQ(test, page->map_state[PFM_PMD_RESIDENT], PFM_MAP_LIVE);
	KUNIT_EXPECT_EQ(test, page->map_state[PFM_PMD_TID], PFM_MAP_LIVE);
	fixture_unload(test);
	KUNIT_EXPECT_EQ(test, page->map_state[PFM_PMD_RESIDENT], PFM_MAP_VALUE);
}

/* Proves P8-05 */
static void set_page_has_values_after_switch(struct kunit *test)
{
	make_page(test, 0, BY_OVFL);
	make_page(test, 1, BY_OVFL);
	make_counter(test, 0, 0, 0, 1);
	make_counter(test, 1, 0, 0, 1);
	load_and_start(test, 0);
	count_on(test, PERIOD + 5, true);
	expect_kept(test, 0, false);
	expect_value(test, 0, 5);
	expect_live(test, 1);
	count_on(test, PERIOD + 6, true);
	expect_kept(test, 1, false);
	expect_value(test, 1, 6);
	/* The counter of set 0 was reset when the set became active again. */
	expect_live(test, 0);
	stop(test);
	expect_kept(test, 0, true);
	expect_value(test, 0, -2 * PERIOD);
}

/*
 * Check the pages after the interrupt that switches sets, but before the work
 * item programs the PMU.
 */
static void set_pages_are_updated_in_switch_interrupt(struct kunit *test)
{
	struct pfm_sim_tick tick = { .task = current, .ns = TICK_NSEC,
				     .delta = { 3 } };
	const pfm_set_page_t *first, *second;

	make_page(test, 0, BY_TIME);
	make_page(test, 1, 0);
	make_counter(test, 0, 0, 0, 0);
	make_counter(test, 1, 0, 0, 0);
	load_and_start(test, 0);
	first = page_of(test, 0);
	second = page_of(test, 1);
	/* The lock delays the work item that programs the PMU. */
	fixture_lock(ctx_of(test));
	KUNIT_ASSERT_EQ(test, pfm_sim_advance(&tick), 0);
	KUNIT_EXPECT_EQ(test, first->map_state[0], PFM_MAP_VALUE);
	KUNIT_EXPECT_EQ(test, first->map_flags, 0);
	KUNIT_EXPECT_EQ(test, second->map_state[0], PFM_MAP_VALUE);
	KUNIT_EXPECT_EQ(test, second->map_flags, PFM_MAPFL_ACTIVE);
	KUNIT_EXPECT_EQ(test, first->map_value[0], (u64)-PERIOD + 3);
	KUNIT_EXPECT_EQ(test, second->map_value[0], (u64)-PERIOD);
	fixture_unlock(ctx_of(test));
	pfm_finish_switch(ctx_of(test));
	expect_kept(test, 0, false);
	expect_live(test, 1);
}

static void set_page_stays_live_on_switch_to_itself(struct kunit *test)
{
	make_page(test, 0, BY_OVFL);
	make_counter(test, 0, 0, 0, 1);
	load_and_start(test, 0);
	count_on(test, PERIOD, true);
	expect_live(test, 0);
	KUNIT_EXPECT_EQ(test, fixture_find_set(ctx_of(test), 0)->runs, 2);
}

static void set_page_keeps_values_while_masked(struct kunit *test)
{
	make_counter(test, 0, 0, NOTIFY, 0);
	load_and_start(test, 0);
	count_on(test, PERIOD + 4, true);
	expect_kept(test, 0, true);
	expect_value(test, 0, 4);
	/* While the context is masked, events are discarded. */
	count_on(test, 9, false);
	expect_kept(test, 0, true);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_value = 1000,
					 .reg_long_reset = -3 * PERIOD });
	expect_kept(test, 0, true);
	expect_value(test, 0, 1000);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	expect_live(test, 0);
	stop(test);
	expect_value(test, 0, -3 * PERIOD);
}

static void set_page_after_switching_restart(struct kunit *test)
{
	make_page(test, 0, BY_OVFL);
	make_page(test, 1, 0);
	make_counter(test, 0, 0, NOTIFY, 1);
	make_counter(test, 1, 0, 0, 0);
	load_and_start(test, 0);
	count_on(test, PERIOD + 4, true);
	expect_kept(test, 0, true);
	KUNIT_ASSERT_EQ(test, fixture_restart(test), 0);
	expect_kept(test, 0, false);
	expect_value(test, 0, 4);
	expect_live(test, 1);
}

static void set_page_shows_pmd_writes_in_all_states(struct kunit *test)
{
	make_page(test, 1, 0);
	make_counter(test, 0, 0, 0, 0);
	make_counter(test, 1, 0, 0, 0);
	load_and_start(test, 0);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_set = 1,
					 .reg_value = 1ULL << 40 });
	expect_kept(test, 1, false);
	expect_value(test, 1, 1ULL << 40);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_value = 3ULL << 40 });
	expect_live(test, 0);
	stop(test);
	expect_value(test, 0, 3ULL << 40);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_value = 5ULL << 40 });
	expect_kept(test, 0, true);
	expect_value(test, 0, 5ULL << 40);
}

static void set_page_keeps_values_on_start_of_other_set(struct kunit *test)
{
	make_page(test, 1, 0);
	make_counter(test, 0, 0, 0, 0);
	make_counter(test, 1, 0, 0, 0);
	load_and_start(test, 0);
	count_on(test, 5, false);
	stop(test);
	KUNIT_ASSERT_EQ(test, start(test, 1), 0);
	expect_kept(test, 0, false);
	expect_value(test, 0, -PERIOD + 5);
	expect_live(test, 1);
}

/* Proves P8-06 */
static void set_page_sequence_changes_with_each_update(struct kunit *test)
{
	const pfm_set_page_t *page = page_of(test, 0);
	u32 seq = page->map_seq;

	make_counter(test, 0, 0, NOTIFY, 0);
	KUNIT_EXPECT_NE(test, page->map_seq, seq);
	KUNIT_ASSERT_EQ(test, load(test, 0), 0);
	seq = page->map_seq;
	KUNIT_ASSERT_EQ(test, start(test, 0), 0);
	KUNIT_EXPECT_NE(test, page->map_seq, seq);
	/* Counting does not change the page. */
	seq = page->map_seq;
	count_on(test, 1, false);
	KUNIT_EXPECT_EQ(test, page->map_seq, seq);
	count_on(test, PERIOD, true);
	KUNIT_EXPECT_NE(test, page->map_seq, seq);
	KUNIT_EXPECT_EQ(test, page->map_seq % 2, 0);
}

static void set_page_keeps_values_while_idle_excluded(struct kunit *test)
{
	struct pfm_context *ctx = ctx_of(test);
	unsigned long flags;

	make_counter(test, 0, 0, 0, 0);
	make_page(test, 0, PFM_SETFL_EXCL_IDLE);
	load_and_start(test, 0);
	count_on(test, 5, false);
	local_irq_save(flags);
	pfm_exclusion_changed(ctx, true);
	local_irq_restore(flags);
	expect_kept(test, 0, true);
	expect_value(test, 0, -PERIOD + 5);
	local_irq_save(flags);
	pfm_exclusion_changed(ctx, false);
	local_irq_restore(flags);
	expect_live(test, 0);
}

static struct kunit_case evtset_page_cases[] = {
	KUNIT_CASE(each_event_set_page_has_own_offset),
	KUNIT_CASE(modified_event_set_keeps_page),
	KUNIT_CASE(deleted_event_set_page_cannot_be_mapped),
	KUNIT_CASE(detached_set_page_has_values),
	KUNIT_CASE(counting_set_page_is_live),
	KUNIT_CASE(set_page_describes_user_readable_counter),
	KUNIT_CASE(loaded_set_page_marks_resources_live),
	KUNIT_CASE(set_page_has_values_after_switch),
	KUNIT_CASE(set_pages_are_updated_in_switch_interrupt),
	KUNIT_CASE(set_page_stays_live_on_switch_to_itself),
	KUNIT_CASE(set_page_keeps_values_while_masked),
	KUNIT_CASE(set_page_after_switching_restart),
	KUNIT_CASE(set_page_shows_pmd_writes_in_all_states),
	KUNIT_CASE(set_page_keeps_values_on_start_of_other_set),
	KUNIT_CASE(set_page_sequence_changes_with_each_update),
	KUNIT_CASE(set_page_keeps_values_while_idle_excluded),
	{}
};

static struct kunit_suite evtset_page_suite = {
	.name = "pfm_evtset_page",
	.init = evtset_page_init,
	.exit = fixture_exit,
	.test_cases = evtset_page_cases,
};

/* Create a context without PFM_FL_MAP_SETS. */

static int no_page_init(struct kunit *test)
{
	fixture_create(test, 0, false);
	return 0;
}

/* Proves P8-02 */
static void no_set_pages_without_map_sets_flag(struct kunit *test)
{
	pfarg_setinfo_t info = { .set_mmap_offset = 77 };

	KUNIT_EXPECT_EQ(test, make_page(test, 1, 0), 0ULL);
	KUNIT_ASSERT_EQ(test, command(test, &info, pfm_getinfo_evtset), 0);
	KUNIT_EXPECT_EQ(test, info.set_mmap_offset, 0ULL);
	KUNIT_EXPECT_FALSE(test, is_there(test, PAGE_SIZE));
	KUNIT_EXPECT_FALSE(test, is_there(test, 2 * PAGE_SIZE));
	KUNIT_EXPECT_NULL(test, page_of(test, 1));
}

static struct kunit_case no_page_cases[] = {
	KUNIT_CASE(no_set_pages_without_map_sets_flag),
	{}
};

static struct kunit_suite no_page_suite = {
	.name = "pfm_evtset_page_none",
	.init = no_page_init,
	.exit = fixture_exit,
	.test_cases = no_page_cases,
};

kunit_test_suites(&evtset_page_suite, &no_page_suite);
