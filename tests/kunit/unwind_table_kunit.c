// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_table_kunit.c - the checks of unwind tables, and the search for the
 * rule of an address
 */
#include <kunit/test.h>
#include <linux/elf-em.h>
#include <linux/slab.h>
#include "unwind_table.h"

#define BLOCKS	3
#define RULES	2
#define ROWS	260

/*
 * A table with rows for all 256 addresses of block 0, for none of block 1, and
 * for 4 of block 2.
 */
struct bytes {
	struct pfm_unwind_head	head;
	u32			index[BLOCKS + 1];
	struct pfm_unwind_rule	rules[RULES];
	u16			rule[ROWS];
	u8			offset[ROWS];
} __packed;

static struct bytes bytes __aligned(8);
static struct pfm_unwind_table table;

static int table_init(struct kunit *test)
{
	const u8 offsets[] = { 4, 5, 100, 255 };
	unsigned int i;

	bytes = (struct bytes) {
		.head = {
			.magic = PFM_UNWIND_MAGIC,
			.version = PFM_UNWIND_VERSION,
			.machine = EM_X86_64, .start = 0x1000,
			.nr_blocks = BLOCKS, .nr_rows = ROWS,
			.nr_rules = RULES, .size = sizeof(bytes),
		},
		.index = { 0, 256, 256, ROWS },
		.rules = {
			{ .kind = PFM_UNWIND_REG, .reg = 7, .cfa_offset = 8 },
			{ .kind = PFM_UNWIND_END },
		},
	};
	for (i = 0; i < 256; i++) {
		bytes.offset[i] = i;
		bytes.rule[i] = i % 2;
	}
	memcpy(&bytes.offset[i], offsets, sizeof(offsets));
	for (; i < ROWS; i++)
		bytes.rule[i] = (i + 1) % 2;
	return 0;
}

static int check(void)
{
	return pfm_unwind_table_init(&table, &bytes, sizeof(bytes), EM_X86_64);
}

static void sound_table_is_accepted(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, check(), 0);
	KUNIT_EXPECT_EQ(test, table.start, 0x1000ULL);
}

static void damaged_head_is_refused(struct kunit *test)
{
	struct pfm_unwind_head good = bytes.head, bad[10];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = good;
	bad[0].magic++;
	bad[1].version++;
	bad[2].machine = EM_AARCH64;
	bad[3].start += 8;
	bad[4].start = -(u64)(256 * BLOCKS);
	bad[5].nr_blocks = 0;
	bad[6].nr_blocks = U32_MAX;
	bad[7].nr_rows--;
	bad[8].nr_rules++;
	bad[9].size--;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		bytes.head = bad[i];
		KUNIT_EXPECT_EQ_MSG(test, check(), -EINVAL, "head %u", i);
	}
	bytes.head = good;
	KUNIT_EXPECT_EQ(test, check(), 0);
}

static void wrong_size_is_refused(struct kunit *test)
{
	size_t size;

	for (size = 0; size < sizeof(bytes); size++) {
		bytes.head.size = size;
		KUNIT_EXPECT_EQ(test, pfm_unwind_table_init(&table, &bytes,
							    size, EM_X86_64),
				-EINVAL);
	}
}

/* Check a table that has only rules, and the right size for them. */
static int check_rules(struct kunit *test, u32 nr_rules)
{
	size_t size = sizeof(struct pfm_unwind_head) + 2 * sizeof(u32) +
		      nr_rules * sizeof(struct pfm_unwind_rule);
	struct pfm_unwind_head *head = kvzalloc(size, GFP_KERNEL);
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, head);
	*head = (struct pfm_unwind_head) {
		.magic = PFM_UNWIND_MAGIC, .version = PFM_UNWIND_VERSION,
		.machine = EM_X86_64, .nr_blocks = 1, .nr_rules = nr_rules,
		.size = size,
	};
	ret = pfm_unwind_table_init(&table, head, size, EM_X86_64);
	kvfree(head);
	return ret;
}

static void number_of_rules_is_limited(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, check_rules(test, PFM_UNWIND_MAX_RULES), 0);
	KUNIT_EXPECT_EQ(test, check_rules(test, PFM_UNWIND_MAX_RULES + 1),
			-EINVAL);
}

/*
 * With so many blocks, the size of the index wraps in 32 bits, so that the
 * head's size seems right.
 */
static void wrapped_sizes_are_refused(struct kunit *test)
{
	bytes.head.nr_blocks += 1U << 30;
	KUNIT_EXPECT_EQ(test, check(), -EINVAL);
}

/* Proves H31 */
static void damaged_index_is_refused(struct kunit *test)
{
	const u32 bad[][BLOCKS + 1] = {
		{ 1, 256, 256, ROWS },
		{ 0, 256, 255, ROWS },
		{ 0, 255, 256, ROWS - 1 },
		{ 0, 256, 256, ROWS + 1 },
		{ 0, U32_MAX, 256, ROWS },
		{ 0, 257, 257, ROWS },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		memcpy(bytes.index, bad[i], sizeof(bad[i]));
		KUNIT_EXPECT_EQ_MSG(test, check(), -EINVAL, "index %u", i);
	}
}

/* Proves H31 */
static void rows_out_of_order_are_refused(struct kunit *test)
{
	bytes.offset[ROWS - 2] = bytes.offset[ROWS - 3];
	KUNIT_EXPECT_EQ(test, check(), -EINVAL);
	bytes.offset[ROWS - 2] = bytes.offset[ROWS - 1];
	KUNIT_EXPECT_EQ(test, check(), -EINVAL);
	table_init(test);
	bytes.rule[ROWS - 1] = RULES;
	KUNIT_EXPECT_EQ(test, check(), -EINVAL);
}

