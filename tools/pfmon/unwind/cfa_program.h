/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* cfa_program.h - run the programs of CIEs and FDEs */
#ifndef PFMON_UNWIND_CFA_PROGRAM_H
#define PFMON_UNWIND_CFA_PROGRAM_H

#include "unwind/frames.h"
#include "unwind/table.h"

/* Sets cie->initial, the state at the start of each FDE of the CIE. */
void cfa_program_init(struct cie *cie, const struct unwind_machine *machine);

/*
 * Adds the rows of an FDE to a table. A damaged program or an unknown
 * instruction results in a row whose rule is PFM_UNWIND_BAD. Returns 0 or a
 * negative errno.
 */
int cfa_program_rows(const struct fde *fde,
		     const struct unwind_machine *machine, struct table *table);

#endif /* PFMON_UNWIND_CFA_PROGRAM_H */
