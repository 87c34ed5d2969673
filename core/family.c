// SPDX-License-Identifier: GPL-2.0
/*
 * family.c - families: the members' list, counts and lifetime
 *
 * A root is a context created with PFM_FL_INHERIT. It has a family from
 * PFM_LOAD_CONTEXT to PFM_UNLOAD_CONTEXT or close(). Each thread that descends
 * from the root's thread has a context of its own, a member (inherit.c). The
 * family has a copy of the root's registers, of which only the reset values can
 * change as long as the family exists (pfm_heritage_write()).
 *
 * A new or exiting thread must not wait for a command on the root. So the
 * thread takes only the mutex of its own member and, briefly, pfm_family.lock.
 * Commands walk over the members, and lock one member after the other. There is
 * one walk at a time, as commands hold the root's mutex. Each walk has a
 * number. The walk takes members from the front of the list, marks them with
 * this number and moves them to the end, until the member at the front is
 * marked. A new member is marked when it joins, so that a walk ends even if
 * threads keep forking.
 *
 * The marks also make sums exact: a member that leaves before the walk has
 * reached it adds its own value to the sum. The walk adds the values of all
 * other members.
 */
#include <linux/bitmap.h>
#include <linux/memcontrol.h>
#include <linux/moduleparam.h>
#include <linux/overflow.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include "attach.h"
#include "family.h"
#include "pmu.h"
#include "share.h"
#include "value.h"
#include "work.h"

/*
 * Limit the members: each costs memory, as a thread does, and a command visits
 * all of them.
 */
static unsigned long pfm_family_max = 16384;
module_param_named(family_max, pfm_family_max, ulong, 0644);
MODULE_PARM_DESC(family_max, "maximum number of threads in a family, besides the first");

/* Maximum number of members that have ended and are kept for reuse */
#define PFM_MAX_SPARES	32

/* Delay in jiffies before members that have ended are freed together */
#define PFM_BURY_DELAY	1

struct pfm_family *pfm_family_create(struct pfm_context *root, u16 n,
				     work_func_t bury)
{
	struct pfm_family *family;

	lockdep_assert_held(&root->mutex);
	family = kzalloc(struct_size(family, pmds, n), PFM_GFP);
	if (!family)
		return NULL;
	kref_init(&family->ref);
	pfm_charge_share(&family->payer, &root->charge);
	family->memcg = get_mem_cgroup_from_mm(current->mm);
	family->pid_ns = get_pid_ns(task_active_pid_ns(current));
	family->pmu = pfm_pmu_hold(root->pmu);
	spin_lock_init(&family->lock);
	INIT_LIST_HEAD(&family->members);
	INIT_LIST_HEAD(&family->spares);
	INIT_DELAYED_WORK(&family->bury, bury);
	family->share = pfm_share_get(root->share);
	family->num_pmds = n;
	return family;
}

static void pfm_family_free(struct kref *ref)
{
	struct pfm_family *family = container_of(ref, struct pfm_family, ref);

	pfm_share_put(family->share);
	pfm_pmu_put(family->pmu);
	mem_cgroup_put(family->memcg);
	put_pid_ns(family->pid_ns);
	pfm_charge_end(&family->payer);
	kfree_rcu(family, rcu);
}

void pfm_family_put(struct pfm_family *family)
{
	if (family)
		kref_put(&family->ref, pfm_family_free);
}

bool pfm_family_reserve(struct pfm_family *family)
{
	if (pfm_charge_within(&family->used, 1, READ_ONCE(pfm_family_max)))
		return true;
	atomic64_inc(&family->refused);
	return false;
}

void pfm_family_unreserve(struct pfm_family *family)
{
	atomic_long_dec(&family->used);
}

void pfm_family_adopt(struct pfm_family *family, struct pfm_context *ctx)
{
	kref_get(&family->ref);
	ctx->family = family;
	ctx->member.is_one = true;
	refcount_set(&ctx->member.ref, 1);
	INIT_LIST_HEAD(&ctx->member.node);
	pfm_charge_share(&ctx->charge, &family->payer);
}

bool pfm_family_keep(struct pfm_context *ctx)
{
	struct pfm_family *family = ctx->family;
	bool keep;

	spin_lock(&family->lock);
	keep = !family->over && family->num_spares < PFM_MAX_SPARES;
	if (keep) {
		list_add(&ctx->member.node, &family->spares);
		family->num_spares++;
	}
	spin_unlock(&family->lock);
	return keep;
}

