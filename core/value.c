// SPDX-License-Identifier: GPL-2.0
/*
 * value.c - PMD values: 64-bit emulation (specification 3.1.3), reset values
 *	     (3.4.2), and the page that shows the values to user space (Eranian
 *	     2006, 8)
 *
 * While a context is loaded and not frozen, the values of the active set's PMDs
 * are in the hardware; for counters narrower than 64 bits, the upper part is in
 * pfm_pmd.value. While the context is not loaded, or is frozen, and for PMDs of
 * other sets, pfm_pmd.value is the whole value.
 */
#include "carta.h"
#include "context.h"
#include "pmu.h"
#include "value.h"

/* Is the value in the hardware? */
static bool pfm_pmd_is_live(const struct pfm_pmd *pmd)
{
	const struct pfm_context *ctx = pmd->ctx;
	u32 frozen = READ_ONCE(ctx->frozen);

	if (pfm_is_clock(pmd))
		frozen &= ~PFM_EXCLUDED;
	return ctx->loaded && !frozen &&
	       READ_ONCE(ctx->set) == pfm_evtset_of(pmd);
}

/*
 * Get the mask of the value's bits that are in the hardware: all bits if the
 * PMD is not a counter.
 */
static u64 pfm_pmd_hw_mask(const struct pfm_pmd *pmd)
{
	const struct pfm_reg_desc *desc = pmd->hw.desc;

	if (pfm_is_clock(pmd) || desc->read)
		return ~0ULL;
	return pfm_hw_mask(pmd->ctx->pmu);
}

/*
 * Counters only count up. If the value is below @least, which the counter had
 * already reached, the counter has wrapped, but the wrap is not yet in
 * pfm_pmd.value: add it.
 */
static u64 pfm_not_below(const struct pfm_pmd *pmd, u64 value, u64 least)
{
	if ((s64)(value - least) < 0)
		value += pfm_pmd_hw_mask(pmd) + 1;
	return value;
}

/* Combine the software part and the hardware part of a value. */
static u64 pfm_value_compose(const struct pfm_pmd *pmd, u64 soft, u64 hw)
{
	u64 mask = pfm_pmd_hw_mask(pmd);

	return pfm_not_below(pmd, (soft & ~mask) | (hw & mask), soft);
}

/*
 * Read a counter narrower than 64 bits, which may wrap or be reset while its
 * two parts are read.
 */
static u64 pfm_value_read_narrow(struct pfm_pmd *pmd)
{
	u64 soft, hw, value;
	u32 loads;

	do {
		loads = READ_ONCE(pmd->loads) & ~1;
		/* Both barriers pair with those in pfm_value_write_ovfl(). */
		smp_rmb();
		soft = READ_ONCE(pmd->value);
		hw = pmd->ctx->pmu->read_pmd(&pmd->hw);
		/* Complete these reads before @loads is read again. */
		smp_rmb();
	} while (loads != READ_ONCE(pmd->loads) ||
		 soft != READ_ONCE(pmd->value));
	value = pfm_value_compose(pmd, soft, hw);
	if (pmd->seen_loads == loads)
		value = pfm_not_below(pmd, value, pmd->seen);
	pmd->seen_loads = loads;
	pmd->seen = value;
	return value;
}

u64 pfm_value_read(struct pfm_pmd *pmd)
{
	u64 value;

	lockdep_assert_held(&pmd->ctx->mutex);
	if (!pfm_pmd_is_live(pmd))
		return pmd->value;
	if (~pfm_pmd_hw_mask(pmd))
		value = pfm_value_read_narrow(pmd);
	else
		value = pmd->ctx->pmu->read_pmd(&pmd->hw);
	/* An overflow may have frozen the PMD meanwhile. */
	return pfm_pmd_is_live(pmd) ? value : pmd->value;
}

/*
 * Load the hardware with the software value. Context: process, the PMU loaded
 * and not counting. Return: 0, or an error of the PMU.
 */
static int pfm_program_pmd(struct pfm_pmd *pmd)
{
	WRITE_ONCE(pmd->loads, pmd->loads + 2);
	return pmd->ctx->pmu->write_pmd(&pmd->hw,
					pmd->value & pfm_pmd_hw_mask(pmd));
}

int pfm_program_regs(struct pfm_context *ctx)
{
	struct pfm_pmd *pmd;
	int ret = 0;
	u16 i;

	lockdep_assert_held(&ctx->mutex);
	pfm_for_each_pmd(ctx->set, i, pmd) {
		int err = pfm_program_pmd(pmd);

		ret = ret ?: err;
	}
	return ret;
}

