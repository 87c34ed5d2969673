/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_table.h - checking and searching unwind tables (perfmon_unwind.h)
 *
 * This is also compiled in user space, for tests that follow the call chains of
 * running programs.
 */
#ifndef PFM_UNWIND_TABLE_H
#define PFM_UNWIND_TABLE_H

#include <linux/stddef.h>
#include <linux/types.h>
#include <perfmon/perfmon_unwind.h>
#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/nospec.h>
#else
#include <stdbool.h>
#define array_index_nospec(index, size)	((void)(size), (index))
#endif

/**
 * struct pfm_unwind_table - a table that has passed pfm_unwind_table_init()
 * @start:     first offset in the file that the table describes
 * @nr_blocks: number of blocks
 * @index:     first row of each block; the last element is the number of rows
 * @rules:     the different rules
 * @rule:      index in @rules for each row
 * @offset:    address of each row, relative to its block
 */
struct pfm_unwind_table {
	__u64				start;
	__u32				nr_blocks;
	const __u32			*index;
	const struct pfm_unwind_rule	*rules;
	const __u16			*rule;
	const __u8			*offset;
};

/*
 * Check the table in @bytes, and make @table refer to it, in time linear in
 * @size. An accepted table is safe to search and to follow, even if its rules
 * are wrong. @bytes must be aligned to 8, and must not be freed or changed
 * while the table is in use.
 * Context: any.
 * Return: 0; -EINVAL if the table is damaged, has another version, or is not
 * for @machine (EM_X86_64, EM_AARCH64).
 */
int pfm_unwind_table_init(struct pfm_unwind_table *table, const void *bytes,
			  size_t size, unsigned int machine);

/*
 * Find the rule for an address, which is relative to the table's start. This is
 * a binary search of at most 9 steps, because a block has at most 256 rows. The
 * monitored program may control the address, so the index of the block is
 * clamped against speculation.
 * Context: any, NMI included. Return: the rule, or NULL.
 */
static __always_inline const struct pfm_unwind_rule *
pfm_unwind_find_rule(const struct pfm_unwind_table *table, __u64 addr)
{
	__u64 block = addr / PFM_UNWIND_BLOCK;
	__u32 low, high, mid;

	if (block >= table->nr_blocks)
		return NULL;
	block = array_index_nospec(block, table->nr_blocks);
	low = table->index[block];
	high = table->index[block + 1];
	while (low < high) {
		mid = low + (high - low) / 2;
		if (table->offset[mid] <= addr % PFM_UNWIND_BLOCK)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &table->rules[table->rule[low - 1]] : NULL;
}

#endif /* PFM_UNWIND_TABLE_H */