struct pfm_context *pfm_family_take(struct pfm_family *family)
{
	struct pfm_context *ctx;

	spin_lock(&family->lock);
	ctx = list_first_entry_or_null(&family->spares, struct pfm_context,
				       member.node);
	if (ctx) {
		list_del_init(&ctx->member.node);
		family->num_spares--;
	}
	spin_unlock(&family->lock);
	if (!ctx)
		return NULL;
	ctx->sets_denied = 0;
	ctx->lost = 0;
	ctx->throttled = 0;
	atomic64_set(&ctx->pmu_throttled, 0);
	refcount_set(&ctx->member.ref, 1);
	return ctx;
}

int pfm_family_join(struct pfm_context *ctx)
{
	struct pfm_family *family = ctx->family;
	int ret = -ESHUTDOWN;

	lockdep_assert_held(&ctx->mutex);
	spin_lock(&family->lock);
	if (!family->over) {
		refcount_inc(&ctx->member.ref);
		ctx->member.walk = family->walk;
		list_add_tail(&ctx->member.node, &family->members);
		family->living++;
		ret = 0;
	}
	spin_unlock(&family->lock);
	return ret;
}

struct pfm_losses pfm_losses_of(const struct pfm_context *ctx)
{
	return (struct pfm_losses){
		.lost = READ_ONCE(ctx->lost),
		.throttled = READ_ONCE(ctx->throttled),
		.pmu_throttled = atomic64_read(&ctx->pmu_throttled),
	};
}

static void pfm_add_losses(struct pfm_losses *sum,
			   const struct pfm_losses *more)
{
	sum->lost += more->lost;
	sum->throttled += more->throttled;
	sum->pmu_throttled += more->pmu_throttled;
}

static void pfm_add_value(struct pfm_family_pmd *entry, u64 value, bool reached)
{
	entry->ended += value;
	if (!reached)
		entry->sum += value;
}

/*
 * Get a member's value of a counter, or of the clock. For the clock this is the
 * time for which the set has been active since pfm_heritage_equip().
 */
static u64 pfm_member_value(const struct pfm_context *ctx, u16 slot)
{
	struct pfm_pmd *pmd = pfm_pmd_at(ctx->set, slot);
	u64 value = pfm_value_read(pmd);

	return pfm_is_clock(pmd) ? ctx->set->duration + value : value;
}

/* Context: pfm_family.lock held; @ctx is detached. */
static void pfm_add_values(struct pfm_family *family,
			   const struct pfm_context *ctx)
{
	bool reached = ctx->member.walk == family->walk;
	struct pfm_losses losses = pfm_losses_of(ctx);
	u16 i;

	for (i = 0; i < family->num_pmds; i++)
		if (!family->pmds[i].reg.sampling)
			pfm_add_value(&family->pmds[i],
				      pfm_member_value(ctx,
						       family->pmds[i].slot),
				      reached);
	pfm_add_losses(&family->ended, &losses);
	if (!reached)
		pfm_add_losses(&family->losses, &losses);
	family->sets_denied += ctx->sets_denied;
	bitmap_or(family->denied, family->denied, ctx->set->pmu_set.denied,
		  PFM_MAX_PMDS);
}

void pfm_family_leave(struct pfm_context *ctx)
{
	struct pfm_family *family = ctx->family;
	bool listed;

	lockdep_assert_held(&ctx->mutex);
	spin_lock(&family->lock);
	listed = !list_empty(&ctx->member.node);
	if (listed) {
		pfm_add_values(family, ctx);
		list_del_init(&ctx->member.node);
		family->living--;
	}
	spin_unlock(&family->lock);
	if (listed)
		pfm_member_put(ctx);
}

void pfm_member_put(struct pfm_context *ctx)
{
	struct pfm_family *family = ctx->family;

	if (!refcount_dec_and_test(&ctx->member.ref))
		return;
	/* The work item takes all dead members: queue it for the first only. */
	if (llist_add(&ctx->member.dead, &family->dead))
		queue_delayed_work(pfm_slow_wq, &family->bury, PFM_BURY_DELAY);
}

static struct pfm_context *pfm_family_next(struct pfm_family *family)
{
	struct pfm_context *ctx;

