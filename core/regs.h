/* SPDX-License-Identifier: GPL-2.0 */
/*
 * regs.h - reading, writing and describing PMCs and PMDs
 */
#ifndef PFM_CORE_REGS_H
#define PFM_CORE_REGS_H

#include <perfmon/perfmon.h>

struct pfm_context;
struct pfm_evtset;
struct pfm_pmd;
struct pfm_pmu;
struct pfm_reg_copy;

/*
 * Recompute what depends on the set's flags: which PMDs sample, and how they
 * are reset.
 * Context: process, pfm_context.mutex held, not attached.
 */
void pfm_prepare_evtset(struct pfm_evtset *set);

/*
 * Result of a write that needs new events of the PMU: the right to attach must
 * be checked first
 */
#define PFM_ASK_FIRST	1

/*
 * Process one element of PFM_WRITE_PMCS or PFM_WRITE_PMDS.
 * Context: process, pfm_context.mutex held.
 * Return: 0; -EINVAL, with the element marked and nothing changed; -EBUSY for a
 * PMC if the context has a family; -ENOMEM; an error of the PMU; PFM_ASK_FIRST,
 * with nothing changed, if the write needs new events and pfm_many.ask_first is
 * set.
 */
int pfm_write_pmc(struct pfm_context *ctx, void *elem);
int pfm_write_pmd(struct pfm_context *ctx, void *elem);

/*
 * Copy the settings of a counter to @copy, which the caller has zeroed. If the
 * counter samples, also copy the value that was last loaded. Context: process,
 * pfm_context.mutex held.
 */
void pfm_reg_copy(const struct pfm_pmd *pmd, struct pfm_reg_copy *copy);

/*
 * Give the counter in @slot the settings and the value of @copy. Context:
 * process, pfm_context.mutex held, not attached. Return: 0, -ENOMEM, or an
 * error of the PMU.
 */
int pfm_reg_paste(struct pfm_evtset *set, unsigned int slot,
		  const struct pfm_reg_copy *copy);

/*
 * Take the value and the reset values from an element of PFM_WRITE_PMDS, for a
 * PMD that samples. The element must not change anything else. Context:
 * process, pfm_context.mutex held. Return: the PMD's slot; -EINVAL, with the
 * element marked.
 */
int pfm_reg_take_resets(struct pfm_context *ctx, pfarg_pmd_t *req,
			struct pfm_reg_copy *copy);

/*
 * Set the reset values of a PMD that samples, for its next overflow. Context:
 * process, pfm_context.mutex held, the context in any state.
 */
void pfm_reg_set_resets(struct pfm_pmd *pmd, const struct pfm_reg_copy *copy);

/*
 * Process one element of PFM_READ_PMDS.
 * Context: process, pfm_context.mutex held.
 * Return: 0; -EINVAL, with the element marked.
 */
int pfm_read_pmd(struct pfm_context *ctx, void *elem);

/*
 * Process one element of PFM_GETINFO_PMCS or PFM_GETINFO_PMDS. Context:
 * process. Return: 0; -EINVAL, with the element marked.
 */
int pfm_getinfo_pmc(const struct pfm_pmu *pmu, void *elem);
int pfm_getinfo_pmd(const struct pfm_pmu *pmu, void *elem);

#endif /* PFM_CORE_REGS_H */
