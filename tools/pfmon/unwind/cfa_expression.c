// SPDX-License-Identifier: MIT OR GPL-2.0
/* cfa_expression.c - convert DWARF expressions that have an equivalent rule */
#include "unwind/cfa_expression.h"
#include "unwind/dwarf.h"

/* A register and an offset from it. */
struct address {
	uint8_t reg;
	int32_t offset;
};

static bool add(int32_t *offset, uint64_t more)
{
	return !__builtin_add_overflow((int64_t)more, *offset, offset);
}

/*
 * Reads DW_OP_bregN. An expression that does not begin with it has no
 * equivalent rule.
 */
static bool read_breg(struct cursor *expression, struct address *address)
{
	uint8_t op = cursor_u8(expression);

	if (op < DW_OP_breg0 || op > DW_OP_breg31)
		return false;
	address->reg = op - DW_OP_breg0;
	address->offset = 0;
	return add(&address->offset, (uint64_t)cursor_sleb(expression)) &&
	       !expression->failed;
}

static bool next_is(struct cursor *expression, uint8_t op)
{
	if (expression->at == expression->end || *expression->at != op)
		return false;
	expression->at++;
	return true;
}

static bool read_sums(struct cursor *expression, int32_t *offset)
{
	while (next_is(expression, DW_OP_plus_uconst)) {
		if (!add(offset, cursor_uleb(expression)))
			return false;
	}
	return !expression->failed;
}

/*
 * Reads the rest of the expression that binutils writes for the PLT; returns
 * false if the expression is another one. In each PLT entry, the CFA is first
 * sp + OFFSET and, after the entry has pushed a word, sp + OFFSET + 8:
 *
 *	breg7 OFFSET, breg16 0, lit15, and, litLIMIT, ge, lit3, shl, plus
 */
static bool read_plt(struct cursor *expression, struct cfa *cfa)
{
	static const uint8_t before[] = {
		DW_OP_breg0 + 16, 0, DW_OP_lit0 + 15, DW_OP_and };
	static const uint8_t after[] = {
		DW_OP_ge, DW_OP_lit0 + 3, DW_OP_shl, DW_OP_plus };
	const uint8_t *rest = expression->at;

	if (cursor_left(expression) != sizeof(before) + 1 + sizeof(after) ||
	    memcmp(rest, before, sizeof(before)) ||
	    memcmp(rest + sizeof(before) + 1, after, sizeof(after)) ||
	    rest[sizeof(before)] < DW_OP_lit0 ||
	    rest[sizeof(before)] > DW_OP_lit0 + 15)
		return false;
	cfa->kind = CFA_PLT;
	cfa->more = rest[sizeof(before)] - DW_OP_lit0;
	return true;
}

struct cfa expression_cfa(struct cursor expression,
			  const struct unwind_machine *machine)
{
	static const struct cfa unknown = { .kind = CFA_UNKNOWN };
	struct cfa cfa = { .kind = CFA_REG };
	struct address address;

	if (!read_breg(&expression, &address))
		return unknown;
	cfa.reg = address.reg;
	cfa.offset = address.offset;
	if (!machine->links && cfa.reg == machine->sp &&
	    read_plt(&expression, &cfa))
		return cfa;
	if (!read_sums(&expression, &cfa.offset))
		return unknown;
	if (next_is(&expression, DW_OP_deref)) {
		cfa.kind = CFA_MEM;
		if (!read_sums(&expression, &cfa.more))
			return unknown;
	}
	return expression.at == expression.end ? cfa : unknown;
}

/*
 * When the evaluation of a DW_CFA_expression begins, the CFA is on the stack of
 * the evaluation.
 */
struct place expression_place(struct cursor expression)
{
	static const struct place unknown = { .kind = PLACE_UNKNOWN };
	struct place place = { .kind = PLACE_CFA };
	struct address address;

	/* OpenSSL's expressions drop the CFA before they use a register. */
	next_is(&expression, DW_OP_drop);
	if (cursor_left(&expression) && *expression.at != DW_OP_plus_uconst) {
		if (!read_breg(&expression, &address))
			return unknown;
		place = (struct place){ .kind = PLACE_AT, .reg = address.reg,
					.offset = address.offset };
	}
	if (!read_sums(&expression, &place.offset) ||
	    expression.at != expression.end)
		return unknown;
	return place;
}
