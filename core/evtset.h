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
 * A new event set of @ctx, with every register at its default.
 * Context: process, pfm_context.mutex held, or nobody else knows the context.
 * Return: it; NULL if there is no memory, or there are as many as there may be.
 * The first one may always be.
 */
struct pfm_evtset *pfm_evtset_add(struct pfm_context *ctx, u16 id);

/*
 * Return: event set @id of @ctx, or NULL.
 * Context: process, pfm_context.mutex held.
 */
struct pfm_evtset *pfm_evtset_find(struct pfm_context *ctx, u16 id);

/* Context: process; nobody else knows the context. */
void pfm_evtset_free_all(struct pfm_context *ctx);

/*
 * One element of PFM_CREATE_EVTSETS or PFM_DELETE_EVTSETS.
 * Context: process, pfm_context.mutex held.
 * Return: 0; -EBUSY if attached; -EINVAL, the element marked and nothing
 * changed; -ENOMEM.
 */
int pfm_create_evtset(struct pfm_context *ctx, void *elem);
int pfm_delete_evtset(struct pfm_context *ctx, void *elem);

/*
 * One element of PFM_GETINFO_EVTSETS. Context: process, pfm_context.mutex held.
 * Return: 0; -EINVAL, the element marked.
 */
int pfm_getinfo_evtset(struct pfm_context *ctx, void *elem);

#endif /* PFM_CORE_EVTSET_H */
