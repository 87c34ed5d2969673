/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* rule.h - convert unwind information to rules of a table */
#ifndef PFMON_UNWIND_RULE_H
#define PFMON_UNWIND_RULE_H

#include <perfmon/perfmon_unwind.h>

#include "unwind/cfa_state.h"
#include "unwind/machine.h"

/*
 * Converts a state to a rule. @signal means that a signal interrupted the
 * caller, which thus has not made a call.
 */
struct pfm_unwind_rule rule_of_state(const struct cfa_state *state, bool signal,
				     const struct unwind_machine *machine);

#endif /* PFMON_UNWIND_RULE_H */
