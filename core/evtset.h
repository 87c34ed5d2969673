/* SPDX-License-Identifier: GPL-2.0 */
/*
 * evtset.h - event sets: creating, deleting, describing
 */
#ifndef PFM_CORE_EVTSET_H
#define PFM_CORE_EVTSET_H

#include <linux/types.h>

struct pfm_context;
struct pfm_evtset;

/*
 * Create an event set with all registers at their defaults. Context: process,
 * pfm_context.mutex held, or the context is not shared yet. Return: the set;
 * NULL if memory is short or sets_max is reached. The limit does not apply to
 * the first set.
 */
struct pfm_evtset *pfm_evtset_add(struct pfm_context *ctx, u16 id);

/*
 * Find event set @id of @ctx. Context: process, pfm_context.mutex held. Return:
 * the set or NULL.
 */
struct pfm_evtset *pfm_evtset_find(struct pfm_context *ctx, u16 id);

/* Free all sets. Context: process; the context is no longer shared. */
void pfm_evtset_free_all(struct pfm_context *ctx);

/*
 * Process one element of PFM_CREATE_EVTSETS or PFM_DELETE_EVTSETS.
 * Context: process, pfm_context.mutex held.
 * Return: 0; -EOPNOTSUPP with PFM_FL_INHERIT; -EBUSY if attached; -EINVAL, with
 * the element marked and nothing changed; -ENOMEM.
 */
int pfm_create_evtset(struct pfm_context *ctx, void *elem);
int pfm_delete_evtset(struct pfm_context *ctx, void *elem);

/*
 * Process one element of PFM_GETINFO_EVTSETS.
 * Context: process, pfm_context.mutex held.
 * Return: 0; -EINVAL, with the element marked.
 */
int pfm_getinfo_evtset(struct pfm_context *ctx, void *elem);

#endif /* PFM_CORE_EVTSET_H */
