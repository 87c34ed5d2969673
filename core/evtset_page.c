// SPDX-License-Identifier: GPL-2.0
/*
 * evtset_page.c - pages with the PMDs of event sets, mapped into user space
 *		   (Eranian 2006, 8)
 *
 * For each PMD a page says how to read it (PFM_MAP_*):
 * - PFM_MAP_VALUE: the page has the value.
 * - PFM_MAP_CLOCK: the value is the clock minus an offset.
 * - PFM_MAP_COUNTER: the monitored thread can read a counter itself.
 * - PFM_MAP_LIVE: PFM_READ_PMDS must be used.
 *
 * A value is declared live before counting starts, and is shown in the page
 * only after counting has stopped. So no reader takes a stale value for a
 * current one.
 *
 * Only the owner of the context (owner.c) writes a page, so a page has one
 * writer at a time: if an overflow interrupts a command that is writing the
 * page, it finds the context frozen or owned, and does not write. The functions
 * that write are in value.c. The PMU description publishes the hardware
 * counters, on the CPU of the thread that reads them and independently of the
 * owner. So the published counters have their own sequence number. A PMD's
 * value is its hardware counter minus an offset, which only the owner changes
 * and writes to the page.
 */
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/time_namespace.h>
#include "buffer.h"
#include "context.h"
#include "evtset_page.h"
#include "value.h"

bool pfm_user_has_our_clock(void)
{
	struct timespec64 zero = {};

	timens_add_monotonic(&zero);
	return !zero.tv_sec && !zero.tv_nsec;
}

/* Show PMDs that hold data of samples: outside of a sample they are 0. */
static void pfm_page_show_data(struct pfm_evtset *set,
			       const struct pfm_pmu *pmu)
{
	u16 i;

	for (i = set->pmu_set.num_regs - 1; i < pmu->num_pmds; i++)
		set->page->map_state[pmu->pmds[i].num] = PFM_MAP_VALUE;
}

int pfm_page_create(struct pfm_evtset *set, const struct pfm_pmu *pmu)
{
	BUILD_BUG_ON(sizeof(*set->page) > PAGE_SIZE);
	set->page_buffer = pfm_buffer_create(sizeof(*set->page), 0, 0);
	if (!set->page_buffer)
		return -ENOMEM;
	set->page = pfm_buffer_start(set->page_buffer);
	set->page->map_set = set->id;
	set->page->map_num_pmds = pmu->num_pmds;
	pfm_page_show_data(set, pmu);
	pfm_page_write(set);
	return 0;
}

void pfm_show_counter(struct pfm_pmu_reg *reg, const pfm_map_counter_t *show)
{
	struct pfm_pmd *pmd = container_of(reg, struct pfm_pmd, hw);
	struct pfm_evtset *set = pfm_evtset_of(pmd);
	pfm_map_counter_t *c;

	if (!set->page || pmd->slot >= PFM_MAP_COUNTERS)
		return;
	c = &set->page->map_counter[pmd->slot];
	set->counter_seq += 2;
	WRITE_ONCE(c->cnt_seq, set->counter_seq - 1);
	/* The reader is interrupted or not running: no CPU barrier needed. */
	barrier();
	WRITE_ONCE(c->cnt_index, show->cnt_index);
	WRITE_ONCE(c->cnt_bits, show->cnt_bits);
	WRITE_ONCE(c->cnt_start, show->cnt_start);
	WRITE_ONCE(c->cnt_count, show->cnt_count);
	barrier();
	WRITE_ONCE(c->cnt_seq, set->counter_seq);
}
EXPORT_SYMBOL_GPL(pfm_show_counter);

u64 pfm_page_offset(const struct pfm_evtset *set)
{
	return set->page ? (set->id + 1ULL) << PAGE_SHIFT : 0;
}

struct pfm_buffer *pfm_page_at(struct pfm_context *ctx, unsigned long pgoff)
{
	struct pfm_buffer *page = NULL;
	struct pfm_evtset *set;

	/* Sets are removed under this lock before they are freed. */
	xa_lock(&ctx->sets);
	set = xa_load(&ctx->sets, pgoff - 1);
	if (set && set->page_buffer)
		page = pfm_buffer_get(set->page_buffer);
	xa_unlock(&ctx->sets);
	return page;
}