int pfm_value_write(struct pfm_pmd *pmd, u64 value)
{
	lockdep_assert_held(&pmd->ctx->mutex);
	pmd->value = value;
	return pfm_pmd_is_live(pmd) ? pfm_program_pmd(pmd) : 0;
}

u64 pfm_value_read_ovfl(struct pfm_pmd *pmd)
{
	struct pfm_pmu_reg *reg = &pmd->hw;
	u64 soft, hw;

	if (!pfm_pmd_is_live(pmd))
		return pmd->value;
	do {
		soft = READ_ONCE(pmd->value);
		pmd->ctx->pmu->read_pmds_ovfl(&reg, &hw, 1);
		/* An NMI may have added a wrap to the value: read again. */
	} while (soft != READ_ONCE(pmd->value));
	return pfm_value_compose(pmd, soft, hw);
}

int pfm_ovfl_read_pmd(struct pfm_ovfl_data *data, u16 num, u64 *value)
{
	struct pfm_context *ctx = container_of(data, struct pfm_context, data);
	int slot = pfm_pmu_find(ctx->pmu->pmds, ctx->pmu->num_pmds, num);
	struct pfm_pmd *pmd;

	if (slot < 0)
		return -EINVAL;
	pmd = pfm_pmd_find(ctx->set, slot);
	*value = pmd ? pfm_value_read_ovfl(pmd) : ctx->pmu->pmds[slot].dfl;
	return 0;
}
EXPORT_SYMBOL_GPL(pfm_ovfl_read_pmd);

/* Mark the page as being written: readers wait until it is complete. */
static void pfm_page_begin(struct pfm_evtset *set)
{
	set->page_seq |= 1;
	WRITE_ONCE(set->page->map_seq, set->page_seq);
	/* Pairs with the reader's fence before it rereads map_seq. */
	smp_wmb();
}

/*
 * Begin a change to the set's page, if it has one; pfm_publish() ends it.
 * Context: that of pfm_publish(), with interrupts off.
 */
static void pfm_unpublish(struct pfm_evtset *set)
{
	if (set->page)
		pfm_page_begin(set);
}

void pfm_value_write_ovfl(struct pfm_pmd *pmd, u64 value)
{
	const struct pfm_context *ctx = pmd->ctx;
	bool live = pfm_pmd_is_live(pmd);
	/*
	 * Other live PMDs need no change to the page, which shows PFM_MAP_LIVE
	 * for them, but no value.
	 */
	bool shown = live && (pmd->hw.desc->flags & PFM_REGD_MONOTONIC ||
			      pmd->hw.user_read);

	if (unlikely(shown))
		pfm_unpublish(pfm_evtset_of(pmd));
	WRITE_ONCE(pmd->loads, pmd->loads + 1);
	/* Both barriers pair with those in pfm_value_read_narrow(). */
	smp_wmb();
	WRITE_ONCE(pmd->value, value);
	if (live)
		ctx->pmu->reset_pmd(&pmd->hw, value & pfm_pmd_hw_mask(pmd),
				    pmd == ctx->reported);
	/* Complete the load before @loads is even again. */
	smp_wmb();
	WRITE_ONCE(pmd->loads, pmd->loads + 1);
	if (unlikely(shown))
		pfm_publish(pfm_evtset_of(pmd));
}

void pfm_note_reset(struct pfm_pmd *pmd, u64 value)
{
	pmd->last_reset = value;
	/*
	 * Stop expecting the report of an overflow that was already handled:
	 * the next report is about a later overflow.
	 */
	if (READ_ONCE(pmd->state) == PFM_KNOWN)
		cmpxchg(&pmd->state, PFM_KNOWN, PFM_QUIET);
	if (pmd->ovfl)
		pmd->ovfl->arg.pmd_last_reset = value;
}

u64 pfm_next_reset(struct pfm_pmd *pmd, u64 base)
{
	if (pmd->ovfl && pmd->ovfl->random)
		base += pfm_carta_draw(&pmd->random, pmd->random_mask);
	pfm_note_reset(pmd, base);
	return base;
}

u64 pfm_usual_period(const struct pfm_pmu_reg *reg)
{
	const struct pfm_pmd *pmd = container_of(reg, struct pfm_pmd, hw);
	u64 reset = pmd->short_reset;

	/*
	 * A reset value that sets a period is minus the period, so it is
	 * negative. If the short reset value sets no period, use the value that
	 * was last loaded.
	 */
	if ((s64)reset >= 0)
		reset = pmd->last_reset;
	return (s64)reset < 0 ? -reset : 0;
}
EXPORT_SYMBOL_GPL(pfm_usual_period);

void pfm_count_on(struct pfm_pmd *pmd)
{
	pfm_value_write_ovfl(pmd, pfm_value_read_ovfl(pmd));
}

