// SPDX-License-Identifier: MIT OR GPL-2.0
/* cfa_program.c - run the programs of CIEs and FDEs */
#include <errno.h>

#include "unwind/cfa_expression.h"
#include "unwind/cfa_program.h"
#include "unwind/dwarf.h"
#include "unwind/rule.h"

/* Ample: compilers use only one remembered state at a time. */
#define MOST_REMEMBERED	16

struct run {
	const struct unwind_machine *machine;
	const struct cie *cie;
	struct cursor program;
	struct cfa_state state;
	struct cfa_state remembered[MOST_REMEMBERED];
	unsigned int nr_remembered;
	uint64_t start;		/* link-time address of the FDE */
	uint64_t next;		/* address reached, relative to @start */
};

/* Stands for all register numbers from this one up. No rule uses them. */
#define NO_REG	0xff

static uint8_t read_reg(struct run *run)
{
	uint64_t reg = cursor_uleb(&run->program);

	return reg < NO_REG ? (uint8_t)reg : NO_REG;
}

/*
 * Returns the offset. If it does not fit into a rule, returns 0 and marks the
 * program as failed.
 */
static int32_t checked(struct run *run, int64_t offset)
{
	if (offset == (int32_t)offset)
		return (int32_t)offset;
	cursor_fail(&run->program);
	return 0;
}

static int32_t factored(struct run *run, uint64_t number)
{
	int64_t offset;

	if (__builtin_mul_overflow((int64_t)number, run->cie->data_align,
				   &offset))
		cursor_fail(&run->program);
	return checked(run, offset);
}

static int32_t read_factored(struct run *run)
{
	return factored(run, cursor_uleb(&run->program));
}

static int32_t read_factored_signed(struct run *run)
{
	return factored(run, (uint64_t)cursor_sleb(&run->program));
}

static struct cursor read_expression(struct run *run)
{
	return cursor_split(&run->program, cursor_uleb(&run->program));
}

/* Returns the place of a register in a state; NULL if rules do not use it. */
static struct place *place_of(const struct run *run, struct cfa_state *state,
			      uint8_t reg)
{
	if (reg == run->cie->ra)
		return &state->ra;
	if (reg == run->machine->fp)
		return &state->fp;
	if (reg && reg == run->machine->rbx)
		return &state->rbx;
	return reg == run->machine->sp ? &state->sp : NULL;
}

static void put(struct run *run, uint8_t reg, struct place place)
{
	struct place *found = place_of(run, &run->state, reg);

	if (!found)
		return;
	if (found == &run->state.ra && place.kind == PLACE_SAME)
		place = (struct place){ .kind = PLACE_REG, .reg = reg };
	*found = place;
}

static void put_kind(struct run *run, uint8_t reg, enum place_kind kind)
{
	put(run, reg, (struct place){ .kind = kind });
}

static void put_saved(struct run *run, uint8_t reg, int32_t offset)
{
	put(run, reg, (struct place){ .kind = PLACE_CFA, .offset = offset });
}

static void restore_initial(struct run *run, uint8_t reg)
{
	struct cfa_state initial = run->cie->initial;
	const struct place *place = place_of(run, &initial, reg);

	if (place)
		put(run, reg, *place);
}

static void define_cfa(struct run *run, uint8_t reg, int32_t offset)
{
	run->state.offset = offset;
	run->state.cfa = (struct cfa){
		.kind = CFA_REG, .reg = reg, .offset = offset };
}

/*
 * Sets the offset of the CFA. If the CFA is an expression, the offset has no
 * effect until a DW_CFA_def_cfa_register uses it.
 */
static void move_cfa(struct run *run, int32_t offset)
{
	run->state.offset = offset;
	if (run->state.cfa.kind == CFA_REG)
		run->state.cfa.offset = offset;
}

static void remember(struct run *run)
{
	if (run->nr_remembered == MOST_REMEMBERED)
		cursor_fail(&run->program);
	else
		run->remembered[run->nr_remembered++] = run->state;
}

static void restore_remembered(struct run *run)
{
	if (!run->nr_remembered)
		cursor_fail(&run->program);
	else
		run->state = run->remembered[--run->nr_remembered];
}

/*
 * Runs an instruction that changes the place of a register. Returns false if
 * @op is not such an instruction.
 */
static bool run_place(struct run *run, uint8_t op)
{
	uint8_t reg = read_reg(run);
	struct place place = { .kind = PLACE_REG };

	switch (op) {
	case DW_CFA_offset_extended:
		put_saved(run, reg, read_factored(run));
		return true;
	case DW_CFA_offset_extended_sf:
		put_saved(run, reg, read_factored_signed(run));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		put_saved(run, reg, factored(run, -cursor_uleb(&run->program)));
		return true;
	case DW_CFA_restore_extended:
		restore_initial(run, reg);
		return true;
	case DW_CFA_undefined:
		put_kind(run, reg, PLACE_UNDEFINED);
		return true;
	case DW_CFA_same_value:
		put_kind(run, reg, PLACE_SAME);
		return true;
	case DW_CFA_register:
		place.reg = read_reg(run);
		put(run, reg, place);
		return true;
	case DW_CFA_expression:
		put(run, reg, expression_place(read_expression(run)));
		return true;
	case DW_CFA_val_expression:
		read_expression(run);
		put_kind(run, reg, PLACE_UNKNOWN);
		return true;
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
		cursor_uleb(&run->program);
		put_kind(run, reg, PLACE_UNKNOWN);
		return true;
	default:
		return false;
	}
}

