// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_table.c - checking unwind tables
 */
#include <linux/elf-em.h>
#include <linux/errno.h>
#include "unwind_table.h"

/*
 * Highest DWARF register number that a rule may contain: r15 on x86_64, sp on
 * arm64
 */
#define X86_64_LAST_REG	15
#define ARM64_LAST_REG	31

static bool head_is_valid(const struct pfm_unwind_head *head, size_t size,
			  unsigned int machine)
{
	__u64 text = (__u64)head->nr_blocks * PFM_UNWIND_BLOCK;
	__u64 needed = sizeof(*head) + sizeof(__u32) +
		       sizeof(__u32) * (__u64)head->nr_blocks +
		       sizeof(struct pfm_unwind_rule) * (__u64)head->nr_rules +
		       (sizeof(__u16) + sizeof(__u8)) * (__u64)head->nr_rows;

	return head->magic == PFM_UNWIND_MAGIC &&
	       head->version == PFM_UNWIND_VERSION &&
	       head->machine == machine && head->size == size &&
	       needed == size && head->nr_blocks &&
	       head->nr_rules <= PFM_UNWIND_MAX_RULES &&
	       !(head->start % PFM_UNWIND_BLOCK) &&
	       head->start + text > head->start;
}

/*
 * Check the index, and that the offsets rise within each block: a block then
 * has at most 256 rows.
 */
static bool rows_are_valid(const struct pfm_unwind_table *table, __u32 nr_rows)
{
	__u32 block, row, last;

	if (table->index[0])
		return false;
	for (block = 0; block < table->nr_blocks; block++) {
		row = table->index[block];
		last = table->index[block + 1];
		if (last < row || last > nr_rows)
			return false;
		for (row++; row < last; row++)
			if (table->offset[row] <= table->offset[row - 1])
				return false;
	}
	return table->index[block] == nr_rows;
}

static bool numbers_are_valid(const struct pfm_unwind_table *table,
			      const struct pfm_unwind_head *head)
{
	__u32 row;

	for (row = 0; row < head->nr_rows; row++)
		if (table->rule[row] >= head->nr_rules)
			return false;
	return true;
}

static bool rule_is_valid(const struct pfm_unwind_rule *rule,
			  unsigned int machine)
{
	bool arm64 = machine == EM_AARCH64;
	__u32 last_reg = arm64 ? ARM64_LAST_REG : X86_64_LAST_REG;

	if (rule->reg > last_reg || rule->fp >= PFM_UNWIND_FPS ||
	    rule->ra >= PFM_UNWIND_RAS)
		return false;
	if (rule->ra == PFM_UNWIND_RA_REG)
		return rule->kind == PFM_UNWIND_REG &&
		       (__u32)rule->ra_offset <= last_reg;
	if (rule->ra == PFM_UNWIND_RA_RBX)
		return rule->kind == PFM_UNWIND_REG && !arm64;
	if (rule->kind == PFM_UNWIND_MEM || rule->kind == PFM_UNWIND_PLT)
		return !arm64;
	return rule->kind < PFM_UNWIND_KINDS;
}

static bool rules_are_valid(const struct pfm_unwind_table *table,
			    const struct pfm_unwind_head *head)
{
	__u32 i;

	for (i = 0; i < head->nr_rules; i++)
		if (!rule_is_valid(&table->rules[i], head->machine))
			return false;
	return true;
}

int pfm_unwind_table_init(struct pfm_unwind_table *table, const void *bytes,
			  size_t size, unsigned int machine)
{
	const struct pfm_unwind_head *head = bytes;
	struct pfm_unwind_table new;

	if (size < sizeof(*head) || !head_is_valid(head, size, machine))
		return -EINVAL;
	new.start = head->start;
	new.nr_blocks = head->nr_blocks;
	new.index = (const void *)(head + 1);
	new.rules = (const void *)(new.index + head->nr_blocks + 1);
	new.rule = (const void *)(new.rules + head->nr_rules);
	new.offset = (const void *)(new.rule + head->nr_rows);
	if (!rows_are_valid(&new, head->nr_rows) ||
	    !numbers_are_valid(&new, head) || !rules_are_valid(&new, head))
		return -EINVAL;
	*table = new;
	return 0;
}