/* Proves H31 */
static void damaged_rule_is_refused(struct kunit *test)
{
	const struct pfm_unwind_rule bad[] = {
		{ .kind = PFM_UNWIND_KINDS },
		{ .kind = PFM_UNWIND_REG, .reg = 16 },
		{ .kind = PFM_UNWIND_REG, .ra = PFM_UNWIND_RAS },
		{ .kind = PFM_UNWIND_REG, .fp = PFM_UNWIND_FPS },
		{ PFM_UNWIND_REG, .ra = PFM_UNWIND_RA_REG, .ra_offset = 16 },
		{ PFM_UNWIND_REG, .ra = PFM_UNWIND_RA_REG, .ra_offset = -1 },
		{ PFM_UNWIND_MEM, .ra = PFM_UNWIND_RA_REG, .ra_offset = 1 },
		{ PFM_UNWIND_MEM, .ra = PFM_UNWIND_RA_RBX },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		bytes.rules[1] = bad[i];
		KUNIT_EXPECT_EQ_MSG(test, check(), -EINVAL, "rule %u", i);
	}
}

static void expect_arm64(struct kunit *test, struct pfm_unwind_rule rule,
			 int expected)
{
	int err;

	bytes.head.machine = EM_AARCH64;
	bytes.rules[1] = rule;
	err = pfm_unwind_table_init(&table, &bytes, sizeof(bytes), EM_AARCH64);
	KUNIT_EXPECT_EQ(test, err, expected);
}

static void rules_depend_on_machine(struct kunit *test)
{
	struct pfm_unwind_rule rule = { PFM_UNWIND_REG, 31 };

	expect_arm64(test, rule, 0);
	rule.ra = PFM_UNWIND_RA_REG;
	rule.ra_offset = 30;
	expect_arm64(test, rule, 0);
	rule.ra_offset = 32;
	expect_arm64(test, rule, -EINVAL);
	rule.ra = PFM_UNWIND_RA_RBX;
	expect_arm64(test, rule, -EINVAL);
	rule = (struct pfm_unwind_rule){ PFM_UNWIND_REG, 32 };
	expect_arm64(test, rule, -EINVAL);
	rule = (struct pfm_unwind_rule){ PFM_UNWIND_PLT };
	expect_arm64(test, rule, -EINVAL);
	rule.kind = PFM_UNWIND_MEM;
	expect_arm64(test, rule, -EINVAL);
}

static void expect_rule(struct kunit *test, u64 addr, int number)
{
	const struct pfm_unwind_rule *rule = pfm_unwind_find_rule(&table, addr);

	if (number < 0)
		KUNIT_EXPECT_NULL_MSG(test, rule, "address %llx", addr);
	else
		KUNIT_EXPECT_PTR_EQ_MSG(test, rule,
					&table.rules[number], "address %llx",
					addr);
}

static void row_holds_up_to_next_row(struct kunit *test)
{
	unsigned int i;

	KUNIT_ASSERT_EQ(test, check(), 0);
	for (i = 0; i < 256; i++)
		expect_rule(test, i, i % 2);
	for (i = 256; i < 512 + 4; i++)
		expect_rule(test, i, 1);
	expect_rule(test, 512 + 5, 0);
	expect_rule(test, 512 + 99, 0);
	expect_rule(test, 512 + 100, 1);
	expect_rule(test, 512 + 254, 1);
	expect_rule(test, 512 + 255, 0);
}

/* Proves H31 */
static void address_outside_table_has_no_rule(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, check(), 0);
	expect_rule(test, 256 * BLOCKS, -1);
	expect_rule(test, 1ULL << 32, -1);
	expect_rule(test, U64_MAX, -1);
}

/*
 * Check a table of four rows with the offsets 3 to 6. The index entries of
 * blocks 1 and 2 are @first and @second.
 */
static int check_four_rows(u32 first, u32 second)
{
	static const u8 offsets[] = { 3, 4, 5, 6 };

	bytes.index[1] = first;
	bytes.index[2] = second;
	bytes.index[3] = 4;
	bytes.head.nr_rows = 4;
	memcpy(&bytes.rule[4], offsets, sizeof(offsets));
	bytes.head.size = offsetof(struct bytes, rule) + 3 * 4;
	return pfm_unwind_table_init(&table, &bytes, bytes.head.size,
				     EM_X86_64);
}

static void falling_index_is_refused(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, check_four_rows(3, 3), 0);
	KUNIT_EXPECT_EQ(test, check_four_rows(3, 2), -EINVAL);
}

static void address_before_first_row_has_no_rule(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, check_four_rows(0, 0), 0);
	expect_rule(test, 0, -1);
	expect_rule(test, 512 + 2, -1);
	expect_rule(test, 512 + 3, 0);
	expect_rule(test, 512 + 6, 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(sound_table_is_accepted),
	KUNIT_CASE(damaged_head_is_refused),
	KUNIT_CASE(wrong_size_is_refused),
	KUNIT_CASE(number_of_rules_is_limited),
	KUNIT_CASE(wrapped_sizes_are_refused),
	KUNIT_CASE(damaged_index_is_refused),
	KUNIT_CASE(rows_out_of_order_are_refused),
	KUNIT_CASE(damaged_rule_is_refused),
	KUNIT_CASE(rules_depend_on_machine),
	KUNIT_CASE(row_holds_up_to_next_row),
	KUNIT_CASE(address_outside_table_has_no_rule),
	KUNIT_CASE(falling_index_is_refused),
	KUNIT_CASE(address_before_first_row_has_no_rule),
	{}
};

static struct kunit_suite suite = {
	.name = "pfm_unwind_table",
	.init = table_init,
	.test_cases = cases,
};

kunit_test_suite(suite);
