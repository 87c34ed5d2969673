/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * unwind_walk.h - follow a stack by unwind tables, as perfmon_unwind.h says
 *
 * Addresses without a rule end the chain: the frame pointer is not tried.
 */
#ifndef UNWIND_WALK_H
#define UNWIND_WALK_H

#include <elf.h>
#include <perfmon/perfmon_unwind.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WALK_MOST_FRAMES	127
#define WALK_REGS		32

enum walk_end {
	WALK_WHOLE,		/* reached the outermost frame */
	WALK_NO_TABLE,
	WALK_NO_RULE,		/* PFM_UNWIND_NONE, or unknown register */
	WALK_BAD,		/* PFM_UNWIND_BAD */
	WALK_UNREADABLE,	/* or the stack pointer did not rise */
	WALK_FULL,
	WALK_ENDS,
};

struct walk_frame {
	uint64_t pc, sp, fp, lr;
	uint64_t regs[WALK_REGS];	/* by DWARF number */
	bool innermost;			/* all registers are known */
	bool exact;			/* pc has not called */
	bool knows_lr;
};

/* Access to a process: its tables and its memory. */
struct walk_process {
	void *data;
	/* Finds the table of an address, and the address in the file. */
	const struct pfm_unwind_head *(*find)(void *data, uint64_t address,
					      uint64_t *offset);
	bool (*read)(void *data, uint64_t address, uint64_t *word);
};

static inline const struct pfm_unwind_rule *
walk_rule(const struct pfm_unwind_head *table, uint64_t offset)
{
	const uint32_t *index = (const void *)(table + 1);
	const struct pfm_unwind_rule *rules;
	const uint16_t *row_rules;
	const uint8_t *row_offsets;
	uint64_t block = (offset - table->start) / PFM_UNWIND_BLOCK;
	uint32_t row;

	rules = (const void *)(index + table->nr_blocks + 1);
	row_rules = (const void *)(rules + table->nr_rules);
	row_offsets = (const void *)(row_rules + table->nr_rows);
	if (block >= table->nr_blocks)
		return NULL;
	row = index[block];
	while (row < index[block + 1] &&
	       row_offsets[row] <= offset % PFM_UNWIND_BLOCK)
		row++;
	return row ? &rules[row_rules[row - 1]] : NULL;
}

static inline bool walk_reg(const struct walk_frame *frame, uint16_t machine,
			    unsigned int reg, uint64_t *value)
{
	bool arm64 = machine == EM_AARCH64;

	if (reg == (arm64 ? 31 : 7))
		*value = frame->sp;
	else if (reg == (arm64 ? 29 : 6))
		*value = frame->fp;
	else if (arm64 && reg == 30 && frame->knows_lr)
		*value = frame->lr;
	else if (frame->innermost)
		*value = frame->regs[reg % WALK_REGS];
	else
		return false;
	return true;
}

static inline enum walk_end walk_signal(const struct walk_process *process,
					const struct pfm_unwind_rule *rule,
					struct walk_frame *frame)
{
	uint64_t sp = frame->sp;

	if (!process->read(process->data, sp + rule->cfa_offset, &frame->sp) ||
	    !process->read(process->data, sp + rule->ra_offset, &frame->pc) ||
	    !process->read(process->data, sp + rule->fp_offset, &frame->fp) ||
	    !process->read(process->data, sp + rule->fp_offset + 8, &frame->lr))
		return WALK_UNREADABLE;
	frame->innermost = false;
	frame->exact = true;
	frame->knows_lr = true;
	return WALK_ENDS;
}

/* Returns WALK_ENDS unless the CFA cannot be found. */
static inline enum walk_end walk_cfa(const struct walk_process *process,
				     const struct pfm_unwind_rule *rule,
				     uint16_t machine,
				     const struct walk_frame *frame,
				     uint64_t *cfa)
{
	if (rule->kind == PFM_UNWIND_PLT) {
		*cfa = frame->sp + rule->cfa_offset;
		if ((frame->pc & 15) >= (uint32_t)rule->ra_offset)
			*cfa += 8;
		return WALK_ENDS;
	}
	if (!walk_reg(frame, machine, rule->reg, cfa))
		return WALK_NO_RULE;
	*cfa += rule->cfa_offset;
	if (rule->kind == PFM_UNWIND_MEM) {
		if (!process->read(process->data, *cfa, cfa))
			return WALK_UNREADABLE;
		*cfa += 8 + rule->ra_offset;
	}
	return WALK_ENDS;
}

static inline enum walk_end walk_return(const struct walk_process *process,
					const struct pfm_unwind_rule *rule,
					uint16_t machine,
					struct walk_frame *frame)
{
	bool near = rule->kind != PFM_UNWIND_REG;
	uint64_t cfa, pc, fp = frame->fp;
	enum walk_end end;

	end = walk_cfa(process, rule, machine, frame, &cfa);
	if (end != WALK_ENDS)
		return end;
	if (rule->ra == PFM_UNWIND_RA_REG) {
		if (!walk_reg(frame, machine, rule->ra_offset, &pc))
			return WALK_NO_RULE;
	} else if (!process->read(process->data,
				  cfa + (near ? -8 : rule->ra_offset), &pc)) {
		return WALK_UNREADABLE;
	}
	if (rule->fp == PFM_UNWIND_FP_LOST)
		fp = 0;
	if ((rule->fp == PFM_UNWIND_FP_CFA &&
	     !process->read(process->data, cfa + rule->fp_offset, &fp)) ||
	    (rule->fp == PFM_UNWIND_FP_FP &&
	     !process->read(process->data, frame->fp + rule->fp_offset, &fp)))
		return WALK_UNREADABLE;
	if (cfa < frame->sp || (cfa == frame->sp && pc == frame->pc))
		return WALK_UNREADABLE;
	*frame = (struct walk_frame){ .pc = pc, .sp = cfa, .fp = fp };
	return WALK_ENDS;
}

/* Makes the frame its caller's; returns WALK_ENDS if there is one. */
static inline enum walk_end walk_step(const struct walk_process *process,
				      struct walk_frame *frame)
{
	const struct pfm_unwind_head *table;
	const struct pfm_unwind_rule *rule;
	uint64_t offset;

	table = process->find(process->data, frame->pc - !frame->exact,
			      &offset);
	if (!table)
		return WALK_NO_TABLE;
	rule = walk_rule(table, offset);
	switch (rule ? rule->kind : PFM_UNWIND_NONE) {
	case PFM_UNWIND_NONE:
		return WALK_NO_RULE;
	case PFM_UNWIND_END:
		return WALK_WHOLE;
	case PFM_UNWIND_BAD:
		return WALK_BAD;
	case PFM_UNWIND_SIGNAL:
		return walk_signal(process, rule, frame);
	default:
		return walk_return(process, rule, table->machine, frame);
	}
}

/* Stores the chain from the innermost frame on; returns its length. */
static inline size_t walk(const struct walk_process *process,
			  struct walk_frame frame, uint64_t *pcs,
			  enum walk_end *end)
{
	size_t count = 0;

	do {
		pcs[count++] = frame.pc;
		*end = walk_step(process, &frame);
		if (*end != WALK_ENDS)
			return count;
	} while (count < WALK_MOST_FRAMES);
	*end = WALK_FULL;
	return count;
}

#endif /* UNWIND_WALK_H */
