/* SPDX-License-Identifier: GPL-2.0 */
/*
 * inherit.h - PFM_FL_INHERIT: commands on a context and its family
 */
#ifndef PFM_CORE_INHERIT_H
#define PFM_CORE_INHERIT_H

#include <linux/types.h>

struct pfm_context;
struct pfm_family;

/*
 * Process PFM_LOAD_CONTEXT and PFM_UNLOAD_CONTEXT. Context: process, mutex of
 * @ctx not held. Return: as pfm_load_context() and pfm_unload_context(); -EBUSY
 * if the context still has a family from an earlier attachment; -EOPNOTSUPP if
 * forks cannot be watched.
 */
int pfm_load_family(struct pfm_context *ctx, void *arg);
int pfm_unload_family(struct pfm_context *ctx);

/*
 * Process one element of PFM_WRITE_PMDS: as pfm_heritage_write() if the context
 * has a family, else as pfm_write_pmd().
 */
int pfm_write_family_pmd(struct pfm_context *ctx, void *elem);

/*
 * Process PFM_START and PFM_STOP: for all members of the context's family, and
 * for the context itself if its thread has not ended. A PFM_START that waits
 * for an exec concerns only the context itself. Context: process, mutex of @ctx
 * held. Return: as pfm_start_monitoring() and pfm_stop_monitoring().
 */
int pfm_start_family(struct pfm_context *ctx, void *arg);
int pfm_stop_family(struct pfm_context *ctx);

/*
 * Process PFM_RESTART. If the context has buffers for a family
 * (pfm_context.share), call pfm_share_restart(), and unmask the threads that a
 * limit on overflows has masked. Otherwise call pfm_restart_context(). Context:
 * process, mutex of @ctx held, may sleep. Return: as pfm_restart_context(), but
 * not -EBUSY if the context's thread has ended while the family still exists.
 */
int pfm_restart_family(struct pfm_context *ctx);

/*
 * Detach a context, if it is attached, and all members of its family, which is
 * then over. Context: process, mutex of @ctx held. Return: this family, to be
 * passed to pfm_release_family(); NULL if the context had none.
 */
struct pfm_family *pfm_detach_family(struct pfm_context *ctx);

/*
 * Release everything that a detached context and its family have left behind.
 * @ended: result of pfm_detach_family(). Context: process, no lock held.
 */
void pfm_release_family(struct pfm_context *ctx, struct pfm_family *ended);

/**
 * struct pfm_parent - settings that a member inherits from its parent
 * @user_only: events must not count in the kernel
 * @trusted:   pfm_context.trusted
 */
struct pfm_parent {
	bool	user_only;
	bool	trusted;
};

/*
 * Create a member for the calling thread, in a place that was reserved with
 * pfm_family_reserve(). A failure is counted in pfm_family.failed. Context:
 * process, no lock held.
 */
void pfm_bear_member(struct pfm_family *family,
		     const struct pfm_parent *parent);

#endif /* PFM_CORE_INHERIT_H */