static void pfm_add_reset_pmds(unsigned long *slots,
			       const struct pfm_pmd_ovfl *ovfl)
{
	u16 i;

	for (i = 0; i < ovfl->num_reset; i++)
		__set_bit(pfm_reset_slots(ovfl)[i], slots);
}

void pfm_reset_pmds(struct pfm_evtset *set, const unsigned long *slots,
		    bool long_reset)
{
	DECLARE_BITMAP(all, PFM_MAX_PMDS);
	struct pfm_pmd *pmd;
	unsigned int slot;

	bitmap_copy(all, slots, PFM_MAX_PMDS);
	for_each_set_bit(slot, slots, PFM_MAX_PMDS) {
		pmd = pfm_pmd_at(set, slot);
		if (pmd->ovfl)
			pfm_add_reset_pmds(all, pmd->ovfl);
	}
	for_each_set_bit(slot, all, PFM_MAX_PMDS) {
		pmd = pfm_pmd_at(set, slot);
		pfm_value_write_ovfl(pmd, pfm_next_reset(pmd, long_reset ?
							   pmd->long_reset :
							   pmd->short_reset));
	}
}

void pfm_note_sampling(struct pfm_context *ctx)
{
	struct pfm_pmd *pmd;
	bool values = false;
	u32 n = 0;
	u16 i;

	pfm_for_each_real_pmd(ctx->set, i, pmd) {
		n += pmd->hw.sampling;
		values |= pmd->ovfl && pmd->ovfl->arg.num_smpl_pmds;
	}
	WRITE_ONCE(ctx->several, n > 1);
	WRITE_ONCE(ctx->values, values);
}

/* Return how user space can read a PMD's value: PFM_MAP_*. */
static u8 pfm_where_is(const struct pfm_pmd *pmd, bool active)
{
	const struct pfm_context *ctx = pmd->ctx;
	u16 flags = pmd->hw.desc->flags;

	if (!active || READ_ONCE(ctx->frozen))
		return PFM_MAP_VALUE;
	if (flags & PFM_REGD_MONOTONIC && ctx->user_clock)
		return PFM_MAP_CLOCK;
	/* Stopped counters do not change; other PMDs may. */
	if (flags & PFM_REGD_COUNTER && !ctx->started)
		return PFM_MAP_VALUE;
	return pmd->hw.user_read && pmd->slot < PFM_MAP_COUNTERS ?
		       PFM_MAP_COUNTER + pmd->slot : PFM_MAP_LIVE;
}

static void pfm_page_show(pfm_set_page_t *page, u16 num, u8 state, u64 value)
{
	WRITE_ONCE(page->map_state[num], state);
	WRITE_ONCE(page->map_value[num], value);
}

static void pfm_page_write_pmd(pfm_set_page_t *page, struct pfm_pmd *pmd,
			       bool active)
{
	u8 state = pfm_where_is(pmd, active);
	u64 value = 0;

	if (state == PFM_MAP_VALUE)
		value = pfm_value_read_ovfl(pmd);
	else if (state != PFM_MAP_LIVE)
		value = pmd->hw.offset;
	pfm_page_show(page, pmd->hw.desc->num, state, value);
}

/* Write a PMD to the page, or its default value if it is not allocated. */
static void pfm_page_write_slot(pfm_set_page_t *page,
				const struct pfm_evtset *set, u16 slot,
				bool active)
{
	const struct pfm_reg_desc *desc = &pfm_context_of(set)->pmu->pmds[slot];
	struct pfm_pmd *pmd = pfm_pmd_at(set, slot);

	if (pmd)
		pfm_page_write_pmd(page, pmd, active);
	else
		pfm_page_show(page, desc->num, PFM_MAP_VALUE, desc->dfl);
}

void pfm_page_write(struct pfm_evtset *set)
{
	const struct pfm_context *ctx = pfm_context_of(set);
	bool active = ctx->loaded && READ_ONCE(ctx->set) == set;
	pfm_set_page_t *page = set->page;
	unsigned long irq;
	u16 i;

	/*
	 * Prevent a task switch, at which the probe of exclude.c would also
	 * write the page.
	 */
	local_irq_save(irq);
	pfm_page_begin(set);
	WRITE_ONCE(page->map_flags, active ? PFM_MAPFL_ACTIVE : 0);
	WRITE_ONCE(page->map_tid, ctx->reader.tid);
	WRITE_ONCE(page->map_pid_ns, ctx->reader.pid_ns);
	for (i = 0; i < set->pmu_set.num_regs - 1; i++)
		pfm_page_write_slot(page, set, i, active);
	/* Pairs with the reader's acquire of map_seq. */
	smp_wmb();
	WRITE_ONCE(page->map_seq, ++set->page_seq);
	local_irq_restore(irq);
}
