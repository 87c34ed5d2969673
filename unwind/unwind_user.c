// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_user.c - the call chain of the interrupted thread in user space
 */
#include <linux/export.h>
#include <linux/preempt.h>
#include <perfmon/perfmon_fmt_callers.h>
#include <perfmon/perfmon_fmt_unwind.h>
#include "unwind_live.h"
#include "unwind_set.h"

#if PFM_HAS_CALLERS

#include "unwind_cpu.h"

static __always_inline bool is_narrow(struct pt_regs *regs)
{
#ifdef CONFIG_ARM64
	return compat_user_mode(regs);
#else
	return pfm_frames_are_narrow(regs);
#endif
}

static __always_inline struct pfm_unwind_found
walk_by_tables(const struct pfm_unwind_space *space, struct pt_regs *regs,
	       u64 *out, unsigned int max)
{
	const struct pfm_unwind_frame first = {
		.pc = instruction_pointer(regs),
		.sp = user_stack_pointer(regs),
		.fp = pfm_unwind_user_reg(regs, PFM_UNWIND_FP),
		.regs = regs,
	};
	struct pfm_unwind_chain chain = { .why = PFM_UNWIND_UNREADABLE };

	if (pfm_user_is_readable(first.sp)) {
		pagefault_disable();
		chain = pfm_unwind_walk(&pfm_unwind_this_cpu, space, &first,
					out, max);
		pagefault_enable();
	}
	return (struct pfm_unwind_found) {
		chain.nr, { chain.why, chain.guessed }
	};
}

static __always_inline struct pfm_unwind_found
walk_by_frames(struct pt_regs *regs, u64 *out, unsigned int max,
	       enum pfm_unwind_why why)
{
	return (struct pfm_unwind_found) {
		pfm_user_frames(regs, out, max), { why }
	};
}

static __always_inline struct pfm_unwind_found
find_callers(struct pfm_unwind_set *set, const struct pfm_ovfl_data *data,
	     struct pt_regs *regs, u64 *out, unsigned int max)
{
	u64 sp = user_stack_pointer(regs);
	/*
	 * Also true if the event excludes the kernel, but its interrupt arrived
	 * while the kernel ran: @data then has the registers of user space.
	 */
	bool at_user = regs == data->regs;
	const struct pfm_unwind_space *space;
	struct pfm_unwind_live *live = NULL;
	struct pfm_unwind_found found;

	if (is_narrow(regs))
		return walk_by_frames(regs, out, max, PFM_UNWIND_MORE);
	space = pfm_unwind_set_space(set, sp, at_user);
	if (!space && (!at_user || in_task()))
		live = pfm_unwind_set_look(set, sp);
	if (live)
		space = &live->space;
	if (!space)
		return walk_by_frames(regs, out, max, PFM_UNWIND_NO_SPACE);
	found = walk_by_tables(space, regs, out, max);
	if (live)
		pfm_unwind_live_end(live);
	else if (at_user && found.end.why == PFM_UNWIND_NO_MAPPING)
		pfm_unwind_set_missed(set, space);
	return found;
}

static __always_inline struct pfm_unwind_found
chain_of(struct pfm_unwind_set *set, const struct pfm_ovfl_data *data, u64 *out,
	 unsigned int max)
{
	struct pt_regs *regs = pfm_user_regs(data);
	struct pfm_unwind_found found = {};

	if (!regs || !max)
		return found;
	out[0] = instruction_pointer(regs);
	found = find_callers(set, data, regs, out + 1, max - 1);
	found.nr++;
	return found;
}

#else

static inline struct pfm_unwind_found
chain_of(struct pfm_unwind_set *set, const struct pfm_ovfl_data *data, u64 *out,
	 unsigned int max)
{
	return (struct pfm_unwind_found) {};
}

#endif

struct pfm_unwind_found notrace
pfm_unwind_with_set(struct pfm_unwind_set *set,
		    const struct pfm_ovfl_data *data, u64 *out,
		    unsigned int max)
{
	return chain_of(set, data, out, max);
}
EXPORT_SYMBOL_GPL(pfm_unwind_with_set);
