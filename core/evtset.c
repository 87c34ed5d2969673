// SPDX-License-Identifier: GPL-2.0
/*
 * evtset.c - event sets: creating, deleting, describing (3.1.10-3.1.12, 3.7.5)
 *
 * Each function that implements a command processes one element of a vector. If
 * the element is invalid, the function marks the element's set_flags and
 * changes nothing.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>
#include "buffer.h"
#include "charge.h"
#include "context.h"
#include "evtset.h"
#include "evtset_page.h"
#include "family.h"
#include "pmc.h"
#include "pmd.h"
#include "pmu.h"
#include "value.h"

/*
 * Limit the sets: each costs memory and, while the context is loaded, a walk
 * over its events with interrupts off at each context switch of the thread.
 */
static unsigned int pfm_sets_max = 256;
module_param_named(sets_max, pfm_sets_max, uint, 0644);
MODULE_PARM_DESC(sets_max, "maximum number of event sets of a context, set0 included");

/* Allocation size of an event set without its PMDs. */
static size_t pfm_evtset_size(u16 num_regs)
{
	struct pfm_evtset *set;

	return kmalloc_size_roundup(struct_size(set, regs, num_regs));
}

static void pfm_evtset_free(struct pfm_evtset *set)
{
	struct pfm_charge *charge = set->charge;
	size_t size = pfm_evtset_size(set->pmu_set.num_regs);

	pfm_pmds_free(set);
	pfm_pmcs_free(set);
	if (set->page_buffer)
		pfm_buffer_put(set->page_buffer);
	kfree(set);
	pfm_charge_less(charge, size);
}

static struct pfm_evtset *pfm_evtset_alloc(struct pfm_context *ctx, u16 id)
{
	/*
	 * set0 is not charged, so counting works even if RLIMIT_MEMLOCK is 0.
	 */
	struct pfm_charge *charge = id ? &ctx->charge : NULL;
	u16 num_regs = ctx->target.num_regs;
	size_t size = pfm_evtset_size(num_regs);
	struct pfm_evtset *set;

	if (!pfm_charge_more(charge, size))
		return NULL;
	set = kzalloc(size, PFM_GFP);
	if (!set) {
		pfm_charge_less(charge, size);
		return NULL;
	}
	set->charge = charge;
	set->id = id;
	set->pmu_set.num_regs = num_regs;
	if (pfm_pmds_create(ctx, set)) {
		pfm_evtset_free(set);
		return NULL;
	}
	return set;
}

/* Does a set with this number need a new xarray node? */
static bool pfm_needs_node(struct pfm_context *ctx, u16 id)
{
	unsigned long at = round_down(id, XA_CHUNK_SIZE);

	return !xa_find(&ctx->sets, &at, at + XA_CHUNK_MASK, XA_PRESENT);
}

/* Store a set; from here on its page can be mapped. Return: 0 or -ENOMEM. */
static int pfm_evtset_store(struct pfm_context *ctx, struct pfm_evtset *set)
{
	size_t node = pfm_needs_node(ctx, set->id) ? sizeof(struct xa_node) : 0;

	if (!pfm_charge_more(set->charge, node))
		return -ENOMEM;
	if (xa_is_err(xa_store(&ctx->sets, set->id, set, PFM_GFP))) {
		pfm_charge_less(set->charge, node);
		return -ENOMEM;
	}
	ctx->num_sets++;
	return 0;
}

struct pfm_evtset *pfm_evtset_add(struct pfm_context *ctx, u16 id)
{
	struct pfm_evtset *set;

	if (ctx->num_sets && ctx->num_sets >= READ_ONCE(pfm_sets_max))
		return NULL;
	set = pfm_evtset_alloc(ctx, id);
	if (!set)
		return NULL;
	if (ctx->flags & PFM_FL_MAP_SETS && pfm_page_create(set, ctx->pmu))
		goto err_free;
	if (pfm_evtset_store(ctx, set))
		goto err_free;
	return set;
err_free:
	pfm_evtset_free(set);
	return NULL;
}

struct pfm_evtset *pfm_evtset_find(struct pfm_context *ctx, u16 id)
{
	lockdep_assert_held(&ctx->mutex);
	return xa_load(&ctx->sets, id);
}

void pfm_evtset_free_all(struct pfm_context *ctx)
{
	struct pfm_evtset *set;
	unsigned long id;

	pfm_for_each_evtset(ctx, id, set)
		pfm_evtset_free(set);
	xa_destroy(&ctx->sets);
}

static int pfm_bad_evtset(u32 *flags, u32 retfl)
{
	*flags = (*flags & ~PFM_SET_RETFL_MASK) | retfl;
	return -EINVAL;
}

/*
 * Round a timeout up to whole timer ticks, at least one (figure 3.35). Return:
 * 0, or -EINVAL if @ts is invalid.
 */
static int pfm_effective_timeout(struct __kernel_timespec *ts, u64 *timeout)
{
	u64 ns;

	if (ts->tv_sec < 0 || ts->tv_sec >= KTIME_SEC_MAX || ts->tv_nsec < 0 ||
	    ts->tv_nsec >= NSEC_PER_SEC)
		return -EINVAL;
	ns = max_t(u64, ktime_set(ts->tv_sec, ts->tv_nsec), 1);
	*timeout = DIV_ROUND_UP_ULL(ns, TICK_NSEC) * TICK_NSEC;
	return 0;
}

