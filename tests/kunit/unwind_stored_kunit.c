// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_stored_kunit.c - unwind stored stacks of Debian's programs, and
 * compare the call chains with those of elfutils
 *
 * tests/kunit/store_stacks has stored the stacks. All stacks are unwound
 * with one unwind table, which covers only the blocks of code that they need.
 */
#include <kunit/test.h>
#include <linux/elf-em.h>
#include <linux/string.h>
#include "unwind_walk.h"

/**
 * struct stored_stop - a stopped program
 * @program: its name
 * @regs:    registers by DWARF number
 * @chain:   the call chain according to elfutils: addresses, innermost first
 * @stacks:  bounds of the stacks
 * @texts:   blocks of code: address of each, and its number in the table
 * @words:   words on the stacks: address and value of each
 *
 * Each list ends with 0.
 */
struct stored_stop {
	const char	*program;
	u64		regs[16];
	u64		chain[32];
	u64		stacks[4][2];
	u64		texts[64][2];
	u64		words[128][2];
};

#include "unwind_stored.h"

#define SP	7
#define FP	6
#define RBX	3

/* The stopped program whose stack is being unwound. */
static const struct stored_stop *stop;

static bool read_word(u64 addr, u64 *word)
{
	unsigned int i;

	for (i = 0; stop->words[i][0] != addr; i++)
		if (!stop->words[i][0])
			return false;
	*word = stop->words[i][1];
	return true;
}

static u64 read_reg(const void *regs, unsigned int number)
{
	return ((const u64 *)regs)[number];
}

static u64 keep(u64 addr)
{
	return addr;
}

static const struct pfm_unwind_cpu cpu = {
	SP, FP, 0, read_word, read_reg, keep, RBX,
};

static void *append(void *at, const void *bytes, size_t size)
{
	memcpy(at, bytes, size);
	return at + size;
}

static struct pfm_unwind_table make_table(struct kunit *test)
{
	const struct pfm_unwind_head head = {
		.magic = PFM_UNWIND_MAGIC, .version = PFM_UNWIND_VERSION,
		.machine = EM_X86_64,
		.nr_blocks = ARRAY_SIZE(stored_index) - 1,
		.nr_rows = ARRAY_SIZE(stored_rule),
		.nr_rules = ARRAY_SIZE(stored_rules),
		.size = sizeof(head) + sizeof(stored_index) +
			sizeof(stored_rules) + sizeof(stored_rule) +
			sizeof(stored_offset),
	};
	u8 *bytes = kunit_kmalloc(test, head.size, GFP_KERNEL), *at = bytes;
	struct pfm_unwind_table table;
	int err;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	at = append(at, &head, sizeof(head));
	at = append(at, stored_index, sizeof(stored_index));
	at = append(at, stored_rules, sizeof(stored_rules));
	at = append(at, stored_rule, sizeof(stored_rule));
	append(at, stored_offset, sizeof(stored_offset));
	err = pfm_unwind_table_init(&table, bytes, head.size, EM_X86_64);
	KUNIT_ASSERT_EQ(test, err, 0);
	return table;
}

static struct pfm_unwind_chain walk(const struct pfm_unwind_table *table,
				    u64 *out, unsigned int max)
{
	static struct pfm_unwind_text texts[ARRAY_SIZE(stop->texts)];
	struct pfm_unwind_stack stacks[ARRAY_SIZE(stop->stacks)];
	struct pfm_unwind_space space = { .texts = texts, .stacks = stacks };
	const struct pfm_unwind_frame first = {
		.pc = stop->chain[0], .sp = stop->regs[SP],
		.fp = stop->regs[FP], .regs = stop->regs,
	};
	u64 at;
	u32 i;

	for (i = 0; (at = stop->texts[i][0]); i++)
		texts[space.nr_texts++] = (struct pfm_unwind_text) {
			at, at + PFM_UNWIND_BLOCK,
			at - PFM_UNWIND_BLOCK * stop->texts[i][1], table,
		};
	for (i = 0; stop->stacks[i][0]; i++)
		stacks[space.nr_stacks++] = (struct pfm_unwind_stack) {
			stop->stacks[i][0], stop->stacks[i][1],
		};
	return pfm_unwind_walk(&cpu, &space, &first, out, max);
}

static void stored_stacks_are_followed_as_by_elfutils(struct kunit *test)
{
	struct pfm_unwind_table table = make_table(test);
	u64 out[ARRAY_SIZE(stop->chain)];
	struct pfm_unwind_chain chain;
	unsigned int i, n;

	for (n = 0; n < ARRAY_SIZE(stored_stops); n++) {
		stop = &stored_stops[n];
		chain = walk(&table, out, ARRAY_SIZE(out));
		KUNIT_EXPECT_EQ_MSG(test, chain.why, PFM_UNWIND_WHOLE, "%s",
				    stop->program);
		KUNIT_EXPECT_EQ(test, chain.guessed, 0U);
		for (i = 0; i < chain.nr; i++)
			KUNIT_EXPECT_EQ(test, out[i], stop->chain[1 + i]);
		KUNIT_EXPECT_EQ(test, stop->chain[1 + i], 0ULL);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(stored_stacks_are_followed_as_by_elfutils),
	{}
};

static struct kunit_suite suite = {
	.name = "pfm_unwind_stored",
	.test_cases = cases,
};

kunit_test_suite(suite);
