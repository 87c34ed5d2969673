// SPDX-License-Identifier: GPL-2.0
/*
 * charge.c - memlock accounting
 *
 * Charging takes no lock, in particular not the mmap_lock of the charged
 * process, which may be held for a long time.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/export.h>
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include "charge.h"

bool pfm_charge_within(atomic_long_t *used, unsigned long n, unsigned long max)
{
	long old = atomic_long_read(used);

	do {
		if (n > max || (unsigned long)old > max - n)
			return false;
	} while (!atomic_long_try_cmpxchg(used, &old, old + n));
	return true;
}

/*
 * Add @pages to @used unless the sum, together with @taken pages of other
 * memory, exceeds RLIMIT_MEMLOCK. CAP_IPC_LOCK lifts the limit. Return: true if
 * added.
 */
static bool pfm_charge_locked(atomic_long_t *used, unsigned long pages,
			      unsigned long taken)
{
	unsigned long max = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;

	if (taken <= max && pfm_charge_within(used, pages, max - taken))
		return true;
	return capable(CAP_IPC_LOCK) &&
	       pfm_charge_within(used, pages, LONG_MAX);
}

static bool pfm_charge_pages(struct pfm_charge *c, unsigned long pages)
{
	struct mm_struct *mm = c->mm;

	if (!pages)
		return true;
	if (!pfm_charge_locked(&c->user->locked_vm, pages, 0))
		return false;
	if (!mm || pfm_charge_locked(&mm->pinned_vm, pages,
				     READ_ONCE(mm->locked_vm)))
		return true;
	atomic_long_sub(pages, &c->user->locked_vm);
	return false;
}

static void pfm_uncharge_pages(struct pfm_charge *c, unsigned long pages)
{
	if (!pages)
		return;
	atomic_long_sub(pages, &c->user->locked_vm);
	if (c->mm)
		atomic64_sub(pages, &c->mm->pinned_vm);
}

static unsigned long pfm_pages(size_t bytes)
{
	return DIV_ROUND_UP(bytes, PAGE_SIZE);
}

void pfm_charge_share(struct pfm_charge *c, const struct pfm_charge *payer)
{
	c->user = get_uid(payer->user);
	c->mm = payer->mm;
	if (c->mm)
		mmgrab(c->mm);
	c->bytes = 0;
}

void pfm_charge_begin(struct pfm_charge *c)
{
	const struct pfm_charge caller = {
		.user = current_user(), .mm = current->mm,
	};

	pfm_charge_share(c, &caller);
}
EXPORT_SYMBOL_GPL(pfm_charge_begin);

bool pfm_charge_more(struct pfm_charge *c, size_t bytes)
{
	unsigned long pages;

	if (!c)
		return true;
	pages = pfm_pages(c->bytes + bytes) - pfm_pages(c->bytes);
	if (!pfm_charge_pages(c, pages))
		return false;
	c->bytes += bytes;
	return true;
}
EXPORT_SYMBOL_GPL(pfm_charge_more);

void pfm_charge_less(struct pfm_charge *c, size_t bytes)
{
	if (!c)
		return;
	pfm_uncharge_pages(c, pfm_pages(c->bytes) -
			      pfm_pages(c->bytes - bytes));
	c->bytes -= bytes;
}
EXPORT_SYMBOL_GPL(pfm_charge_less);

void pfm_charge_end(struct pfm_charge *c)
{
	pfm_charge_less(c, c->bytes);
	free_uid(c->user);
	if (c->mm)
		mmdrop(c->mm);
}
EXPORT_SYMBOL_GPL(pfm_charge_end);
