/* SPDX-License-Identifier: GPL-2.0 */
/*
 * evtset_page.h - pages with the PMDs of event sets, mapped into user space
 */
#ifndef PFM_CORE_EVTSET_PAGE_H
#define PFM_CORE_EVTSET_PAGE_H

#include <linux/types.h>

struct pfm_buffer;
struct pfm_context;
struct pfm_evtset;
struct pfm_pmu;

/*
 * Is CLOCK_MONOTONIC the same in the caller's time namespace as in the kernel?
 */
bool pfm_user_has_our_clock(void);

/*
 * Create the page of a new event set. Context: process, may sleep. Return: 0 or
 * -ENOMEM.
 */
int pfm_page_create(struct pfm_evtset *set, const struct pfm_pmu *pmu);

/*
 * Get the offset in bytes at which the page of a set can be mapped. Return: the
 * offset; 0 if the set has no page. A page is never at offset 0, where the
 * sampling buffer is mapped (docs/readings.md, B7).
 */
u64 pfm_page_offset(const struct pfm_evtset *set);

/*
 * Get the page at @pgoff, a mapping offset in pages, which is not 0. Context:
 * any but interrupts. Return: the page, with a reference, or NULL.
 */
struct pfm_buffer *pfm_page_at(struct pfm_context *ctx, unsigned long pgoff);

#endif /* PFM_CORE_EVTSET_PAGE_H */