/*
 * Runs an instruction that changes the CFA. Returns false if @op is not such an
 * instruction.
 */
static bool run_cfa(struct run *run, uint8_t op)
{
	uint8_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = read_reg(run);
		define_cfa(run, reg, checked(run, (int64_t)cursor_uleb(
						     &run->program)));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = read_reg(run);
		define_cfa(run, reg, read_factored_signed(run));
		return true;
	case DW_CFA_def_cfa_register:
		define_cfa(run, read_reg(run), run->state.offset);
		return true;
	case DW_CFA_def_cfa_offset:
		move_cfa(run, checked(run, (int64_t)cursor_uleb(
					      &run->program)));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		move_cfa(run, read_factored_signed(run));
		return true;
	case DW_CFA_def_cfa_expression:
		run->state.cfa = expression_cfa(read_expression(run),
						run->machine);
		return true;
	default:
		return false;
	}
}

/*
 * Runs an instruction that advances to the next row. Returns false if @op is
 * not such an instruction.
 */
static bool run_advance(struct run *run, uint8_t op)
{
	static const uint8_t size[] = {
		[DW_CFA_advance_loc1] = 1,
		[DW_CFA_advance_loc2] = 2,
		[DW_CFA_advance_loc4] = 4,
		[DW_CFA_MIPS_advance_loc8] = 8,
	};

	if (op == DW_CFA_set_loc) {
		run->next = frames_pointer(run->cie->part, &run->program,
					   run->cie->encoding) - run->start;
		return true;
	}
	if (op >= sizeof(size) || !size[op])
		return false;
	run->next += cursor_number(&run->program, size[op]) *
		     run->cie->code_align;
	return true;
}

static bool run_other(struct run *run, uint8_t op)
{
	switch (op) {
	case DW_CFA_nop:
	case DW_CFA_AARCH64_negate_ra_state:
	case DW_CFA_AARCH64_negate_ra_state_with_pc:
		return true;
	case DW_CFA_GNU_args_size:
		cursor_uleb(&run->program);
		return true;
	case DW_CFA_remember_state:
		remember(run);
		return true;
	case DW_CFA_restore_state:
		restore_remembered(run);
		return true;
	default:
		return run_cfa(run, op) || run_advance(run, op) ||
		       run_place(run, op);
	}
}

static void run_one(struct run *run)
{
	uint8_t op = cursor_u8(&run->program);
	uint8_t operand = op & (uint8_t)~DW_CFA_high;

	switch (op & DW_CFA_high) {
	case DW_CFA_advance_loc:
		run->next += operand * run->cie->code_align;
		break;
	case DW_CFA_offset:
		put_saved(run, operand, read_factored(run));
		break;
	case DW_CFA_restore:
		restore_initial(run, operand);
		break;
	default:
		if (!run_other(run, op))
			cursor_fail(&run->program);
	}
}

/*
 * Runs the program until the address changes. Returns false if the program has
 * failed.
 */
static bool run_row(struct run *run)
{
	uint64_t here = run->next;

	while (run->program.at < run->program.end && run->next == here)
		run_one(run);
	return !run->program.failed;
}

void cfa_program_init(struct cie *cie, const struct unwind_machine *machine)
{
	struct run run = {
		.machine = machine,
		.cie = cie,
		.program = cie->program,
	};

	put_kind(&run, (uint8_t)cie->ra, PLACE_SAME);
	if (!run_row(&run) || run.next)
		run.state.cfa.kind = CFA_UNKNOWN;
	cie->initial = run.state;
}

static int add_row(const struct run *run, const struct fde *fde, uint64_t from,
		   bool good, struct table *table)
{
	struct pfm_unwind_rule rule = { .kind = PFM_UNWIND_BAD };

	if (good)
		rule = rule_of_state(&run->state, fde->cie->signal,
				     run->machine);
	return table_add(table, fde->start + from, &rule);
}

int cfa_program_rows(const struct fde *fde,
		     const struct unwind_machine *machine, struct table *table)
{
	struct run run = {
		.machine = machine,
		.cie = fde->cie,
		.program = fde->program,
		.state = fde->cie->initial,
		.start = fde->address,
	};
	uint64_t from;
	bool good;
	int error;

	do {
		from = run.next;
		good = run_row(&run) && run.next >= from;
		error = add_row(&run, fde, from, good, table);
		if (error)
			return error;
	} while (good && run.next > from && run.next < fde->size);
	return 0;
}