	spin_lock(&family->lock);
	ctx = list_first_entry_or_null(&family->members, struct pfm_context,
				       member.node);
	if (ctx && ctx->member.walk == family->walk)
		ctx = NULL;
	if (ctx) {
		refcount_inc(&ctx->member.ref);
		ctx->member.walk = family->walk;
		list_move_tail(&ctx->member.node, &family->members);
	}
	spin_unlock(&family->lock);
	return ctx;
}

/* Context: pfm_family.lock held. */
static void pfm_begin_sums(struct pfm_family *family)
{
	u16 i;

	for (i = 0; i < family->num_pmds; i++)
		family->pmds[i].sum = family->pmds[i].ended;
	family->losses = family->ended;
}

void pfm_family_walk(struct pfm_family *family,
		     void (*visit)(struct pfm_context *ctx))
{
	struct pfm_context *ctx;

	spin_lock(&family->lock);
	family->walk++;
	pfm_begin_sums(family);
	spin_unlock(&family->lock);
	while ((ctx = pfm_family_next(family))) {
		pfm_lock(ctx);
		visit(ctx);
		pfm_unlock(ctx);
		pfm_member_put(ctx);
		cond_resched();
	}
}

/*
 * Add a member's values to the sums. The values still exist if the member has
 * left meanwhile, because the walk holds a reference to it.
 */
static void pfm_sum_member(struct pfm_context *ctx)
{
	struct pfm_family *family = ctx->family;
	u64 value;
	u16 i;

	for (i = 0; i < family->num_pmds; i++) {
		if (family->pmds[i].reg.sampling)
			continue;
		value = pfm_member_value(ctx, family->pmds[i].slot);
		spin_lock(&family->lock);
		family->pmds[i].sum += value;
		spin_unlock(&family->lock);
	}
}

void pfm_family_collect(struct pfm_context *root)
{
	lockdep_assert_held(&root->mutex);
	if (root->family)
		pfm_family_walk(root->family, pfm_sum_member);
}

/* Add a member's losses to the sums, as pfm_sum_member() adds the values. */
static void pfm_sum_losses(struct pfm_context *ctx)
{
	struct pfm_family *family = ctx->family;
	struct pfm_losses losses = pfm_losses_of(ctx);

	spin_lock(&family->lock);
	pfm_add_losses(&family->losses, &losses);
	spin_unlock(&family->lock);
}

struct pfm_losses pfm_family_losses(struct pfm_context *root)
{
	struct pfm_losses sum = pfm_losses_of(root);
	struct pfm_family *family = root->family;

	lockdep_assert_held(&root->mutex);
	if (!family)
		return sum;
	pfm_family_walk(family, pfm_sum_losses);
	spin_lock(&family->lock);
	pfm_add_losses(&sum, &family->losses);
	spin_unlock(&family->lock);
	return sum;
}

u64 pfm_family_find_sum(const struct pfm_pmd *pmd)
{
	const struct pfm_family *family = pmd->ctx->family;
	u16 i;

	lockdep_assert_held(&pmd->ctx->mutex);
	for (i = 0; i < family->num_pmds; i++)
		if (family->pmds[i].slot == pmd->slot)
			return READ_ONCE(family->pmds[i].sum);
	return 0;
}

/* Add the counts and losses of the members to those of the root. */
static void pfm_give_to_root(struct pfm_family *family,
			     struct pfm_context *root)
{
	u16 i;

	for (i = 0; i < family->num_pmds; i++) {
		struct pfm_family_pmd *entry = &family->pmds[i];

		pfm_pmd_at(root->set, entry->slot)->value += entry->ended;
		entry->ended = 0;
		entry->sum = 0;
	}
	root->lost += family->ended.lost;
	root->throttled += family->ended.throttled;
	atomic64_add(family->ended.pmu_throttled, &root->pmu_throttled);
	family->ended = (struct pfm_losses){};
}

void pfm_family_finish(struct pfm_context *root,
		       void (*end)(struct pfm_context *ctx))
{
	struct pfm_family *family = root->family;

	lockdep_assert_held(&root->mutex);
	spin_lock(&family->lock);
	family->over = true;
	spin_unlock(&family->lock);
	pfm_family_walk(family, end);
	pfm_give_to_root(family, root);
}
