/* SPDX-License-Identifier: GPL-2.0 */
/*
 * evtset_page.h - the PMDs of event sets in pages that user level maps
 */
#ifndef PFM_CORE_EVTSET_PAGE_H
#define PFM_CORE_EVTSET_PAGE_H

#include <linux/types.h>

struct pfm_buffer;
struct pfm_context;
struct pfm_evtset;
struct pfm_pmu;

/* Is the caller in a time namespace whose CLOCK_MONOTONIC is the kernel's? */
bool pfm_user_has_our_clock(void);

/*
 * Make the page of a new event set.
 * Context: process, may sleep. Return: 0; -ENOMEM.
 */
int pfm_page_create(struct pfm_evtset *set, const struct pfm_pmu *pmu);

/* Offset of its mapping in bytes, or 0; sampling buffers are at 0 (B7). */
u64 pfm_page_offset(const struct pfm_evtset *set);

/*
 * What can be mapped at an offset in pages other than 0, a reference; or NULL.
 * Context: any but interrupts.
 */
struct pfm_buffer *pfm_page_at(struct pfm_context *ctx, unsigned long pgoff);

#endif /* PFM_CORE_EVTSET_PAGE_H */
