// SPDX-License-Identifier: MIT OR GPL-2.0
/* rule.c - convert unwind information to rules of a table */
#include "unwind/rule.h"

#define WORD	8	/* bytes */

static bool subtract(int32_t one, int32_t other, int32_t *difference)
{
	return !__builtin_sub_overflow(one, other, difference);
}

/* Converts a place to one relative to the CFA, if possible. */
static struct place from_cfa(struct place place, const struct cfa *cfa)
{
	if (place.kind == PLACE_AT && cfa->kind == CFA_REG &&
	    place.reg == cfa->reg &&
	    subtract(place.offset, cfa->offset, &place.offset)) {
		place.kind = PLACE_CFA;
		place.reg = 0;
	}
	return place;
}

/*
 * Sets how to find the caller's frame pointer. If no rule can express that,
 * unwinding continues without a frame pointer.
 */
static void set_fp(struct pfm_unwind_rule *rule, const struct cfa_state *state,
		   const struct unwind_machine *machine)
{
	struct place fp = from_cfa(state->fp, &state->cfa);

	rule->fp = PFM_UNWIND_FP_LOST;
	if (fp.kind == PLACE_SAME)
		rule->fp = PFM_UNWIND_FP_SAME;
	if (fp.kind == PLACE_CFA)
		rule->fp = PFM_UNWIND_FP_CFA;
	if (fp.kind == PLACE_AT && fp.reg == machine->fp)
		rule->fp = PFM_UNWIND_FP_FP;
	if (rule->fp == PFM_UNWIND_FP_CFA || rule->fp == PFM_UNWIND_FP_FP)
		rule->fp_offset = fp.offset;
}

static bool set_reg_rule(struct pfm_unwind_rule *rule,
			 const struct cfa_state *state,
			 const struct unwind_machine *machine)
{
	struct place ra = from_cfa(state->ra, &state->cfa);

	rule->kind = PFM_UNWIND_REG;
	rule->reg = state->cfa.reg;
	rule->cfa_offset = state->cfa.offset;
	if (ra.kind == PLACE_CFA && ra.offset == -WORD &&
	    state->rbx.kind == PLACE_CFA) {
		rule->ra = PFM_UNWIND_RA_RBX;
		rule->ra_offset = state->rbx.offset;
		return true;
	}
	if (ra.kind == PLACE_CFA) {
		rule->ra_offset = ra.offset;
		return true;
	}
	rule->ra = PFM_UNWIND_RA_REG;
	rule->ra_offset = ra.reg;
	return ra.kind == PLACE_REG && ra.reg < machine->nr_regs;
}

static bool ra_is_below_cfa(const struct cfa_state *state)
{
	return state->ra.kind == PLACE_CFA && state->ra.offset == -WORD;
}

static bool set_mem_rule(struct pfm_unwind_rule *rule,
			 const struct cfa_state *state,
			 const struct unwind_machine *machine)
{
	rule->kind = PFM_UNWIND_MEM;
	rule->reg = state->cfa.reg;
	rule->cfa_offset = state->cfa.offset;
	return !machine->links && ra_is_below_cfa(state) &&
	       subtract(state->cfa.more, WORD, &rule->ra_offset);
}

static bool set_plt_rule(struct pfm_unwind_rule *rule,
			 const struct cfa_state *state)
{
	rule->kind = PFM_UNWIND_PLT;
	rule->cfa_offset = state->cfa.offset;
	rule->ra_offset = state->cfa.more;
	return ra_is_below_cfa(state) && state->fp.kind == PLACE_SAME;
}

static bool is_at_sp(const struct place *place,
		     const struct unwind_machine *machine)
{
	return place->kind == PLACE_AT && place->reg == machine->sp;
}

/*
 * Sets the rule of a signal frame. The kernel has stored all registers in a
 * structure on the stack.
 */
static bool set_signal_rule(struct pfm_unwind_rule *rule,
			    const struct cfa_state *state,
			    const struct unwind_machine *machine)
{
	const struct cfa *cfa = &state->cfa;

	rule->kind = PFM_UNWIND_SIGNAL;
	rule->cfa_offset = cfa->offset;
	rule->ra_offset = state->ra.offset;
	rule->fp_offset = state->fp.offset;
	return cfa->kind == CFA_MEM && cfa->reg == machine->sp && !cfa->more &&
	       is_at_sp(&state->ra, machine) && is_at_sp(&state->fp, machine);
}

/*
 * Sets the rule of code that is about to jump to another frame, such as the end
 * of longjmp(). The sp of that frame, and the address at which it continues,
 * are in registers. Its frame pointer is in a place that no rule can express.
 * Returns false if the sp or the address is not in a register.
 */
static bool set_jump_rule(struct pfm_unwind_rule *rule,
			  const struct cfa_state *state,
			  const struct unwind_machine *machine)
{
	rule->kind = PFM_UNWIND_REG;
	rule->reg = state->sp.reg;
	rule->ra = PFM_UNWIND_RA_REG;
	rule->fp = PFM_UNWIND_FP_LOST;
	rule->ra_offset = state->ra.reg;
	return state->sp.kind == PLACE_REG && rule->reg < machine->nr_regs &&
	       state->ra.kind == PLACE_REG &&
	       state->ra.reg < machine->nr_regs;
}

/*
 * Returns whether the caller's sp is the CFA, as is usual. In glibc's longjmp()
 * and setcontext() for arm64, the CFA is the address of a buffer, relative to
 * another register than usual, and nothing describes sp.
 */
static bool sp_is_cfa(const struct cfa_state *state,
		      const struct unwind_machine *machine)
{
	const struct cfa *cfa = &state->cfa;
	const struct place *sp = &state->sp;

	if (machine->links && cfa->reg != machine->sp &&
	    cfa->reg != machine->fp)
		return false;
	return sp->kind == PLACE_SAME ||
	       (sp->kind == PLACE_AT && cfa->kind == CFA_MEM && !cfa->more &&
		sp->reg == cfa->reg && sp->offset == cfa->offset) ||
	       (sp->kind == PLACE_REG && cfa->kind == CFA_REG &&
		sp->reg == cfa->reg && !cfa->offset);
}

static bool set_rule(struct pfm_unwind_rule *rule,
		     const struct cfa_state *state, bool signal,
		     const struct unwind_machine *machine)
{
	if (state->cfa.reg >= machine->nr_regs)
		return false;
	if (!sp_is_cfa(state, machine))
		return !signal && set_jump_rule(rule, state, machine);
	if (signal)
		return set_signal_rule(rule, state, machine);
	switch (state->cfa.kind) {
	case CFA_REG:
		set_fp(rule, state, machine);
		return set_reg_rule(rule, state, machine);
	case CFA_MEM:
		set_fp(rule, state, machine);
		return set_mem_rule(rule, state, machine);
	case CFA_PLT:
		return set_plt_rule(rule, state);
	default:
		return false;
	}
}

struct pfm_unwind_rule rule_of_state(const struct cfa_state *state, bool signal,
				     const struct unwind_machine *machine)
{
	struct pfm_unwind_rule rule = { .kind = PFM_UNWIND_NONE };

	if (state->ra.kind == PLACE_UNDEFINED)
		return (struct pfm_unwind_rule){ .kind = PFM_UNWIND_END };
	if (!set_rule(&rule, state, signal, machine))
		return (struct pfm_unwind_rule){ .kind = PFM_UNWIND_BAD };
	return rule;
}
