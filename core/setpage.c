// SPDX-License-Identifier: GPL-2.0
/*
 * setpage.c - the PMDs of event sets in pages that user level maps (2006 paper, 8)
 *
 * What is in the hardware cannot be read from user level: perf ties the right to
 * its own mapping of an event, which events of the kernel's do not have. A page says
 * of each PMD whether it has the value, or the value is the clock less an offset, or
 * PFM_READ_PMDS has to be asked. Whoever starts something says that values are live
 * before they are, and that they are kept once they are: nobody reads a value that
 * has been counted on since.
 *
 * A page has one writer at a time, the owner of the context (overflow.c). What
 * interrupts a command that writes finds the context frozen, or owned.
 */
#include <linux/fs.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/time_namespace.h>
#include "core.h"

/* A process can be in a time namespace, where CLOCK_MONOTONIC is another. */
bool pfm_user_has_our_clock(void)
{
	struct timespec64 zero = {};

	timens_add_monotonic(&zero);
	return !zero.tv_sec && !zero.tv_nsec;
}

/*
 * Make the page of a new event set.
 * Context: process, may sleep. Return: 0; -ENOMEM, as pfm_buffer_create().
 */
int pfm_page_create(struct pfm_set *set, const struct pfm_pmu *pmu)
{
	void *page;
	size_t size;
	int ret;

	BUILD_BUG_ON(sizeof(*set->page) > PAGE_SIZE);
	ret = pfm_buffer_create(sizeof(*set->page), 0, &set->page_file, &page,
				&size);
	if (ret)
		return ret;
	set->page = page;
	set->page->map_set = set->id;
	set->page->map_num_pmds = pmu->num_pmds;
	pfm_page_write(set);
	return 0;
}

/* Offset of its mapping in bytes, or 0; sampling buffers are at 0 (B7). */
u64 pfm_page_offset(const struct pfm_set *set)
{
	return set->page ? (set->id + 1ULL) << PAGE_SHIFT : 0;
}

/*
 * What can be mapped at an offset in pages other than 0, a reference; or NULL.
 * Context: any but interrupts.
 */
struct file *pfm_page_at(struct pfm_context *ctx, unsigned long pgoff)
{
	struct file *file = NULL;
	struct pfm_set *set;

	/* Sets are taken out under this lock before they are freed. */
	xa_lock(&ctx->sets);
	set = xa_load(&ctx->sets, pgoff - 1);
	if (set && set->page_file)
		file = get_file(set->page_file);
	xa_unlock(&ctx->sets);
	return file;
}

/* Where the value of a PMD is: PFM_MAP_*. */
static u8 pfm_where_is(const struct pfm_pmd *pmd, bool active)
{
	const struct pfm_context *ctx = pmd->ctx;
	u16 flags = pmd->hw.desc->flags;

	if (!active || READ_ONCE(ctx->frozen))
		return PFM_MAP_VALUE;
	if (flags & PFM_REGD_MONOTONIC && ctx->user_clock)
		return PFM_MAP_CLOCK;
	/* Counters stand still; of the others, nobody knows. */
	return flags & PFM_REGD_COUNTER && !ctx->started ? PFM_MAP_VALUE :
							   PFM_MAP_LIVE;
}

static void pfm_page_write_pmd(pfm_set_page_t *page, struct pfm_pmd *pmd,
			       bool active)
{
	u16 num = pmd->hw.desc->num;
	u8 state = pfm_where_is(pmd, active);
	u64 value = 0;

	if (state == PFM_MAP_VALUE)
		value = pfm_pmd_get_ovfl(pmd);
	else if (state == PFM_MAP_CLOCK)
		value = pmd->hw.offset;
	WRITE_ONCE(page->map_state[num], state);
	WRITE_ONCE(page->map_value[num], value);
}

/* Write the page of a set that has one. Context: as pfm_publish(). */
void pfm_page_write(struct pfm_set *set)
{
	const struct pfm_context *ctx = set->pmds[0].ctx;
	bool active = ctx->loaded && READ_ONCE(ctx->set) == set;
	pfm_set_page_t *page = set->page;
	unsigned long irq;
	u16 i;

	/* No probe of the idle thread comes between (idle.c). */
	local_irq_save(irq);
	set->page_seq = (set->page_seq + 1) | 1;
	WRITE_ONCE(page->map_seq, set->page_seq);
	/* Pairs with the reader's fence before it reads the number again. */
	smp_wmb();
	WRITE_ONCE(page->map_flags, active ? PFM_MAPFL_ACTIVE : 0);
	for (i = 0; i < ctx->pmu->num_pmds; i++)
		pfm_page_write_pmd(page, &set->pmds[i], active);
	/* Pairs with the reader's acquire of the number. */
	smp_wmb();
	WRITE_ONCE(page->map_seq, ++set->page_seq);
	local_irq_restore(irq);
}

/*
 * The same for the active set, from a command. An overflow that is still under way
 * may want to write, too, if the context was masked and is not any more.
 * Context: process, pfm_context.mutex held.
 */
void pfm_publish_active(struct pfm_context *ctx)
{
	unsigned long flags;

	lockdep_assert_held(&ctx->mutex);
	if (likely(!ctx->set->page))
		return;
	pfm_own(ctx, &flags);
	pfm_page_write(ctx->set);
	pfm_disown(ctx, flags);
}
