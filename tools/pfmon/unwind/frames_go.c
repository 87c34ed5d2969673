// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * frames_go.c - functions of Go programs, which .gopclntab describes
 *
 * Since Go 1.18, this section has these parts:
 *
 * - a header
 * - the list of functions: for each the offset of its code, from the start of
 *   all Go code, and the offset of its record; then the offset of the end of
 *   all Go code
 * - the records
 * - tables; each function has one that contains the stack depth: how far sp is
 *   below its value at the function's entry
 *
 * Since Go 1.26, the header does not contain the start of all Go code. The
 * runtime's description of the program, in the section .go.module, does.
 *
 * A table is a list of pairs of numbers: the change of the value, and the
 * number of units of code for which the new value holds. The initial value is
 * -1.
 */
#include <errno.h>

#include "unwind/frames_go.h"
#include "unwind/growing.h"

#define ALIGNMENT	32	/* the header is aligned to this */

#define MAGIC_GO_1_18	0xfffffff0
#define MAGIC_GO_1_20	0xfffffff1

/* Offsets in the header */
#define HEAD_ZERO	4
#define HEAD_UNIT	6
#define HEAD_COUNT	8
#define HEAD_START	24
#define HEAD_TABLES	56
#define HEAD_FUNCTIONS	64
#define HEAD_SIZE	72

/* Offset in .go.module of the start of all Go code */
#define MODULE_START	176

/* Offsets in a record; a field was added in front of the flags in Go 1.20. */
#define RECORD_TABLE	16
#define RECORD_FLAGS	37
#define ADDED_IN_1_20	4

#define FLAG_TOP_FRAME	0x1	/* the outermost frame of its stack */
#define FLAG_WRITES_SP	0x2	/* changes sp in ways its table omits */

/* x86_64: bytes of a return address or of a saved frame pointer */
#define WORD	8

struct go_section {
	struct elf_part part;	/* from the header on */
	uint32_t unit;		/* bytes of a unit of code */
	uint64_t start;		/* address of the first code */
	uint64_t tables, functions;	/* offsets */
	uint64_t flags;		/* offset in a record */
};

static struct cursor cursor_at(const struct elf_part *part, uint64_t offset)
{
	struct cursor cursor = cursor_of(part->bytes, part->size);

	cursor_skip(&cursor, offset);
	return cursor;
}

static uint64_t number_at(const struct elf_part *part, uint64_t offset,
			  unsigned int size)
{
	struct cursor cursor = cursor_at(part, offset);

	return cursor_number(&cursor, size);
}

/*
 * In a position-independent program, finds the value that the dynamic linker
 * will store at @address. Returns 0 or a negative errno.
 */
static int find_relocated(const struct elf_file *file, uint64_t address,
			  uint64_t *value)
{
	struct elf_part part;
	int found = elf_file_section(file, ".rela.dyn", &part);
	struct cursor cursor;
	uint64_t at, addend;

	if (found <= 0)
		return found;
	cursor = cursor_of(part.bytes, part.size);
	do {
		at = cursor_number(&cursor, 8);
		cursor_skip(&cursor, 8);
		addend = cursor_number(&cursor, 8);
		if (at == address && !cursor.failed)
			*value = addend;
	} while (!cursor.failed);
	free(part.bytes);
	return 0;
}

/*
 * Reads the start of all Go code from .go.module. Returns 0 or a negative
 * errno.
 */
static int read_module(struct go_section *section, const struct elf_file *file)
{
	struct elf_part part;
	int found = elf_file_section(file, ".go.module", &part);
	uint64_t at;

	if (found <= 0)
		return found;
	at = part.address + MODULE_START;
	section->start = number_at(&part, MODULE_START, 8);
	free(part.bytes);
	return section->start ? 0 : find_relocated(file, at, &section->start);
}

/* Returns whether these bytes may begin with a header. */
static bool is_header(const struct elf_part *part)
{
	uint64_t magic = number_at(part, 0, 4);

	return part->size >= HEAD_SIZE &&
	       (magic == MAGIC_GO_1_18 || magic == MAGIC_GO_1_20) &&
	       !number_at(part, HEAD_ZERO, 2) &&
	       number_at(part, HEAD_UNIT + 1, 1) == 8;
}

/*
 * Reads the header. Returns 1; 0 if the section cannot be used; or a negative
 * errno.
 */
static int read_header(struct go_section *section, const struct elf_file *file)
{
	const struct elf_part *part = &section->part;
	uint64_t magic = number_at(part, 0, 4);
	int error = 0;

	section->unit = (uint32_t)number_at(part, HEAD_UNIT, 1);
	section->start = number_at(part, HEAD_START, 8);
	section->tables = number_at(part, HEAD_TABLES, 8);
	section->functions = number_at(part, HEAD_FUNCTIONS, 8);
	section->flags = RECORD_FLAGS +
			 (magic == MAGIC_GO_1_20 ? ADDED_IN_1_20 : 0);
	if (!section->start)
		error = find_relocated(file, part->address + HEAD_START,
				       &section->start);
	if (!error && !section->start)
		error = read_module(section, file);
	return error ?: section->start && section->unit;
}

static enum go_kind kind_of(uint64_t flags)
{
	return flags & FLAG_TOP_FRAME ? GO_TOP :
	       flags & FLAG_WRITES_SP ? GO_WRITES_SP : GO_FUNCTION;
}

/* Reads a function, and leaves the cursor at the next one. */
static bool read_function(const struct go_section *section,
			  const struct elf_file *file, struct cursor *list,
			  struct fde *fde)
{
	uint64_t begin = cursor_number(list, 4);
	uint64_t record = section->functions + cursor_number(list, 4);
	struct cursor next = *list;
	uint64_t end = cursor_number(&next, 4);
	uint64_t table = number_at(&section->part, record + RECORD_TABLE, 4);

