/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * cfa_state.h - where the caller's registers are, as unwind information
 * describes it
 */
#ifndef PFMON_UNWIND_CFA_STATE_H
#define PFMON_UNWIND_CFA_STATE_H

#include <stdbool.h>
#include <stdint.h>

enum cfa_kind {
	CFA_UNKNOWN,		/* not set, or cannot be expressed */
	CFA_REG,		/* reg + offset */
	CFA_MEM,		/* [reg + offset] + more */
	CFA_PLT,		/* PFM_UNWIND_PLT with @more as the limit */
};

struct cfa {
	uint8_t kind;		/* an enum cfa_kind */
	uint8_t reg;
	int32_t offset;
	int32_t more;
};

enum place_kind {
	PLACE_SAME,		/* in the register itself; sp: equals the CFA */
	PLACE_UNDEFINED,	/* nowhere */
	PLACE_CFA,		/* at CFA + offset */
	PLACE_AT,		/* at reg + offset */
	PLACE_REG,		/* in the register reg */
	PLACE_UNKNOWN,		/* cannot be expressed */
};

/* Where the caller's value of a register is. */
struct place {
	uint8_t kind;		/* an enum place_kind */
	uint8_t reg;
	int32_t offset;
};

struct cfa_state {
	struct cfa cfa;
	int32_t offset;		/* the CFA's offset as last set */
	struct place ra, fp, sp, rbx;
};

#endif /* PFMON_UNWIND_CFA_STATE_H */
