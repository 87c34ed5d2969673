/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* cfa_expression.h - convert DWARF expressions that have an equivalent rule */
#ifndef PFMON_UNWIND_CFA_EXPRESSION_H
#define PFMON_UNWIND_CFA_EXPRESSION_H

#include "unwind/cfa_state.h"
#include "unwind/cursor.h"
#include "unwind/machine.h"

/*
 * Returns the CFA that DW_CFA_def_cfa_expression describes; CFA_UNKNOWN if no
 * rule is equivalent.
 */
struct cfa expression_cfa(struct cursor expression,
			  const struct unwind_machine *machine);

/*
 * Returns where a register was saved, from its DW_CFA_expression; PLACE_UNKNOWN
 * if no rule is equivalent.
 */
struct place expression_place(struct cursor expression);

#endif /* PFMON_UNWIND_CFA_EXPRESSION_H */
