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
 * if the family of an earlier thread exists; -EOPNOTSUPP if forks cannot be
 * watched.
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
 * for the context itself if its thread has not ended. Context: process, mutex
 * of @ctx held. Return: as pfm_start_monitoring() and pfm_stop_monitoring().
 */
int pfm_start_family(struct pfm_context *ctx, void *arg);
int pfm_stop_family(struct pfm_context *ctx);

/*
 * Process PFM_RESTART. Without a family's buffers, call pfm_restart_context().
 * With them, call pfm_share_restart(), and unmask the threads that a limit on
 * overflows has masked. Context: process, mutex of @ctx held, may sleep.
 * Return: 0; -EBUSY if the context is not attached and has no family; an error
 * of the format or the PMU.
 */
int pfm_restart_family(struct pfm_context *ctx);

/*
 * Detach a context, if it is attached, and all members of its family. Context:
 * process, mutex of @ctx held. Return: the family that this has ended, for
 * pfm_release_family(); or NULL.
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
 * Create a member for the calling thread. A place in the family has been
 * reserved for it. A failure is counted. Context: process, no lock held.
 */
void pfm_bear_member(struct pfm_family *family,
		     const struct pfm_parent *parent);

#endif /* PFM_CORE_INHERIT_H */