static struct __kernel_timespec pfm_timespec(u64 ns)
{
	struct timespec64 ts = ns_to_timespec64(ns);

	return (struct __kernel_timespec){ ts.tv_sec, ts.tv_nsec };
}

static bool pfm_setdesc_is_good(const struct pfm_context *ctx,
				const pfarg_setdesc_t *req)
{
	u32 flags = req->set_flags & ~PFM_SET_RETFL_MASK;

	if (flags & ~PFM_SETFL_ALL ||
	    memchr_inv(req->reserved, 0, sizeof(req->reserved)))
		return false;
	/* A set can use only one way of switching (3.7.6). */
	if (flags & PFM_SETFL_OVFL_SWITCH && flags & PFM_SETFL_TIME_SWITCH)
		return false;
	return !req->set_id || !ctx->fmt ||
	       !(ctx->fmt->fmt_flags & PFM_FMTFL_NOSET);
}

int pfm_create_evtset(struct pfm_context *ctx, void *elem)
{
	pfarg_setdesc_t *req = elem;
	struct pfm_evtset *set;
	u64 timeout = 0;

	lockdep_assert_held(&ctx->mutex);
	if (ctx->loaded)
		return -EBUSY;
	if (ctx->flags & PFM_FL_INHERIT)
		return -EOPNOTSUPP;
	if (!pfm_setdesc_is_good(ctx, req) ||
	    (req->set_flags & PFM_SETFL_TIME_SWITCH &&
	     pfm_effective_timeout(&req->set_timeout, &timeout)))
		return pfm_bad_evtset(&req->set_flags, PFM_SET_RETFL_EINVAL);
	req->set_flags &= ~PFM_SET_RETFL_MASK;
	set = pfm_evtset_find(ctx, req->set_id) ?:
	      pfm_evtset_add(ctx, req->set_id);
	if (!set)
		return -ENOMEM;
	set->id_next = req->set_id_next;
	set->flags = req->set_flags;
	set->timeout = timeout;
	pfm_clock_of(set)->value = -timeout;
	if (timeout)
		req->set_timeout = pfm_timespec(timeout);
	req->set_mmap_offset = pfm_page_offset(set);
	return 0;
}

int pfm_delete_evtset(struct pfm_context *ctx, void *elem)
{
	pfarg_setdesc_t *req = elem;
	struct pfm_evtset *set;

	lockdep_assert_held(&ctx->mutex);
	if (ctx->loaded)
		return -EBUSY;
	if (req->set_flags & ~PFM_SET_RETFL_MASK || !req->set_id ||
	    memchr_inv(req->reserved, 0, sizeof(req->reserved)))
		return pfm_bad_evtset(&req->set_flags, PFM_SET_RETFL_EINVAL);
	set = xa_erase(&ctx->sets, req->set_id);
	if (!set)
		return pfm_bad_evtset(&req->set_flags, PFM_SET_RETFL_NOSET);
	req->set_flags = 0;
	ctx->num_sets--;
	if (pfm_needs_node(ctx, req->set_id))
		pfm_charge_less(set->charge, sizeof(struct xa_node));
	if (ctx->set == set)
		ctx->set = pfm_evtset_find(ctx, 0);
	pfm_evtset_free(set);
	return 0;
}

/*
 * Read a set's clock, and the time for which the set was active. An overflow
 * may switch sets meanwhile.
 */
static s64 pfm_clock_read(struct pfm_evtset *set, u64 *duration)
{
	u64 before;
	s64 clock;

	do {
		before = READ_ONCE(set->duration);
		clock = pfm_value_read(pfm_clock_of(set));
	} while (before != READ_ONCE(set->duration));
	*duration = before + clock + set->timeout;
	return clock;
}

int pfm_getinfo_evtset(struct pfm_context *ctx, void *elem)
{
	pfarg_setinfo_t *req = elem;
	struct pfm_evtset *set = pfm_evtset_find(ctx, req->set_id);
	u64 duration;
	s64 clock;

	lockdep_assert_held(&ctx->mutex);
	if (!set)
		return pfm_bad_evtset(&req->set_flags, PFM_SET_RETFL_NOSET);
	if (req->set_flags & ~PFM_SET_RETFL_MASK ||
	    memchr_inv(req->reserved, 0, sizeof(req->reserved)))
		return pfm_bad_evtset(&req->set_flags, PFM_SET_RETFL_EINVAL);
	pfm_family_collect(ctx);
	clock = pfm_clock_read(set, &duration);
	duration += pfm_family_sum(pfm_clock_of(set));
	req->set_id_next = set->id_next;
	req->set_flags = set->flags;
	req->set_runs = set->runs;
	req->set_timeout = pfm_timespec(set->timeout && clock < 0 ? -clock : 0);
	req->set_act_duration = pfm_timespec(duration);
	req->set_unmeasured = pfm_timespec(set->unmeasured);
	memset(req->set_switch_pmds, 0, sizeof(req->set_switch_pmds));
	if (set->flags & PFM_SETFL_OVFL_SWITCH)
		pfm_bv_from_slots(ctx->pmu, set->switch_pmds,
				  req->set_switch_pmds);
	req->set_mmap_offset = pfm_page_offset(set);
	return 0;
}
