/* SPDX-License-Identifier: GPL-2.0 */
/*
 * family.h - families: the members' list, counts and lifetime
 */
#ifndef PFM_CORE_FAMILY_H
#define PFM_CORE_FAMILY_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "charge.h"
#include "context.h"
#include "pmd.h"

struct mem_cgroup;
struct pid_namespace;

/**
 * struct pfm_losses - counts of overflows that contexts have not recorded
 * @lost:      overflows, as pfm_context.lost
 * @throttled: as pfm_context.throttled
 * @pmu_throttled: as pfm_context.pmu_throttled
 */
struct pfm_losses {
	u64	lost;
	u64	throttled;
	u64	pmu_throttled;
};

/**
 * struct pfm_family_pmd - one counter, or the clock, as all contexts of a
 * family have it
 * @slot:  its index in the PMU's table
 * @reg:   what it measures and records; a PMD that samples has no sum
 * @ended: sum of the values of members that have ended
 * @sum:   sum of the values of all members at the last pfm_family_collect()
 */
struct pfm_family_pmd {
	u16			slot;
	struct pfm_reg_copy	reg;
	u64			ended;
	u64			sum;
};

/**
 * struct pfm_family - the contexts of the descendants of a monitored thread
 * @ref:      one reference each for the root, each member and each birth
 * @rcu:      frees the family: the fork probe reads it under RCU
 * @payer:    user and process that are charged for members
 * @memcg:    control group that is charged for members
 * @pid_ns:   PID namespace of the process that has loaded the root
 * @pmu:      the PMU of all its contexts, with a reference to its module
 * @share:    the buffers of a family that samples, with a reference, or NULL
 * @watching: forks are being watched for this family
 * @ready:    the root has been loaded; from then on, new threads become members
 * @started:  new members count at once; changed under the root's mutex
 * @used:     number of members that are to be born, live, or wait for @bury
 * @born:     members that have been born
 * @refused:  births that would have exceeded the limit
 * @failed:   births that have failed, and members that have left because of an
 *            exec
 * @lock:     protects the fields from @members to @num_spares
 * @members:  living members; those that the last walk has visited are at the
 *            end
 * @living:   number of entries in @members
 * @walk:     number of the last walk
 * @over:     no member can join any more
 * @sets_denied: sum of pfm_context.sets_denied of members that have ended
 * @denied:   PMDs for which members that have ended were denied a counter
 * @ended:    losses of members that have ended
 * @losses:   losses of all members at the last pfm_family_losses()
 * @spares:   members that have ended, to be reused
 * @num_spares: number of @spares
 * @dead:     members that have ended, for @bury
 * @bury:     frees the members in @dead, or moves them to @spares
 * @num_pmds: number of @pmds
 * @pmds:     the counters of the root that members inherit, then the clock;
 *            @lock protects .ended, .sum and changes of .reg
 */
struct pfm_family {
	struct kref			ref;
	struct rcu_head			rcu;
	struct pfm_charge		payer;
	struct mem_cgroup		*memcg;
	struct pid_namespace		*pid_ns;
	const struct pfm_pmu		*pmu;
	struct pfm_share		*share;
	bool				watching;
	bool				ready;
	bool				started;
	atomic_long_t			used;
	atomic64_t			born;
	atomic64_t			refused;
	atomic64_t			failed;

	spinlock_t			lock;
	struct list_head		members;
	unsigned int			living;
	u32				walk;
	bool				over;
	u64				sets_denied;
	DECLARE_BITMAP(denied, PFM_MAX_PMDS);
	struct pfm_losses		ended;
	struct pfm_losses		losses;
	struct list_head		spares;
	unsigned int			num_spares;

	struct llist_head		dead;
	struct delayed_work		bury;
	u16				num_pmds;
	struct pfm_family_pmd		pmds[];
};

/*
 * Create a family of @root with @n entries in pmds, which are all 0. @bury
 * frees pfm_family.dead. Context: process, mutex of @root held. Return: the
 * family or NULL.
 */
struct pfm_family *pfm_family_create(struct pfm_context *root, u16 n,
				     work_func_t bury);
void pfm_family_put(struct pfm_family *family);

/*
 * Reserve a place in the family for a member to be born. Context: any but NMI.
 * Return: false, and the birth is counted as refused, if the limit is reached.
 */
bool pfm_family_reserve(struct pfm_family *family);
void pfm_family_unreserve(struct pfm_family *family);

/* Give a new member its family; charge the family's payer. Context: process. */
void pfm_family_adopt(struct pfm_family *family, struct pfm_context *ctx);

/*
 * Keep a member that has ended and holds no event, for reuse. Context: process.
 * Return: false if enough members are kept, or the family is over.
 */
bool pfm_family_keep(struct pfm_context *ctx);

/* Take a kept member; NULL if the family keeps none. Context: process. */
struct pfm_context *pfm_family_take(struct pfm_family *family);

/*
 * Add a member to the list. Context: process, mutex of @ctx held until @ctx is
 * loaded and started, so that a walk waits for this. Return: 0, or -ESHUTDOWN
 * if the family is over.
 */
int pfm_family_join(struct pfm_context *ctx);

/*
 * Remove a detached member, if it is on the list, and add its values to the
 * family's. Takes no mutex. Context: process, mutex of @ctx held.
 */
void pfm_family_leave(struct pfm_context *ctx);

/* Drop a reference to a member. After the last one, a work item frees it. */
void pfm_member_put(struct pfm_context *ctx);

/*
 * Call @visit for each member, with its mutex held. Members that are born
 * meanwhile are left out. Context: process, mutex of the root held.
 */
void pfm_family_walk(struct pfm_family *family,
		     void (*visit)(struct pfm_context *ctx));

/*
 * Sum up the values of all members, for pfm_family_sum(). A member that ends
 * meanwhile is counted exactly once. Context: process, mutex of @root held.
 */
void pfm_family_collect(struct pfm_context *root);
u64 pfm_family_find_sum(const struct pfm_pmd *pmd);

/* Get the losses of a context. Context: any. */
struct pfm_losses pfm_losses_of(const struct pfm_context *ctx);

/*
 * Sum up the losses of a root and of all its members, living or ended. Context:
 * process, mutex of @root held.
 */
struct pfm_losses pfm_family_losses(struct pfm_context *root);

/*
 * End the family: @end detaches each member and lets it leave. Add the members'
 * counts to the root's PMDs. Context: process, mutex of @root held, the root
 * detached.
 */
void pfm_family_finish(struct pfm_context *root,
		       void (*end)(struct pfm_context *ctx));

/*
 * Does the root have a family that is not over? Context: process, mutex of
 * @root held.
 */
static inline bool pfm_has_family(const struct pfm_context *root)
{
	return root->family && !root->family->over;
}

/*
 * Get the sum of the members' counts for @pmd, a PMD of the root. The caller
 * adds the root's own count.
 */
static inline u64 pfm_family_sum(const struct pfm_pmd *pmd)
{
	return pmd->ctx->family ? pfm_family_find_sum(pmd) : 0;
}

#endif /* PFM_CORE_FAMILY_H */
