// SPDX-License-Identifier: MIT OR GPL-2.0
/* table.c - build a table for the kernel from rows (perfmon_unwind.h) */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/growing.h"
#include "unwind/table.h"

/* In bytes. The largest real tables have a few megabytes. */
#define LARGEST_TABLE	(64U << 20)
#define MOST_ROWS	(LARGEST_TABLE / 3)

/*
 * Maximum number of slots of the hash table that are probed for a rule. Random
 * rules need at most 60 probes, but all rules of a hostile file can have the
 * same hash.
 */
#define MOST_PROBES	256

int table_init(struct table *table)
{
	*table = (struct table){ .nr_rows = 0 };
	table->hash = calloc(TABLE_RULE_HASH, sizeof(*table->hash));
	return table->hash ? 0 : -ENOMEM;
}

void table_free(struct table *table)
{
	free(table->rows);
	free(table->rules);
	free(table->hash);
}

static uint32_t hash_rule(const struct pfm_unwind_rule *rule)
{
	uint64_t words[2];

	_Static_assert(sizeof(words) == sizeof(*rule), "two words");
	memcpy(words, rule, sizeof(words));
	words[0] = (words[0] ^ words[1] * 0x9e3779b97f4a7c15ULL) *
		   0xff51afd7ed558ccdULL;
	return (uint32_t)(words[0] >> 40);
}

/* Sets *number to the number of a rule; assigns one if the rule is new. */
static int number_rule(struct table *table, const struct pfm_unwind_rule *rule,
		       uint32_t *number)
{
	uint32_t slot = hash_rule(rule) % TABLE_RULE_HASH, probes = 0;

	for (; table->hash[slot]; slot = (slot + 1) % TABLE_RULE_HASH) {
		if (probes++ == MOST_PROBES)
			return -EFBIG;
		*number = table->hash[slot] - 1;
		if (!memcmp(&table->rules[*number], rule, sizeof(*rule)))
			return 0;
	}
	if (table->nr_rules == PFM_UNWIND_MAX_RULES)
		return -EFBIG;
	if (!GROWN(table->rules, table->nr_rules, table->rules_room))
		return -ENOMEM;
	*number = (uint32_t)table->nr_rules++;
	table->rules[*number] = *rule;
	table->hash[slot] = *number + 1;
	return 0;
}

int table_add(struct table *table, uint64_t start,
	      const struct pfm_unwind_rule *rule)
{
	struct table_row row = { .start = start };
	int error = number_rule(table, rule, &row.rule);

	if (error)
		return error;
	if (table->nr_rows && table->rows[table->nr_rows - 1].start == start)
		table->nr_rows--;
	if (table->nr_rows && table->rows[table->nr_rows - 1].rule == row.rule)
		return 0;
	if (table->nr_rows == MOST_ROWS)
		return -EFBIG;
	if (!GROWN(table->rows, table->nr_rows, table->rows_room))
		return -ENOMEM;
	table->rows[table->nr_rows++] = row;
	return 0;
}

struct pfm_unwind_rule table_rule(const struct table *table, uint64_t offset)
{
	size_t low = 0, high = table->nr_rows;

	/*
	 * The row @low starts at or before the offset, the row @high after it.
	 */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (table->rows[middle].start <= offset)
			low = middle;
		else
			high = middle;
	}
	return table->rules[table->rows[low].rule];
}

static bool size_table(const struct table *table, struct pfm_unwind_head *head)
{
	uint64_t blocks = 0, size;

	if (table->nr_rows) {
		head->start = table->rows[0].start -
			      table->rows[0].start % PFM_UNWIND_BLOCK;
		blocks = (table->rows[table->nr_rows - 1].start - head->start) /
			 PFM_UNWIND_BLOCK + 1;
	}
	if (blocks > LARGEST_TABLE / sizeof(uint32_t))
		return false;
	size = sizeof(*head) + (blocks + 1) * sizeof(uint32_t) +
	       table->nr_rules * sizeof(struct pfm_unwind_rule) +
	       table->nr_rows * (sizeof(uint16_t) + sizeof(uint8_t));
	head->nr_blocks = (uint32_t)blocks;
	head->nr_rows = (uint32_t)table->nr_rows;
	head->nr_rules = (uint32_t)table->nr_rules;
	head->size = (uint32_t)size;
	return size <= LARGEST_TABLE;
}

static void fill_index(const struct table *table,
		       const struct pfm_unwind_head *head, uint32_t *index)
{
	uint32_t row = 0;

	for (uint32_t block = 0; block < head->nr_blocks; block++) {
		uint64_t start = head->start +
				 (uint64_t)block * PFM_UNWIND_BLOCK;

		while (row < head->nr_rows && table->rows[row].start < start)
			row++;
		index[block] = row;
	}
	index[head->nr_blocks] = head->nr_rows;
}

static void fill_table(const struct table *table, struct pfm_unwind_head *head)
{
	uint32_t *index = (uint32_t *)(head + 1);
	void *rules = index + head->nr_blocks + 1;
	uint16_t *row_rules = (uint16_t *)((char *)rules + table->nr_rules *
					   sizeof(struct pfm_unwind_rule));
	uint8_t *row_offsets = (uint8_t *)(row_rules + table->nr_rows);

	fill_index(table, head, index);
	if (table->nr_rules)
		memcpy(rules, table->rules,
		       table->nr_rules * sizeof(struct pfm_unwind_rule));
	for (size_t i = 0; i < table->nr_rows; i++) {
		row_rules[i] = (uint16_t)table->rows[i].rule;
		row_offsets[i] = (uint8_t)(table->rows[i].start %
					   PFM_UNWIND_BLOCK);
	}
}

struct pfm_unwind_head *table_bytes(const struct table *table,
				    uint16_t elf_machine)
{
	struct pfm_unwind_head *bytes, head = {
		.magic = PFM_UNWIND_MAGIC,
		.version = PFM_UNWIND_VERSION,
		.machine = elf_machine,
	};

	if (!size_table(table, &head)) {
		errno = EFBIG;
		return NULL;
	}
	bytes = malloc(head.size);
	if (!bytes)
		return NULL;
	*bytes = head;
	fill_table(table, bytes);
	return bytes;
}