	*fde = (struct fde){
		.address = section->start + begin,
		.size = end - begin,
		.unit = section->unit,
		.program = cursor_at(&section->part, section->tables + table),
		.go = kind_of(number_at(&section->part, record + section->flags,
					1)),
	};
	return !next.failed && end > begin && table && !fde->program.failed &&
	       elf_file_offset(file, fde->address, fde->size, &fde->start);
}

static int read_functions(struct frames *frames,
			  const struct go_section *section,
			  const struct elf_file *file)
{
	struct cursor list = cursor_at(&section->part, section->functions);
	uint64_t left = number_at(&section->part, HEAD_COUNT, 8);
	size_t room = 0;

	for (; left && !list.failed; left--) {
		if (!GROWN(frames->fdes, frames->nr_fdes, room))
			return -ENOMEM;
		if (read_function(section, file, &list,
				  &frames->fdes[frames->nr_fdes]))
			frames->nr_fdes++;
	}
	frames_sort(frames);
	return 0;
}

/*
 * Returns 1 if the file contains code compiled by Go, 0 if not, or a negative
 * errno.
 */
static int has_go(const struct elf_file *file)
{
	struct elf_part part;
	int found = elf_file_section(file, ".go.buildinfo", &part);

	if (found > 0)
		free(part.bytes);
	return found;
}

/*
 * Copies the section that contains the .gopclntab data. Returns 1; 0 if the
 * file does not have such a section; or a negative errno.
 */
static int read_section(struct elf_part *part, const struct elf_file *file)
{
	int found = elf_file_section(file, ".gopclntab", part);

	if (!found)
		found = elf_file_section(file, ".data.rel.ro.gopclntab", part);
	if (found)
		return found;
	/* Linkers other than Go's merge .gopclntab into .data.rel.ro. */
	found = has_go(file);
	return found > 0 ? elf_file_section(file, ".data.rel.ro", part) : found;
}

/*
 * Finds the header of the .gopclntab data in a section, which may begin with
 * other data. Returns false if it is missing.
 */
static bool find_header(struct go_section *section, const struct elf_part *part)
{
	for (size_t at = 0; at < part->size; at += ALIGNMENT) {
		section->part = (struct elf_part){
			.bytes = part->bytes + at, .size = part->size - at,
			.address = part->address + at,
		};
		if (is_header(&section->part))
			return true;
	}
	return false;
}

int frames_read_go(struct frames *frames, const struct elf_file *file)
{
	struct go_section section;
	int found;

	*frames = (struct frames){ .nr_fdes = 0 };
	found = read_section(&frames->part, file);
	if (found > 0)
		found = find_header(&section, &frames->part) ?
			read_header(&section, file) : 0;
	return found > 0 ? read_functions(frames, &section, file) : found;
}

/*
 * Returns the rule for a stack depth, which is how far sp is below its value at
 * the entry.
 */
static struct pfm_unwind_rule rule_of(int64_t depth,
				      const struct unwind_machine *machine)
{
	struct pfm_unwind_rule rule = {
		.kind = PFM_UNWIND_REG,
		.reg = machine->sp,
	};

	if (depth < 0 || depth > INT32_MAX - WORD)
		return (struct pfm_unwind_rule){ .kind = PFM_UNWIND_BAD };
	if (!machine->links) {
		rule.cfa_offset = (int32_t)depth + WORD;
		rule.ra_offset = -WORD;
		if (depth) {
			rule.fp = PFM_UNWIND_FP_CFA;
			rule.fp_offset = -2 * WORD;
		}
	} else if (!depth) {
		rule.ra = PFM_UNWIND_RA_REG;
		rule.ra_offset = machine->ra;
	} else {
		/*
		 * The frame pointer is saved below sp, where a signal may
		 * overwrite it.
		 */
		rule.cfa_offset = (int32_t)depth;
		rule.ra_offset = -(int32_t)depth;
		rule.fp = PFM_UNWIND_FP_LOST;
	}
	return rule;
}

/* Reads the next pair of a table; returns false at its end. */
static bool next_pair(struct cursor *table, bool first, int64_t *depth,
		      uint64_t *units)
{
	uint64_t change = cursor_uleb(table);

	if (!change && !first)
		return false;
	*depth += (int32_t)(change >> 1 ^ -(change & 1));
	*units = cursor_uleb(table);
	return !table->failed && *units;
}

static int add_rows(const struct fde *fde, const struct unwind_machine *machine,
		    struct table *table)
{
	static const struct pfm_unwind_rule none = { .kind = PFM_UNWIND_NONE };
	struct cursor pairs = fde->program;
	struct pfm_unwind_rule rule;
	uint64_t at = 0, units;
	int64_t depth = -1;
	int error = 0;

	while (!error && at < fde->size &&
	       next_pair(&pairs, !at, &depth, &units)) {
		rule = rule_of(depth, machine);
		error = table_add(table, fde->start + at, &rule);
		at += units > fde->size ? fde->size : units * fde->unit;
	}
	/*
	 * Code after the last pair is padding and needs no row. Without any
	 * pair, add a row, so that the rule of the code before the function
	 * does not apply.
	 */
	if (!error && !at)
		error = table_add(table, fde->start, &none);
	return error;
}

int frames_go_rows(const struct fde *fde, const struct unwind_machine *machine,
		   struct table *table)
{
	const struct pfm_unwind_rule whole = {
		.kind = fde->go == GO_TOP ? PFM_UNWIND_END : PFM_UNWIND_BAD,
	};

	return fde->go == GO_FUNCTION ? add_rows(fde, machine, table) :
	       table_add(table, fde->start, &whole);
}
