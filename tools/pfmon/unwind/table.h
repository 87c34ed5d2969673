/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* table.h - build a table for the kernel from rows (perfmon_unwind.h) */
#ifndef PFMON_UNWIND_TABLE_H
#define PFMON_UNWIND_TABLE_H

#include <perfmon/perfmon_unwind.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLE_RULE_HASH		(1U << 17)	/* twice PFM_UNWIND_MAX_RULES */

struct table_row {
	uint64_t start;		/* offset in the file */
	uint32_t rule;
};

/* A table that is being built. */
struct table {
	struct table_row *rows;
	size_t nr_rows, rows_room;
	struct pfm_unwind_rule *rules;
	size_t nr_rules, rules_room;
	uint32_t *hash;		/* number of a rule + 1; 0 is free */
};

int table_init(struct table *table);
void table_free(struct table *table);

/*
 * Adds a row. Its start must not be below the start of the last row. If both
 * are equal, the new row replaces the last one. Returns 0 or a negative errno.
 */
int table_add(struct table *table, uint64_t start,
	      const struct pfm_unwind_rule *rule);

/*
 * Returns the rule that applies at an offset in the file. The offset must not
 * be below the start of the first row.
 */
struct pfm_unwind_rule table_rule(const struct table *table, uint64_t offset);

/*
 * Returns the table's bytes, which the caller frees; NULL with errno set on
 * failure. A table without rows describes no code.
 */
struct pfm_unwind_head *table_bytes(const struct table *table,
				    uint16_t elf_machine);

#endif /* PFMON_UNWIND_TABLE_H */
