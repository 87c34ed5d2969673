// SPDX-License-Identifier: GPL-2.0
/*
 * release.c - release resources of the PMU after its operations
 *
 * Releasing a perf event can take several grace periods. The operations of the
 * PMU run in the exit of a monitored thread and under the context's mutex, so
 * they only put the events on a list. Commands that end an attachment release
 * the list after they have dropped all locks; otherwise a work item does.
 */
#include <linux/jiffies.h>
#include <linux/llist.h>
#include <linux/workqueue.h>
#include "context.h"
#include "release.h"
#include "work.h"

/* Length of the list at which a command waits: the events of about 30 sets */
#define PFM_MAX_LEFT	512

void pfm_release_later(struct pfm_pmu_set *s, struct llist_node *node)
{
	struct pfm_evtset *set = container_of(s, struct pfm_evtset, pmu_set);
	struct pfm_context *ctx = pfm_context_of(set);

	lockdep_assert_held(&ctx->mutex);
	atomic_inc(&ctx->num_left);
	llist_add(node, &ctx->left);
}
EXPORT_SYMBOL_GPL(pfm_release_later);

static void pfm_release(struct pfm_context *ctx)
{
	struct llist_node *node, *next;

	llist_for_each_safe(node, next, llist_del_all(&ctx->left)) {
		ctx->pmu->release(node);
		atomic_dec(&ctx->num_left);
	}
}

static void pfm_release_work(struct work_struct *work)
{
	pfm_release(container_of(work, struct pfm_context, release.work));
}

void pfm_release_init(struct pfm_context *ctx)
{
	INIT_DELAYED_WORK(&ctx->release, pfm_release_work);
}

void pfm_release_soon(struct pfm_context *ctx)
{
	if (!llist_empty(&ctx->left))
		queue_delayed_work(pfm_slow_wq, &ctx->release, HZ);
}

void pfm_release_after(struct pfm_context *ctx)
{
	pfm_release_soon(ctx);
	if (atomic_read(&ctx->num_left) > PFM_MAX_LEFT)
		flush_delayed_work(&ctx->release);
}

void pfm_release_all(struct pfm_context *ctx)
{
	pfm_release(ctx);
	/* Wait for a work item that may have taken entries off the list. */
	flush_delayed_work(&ctx->release);
}
