// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_walk_kunit.c - unwind artificial stacks with artificial tables
 *
 * The mapped code has one rule for each block of 256 bytes.
 */
#include <kunit/test.h>
#include <linux/elf-em.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include "unwind_random.h"
#include "unwind_walk.h"

#define TEXT	0x400000ULL
/* The address of a mapping without a table. */
#define JIT	0x500000ULL
#define STACK	0x7ffc00000000ULL
/* A second stack, below the first one. */
#define OTHER	0x7f0000000000ULL
#define WORDS	128
#define RULES	8
/* A value that is not an address in a mapping. */
#define SECRET	0x5ec2e75ec2e75ec2ULL
/* DWARF numbers of registers. */
#define X86_64_SP	7
#define X86_64_FP	6
#define X86_64_RBX	3
#define ARM64_SP	31
#define ARM64_FP	29
#define ARM64_LR	30
#define UNTOUCHED	0x5a5a5a5a5a5a5a5aULL

/*
 * The number of random trials. tests/kunit/run sets it to a million in `make
 * check-all`.
 */
static unsigned int trials = 20000;
module_param(trials, uint, 0);

struct bytes {
	struct pfm_unwind_head	head;
	u32			index[RULES + 1];
	struct pfm_unwind_rule	rules[RULES];
	u16			rule[RULES];
	u8			offset[RULES];
} __packed;

static struct bytes bytes __aligned(8);

static struct pfm_unwind_table table;
static u64 words[WORDS], others[WORDS];
static struct pfm_unwind_text texts[] = {
	{ TEXT, TEXT + 256 * RULES, TEXT, &table },
	{ JIT, JIT + 0x1000, 0, NULL },
};

static const struct pfm_unwind_stack stacks[] = {
	{ OTHER, OTHER + sizeof(others) },
	{ STACK, STACK + sizeof(words) },
};

static const struct pfm_unwind_space space = {
	ARRAY_SIZE(texts), ARRAY_SIZE(stacks), texts, stacks,
};

static struct pfm_unwind_frame frame;
static u64 out[PFM_UNWIND_MAX_FRAMES + 1];
/* The number of reads that were not aligned, or were outside the stacks. */
static unsigned int bad_reads;
/* An address whose page is not in memory. */
static u64 absent;

static bool read_word(u64 addr, u64 *word)
{
	if (addr == absent)
		return false;
	if (addr % 8)
		bad_reads++;
	if (addr >= STACK && addr < STACK + sizeof(words))
		*word = words[(addr - STACK) / 8];
	else if (addr >= OTHER && addr < OTHER + sizeof(others))
		*word = others[(addr - OTHER) / 8];
	else
		bad_reads++;
	return true;
}

static u64 read_reg(const void *regs, unsigned int number)
{
	return ((const u64 *)regs)[number];
}

static u64 strip(u64 addr)
{
	return addr & GENMASK_ULL(47, 0);
}

static u64 keep(u64 addr)
{
	return addr;
}

static const struct pfm_unwind_cpu x86 = {
	X86_64_SP, X86_64_FP, 0, read_word, read_reg, keep, X86_64_RBX,
};

static const struct pfm_unwind_cpu arm = {
	ARM64_SP, ARM64_FP, ARM64_LR, read_word, read_reg, strip, 0,
};

/* Return an address in the block of code with rule @i. */
static u64 code(unsigned int i)
{
	return TEXT + 256 * i + 16;
}

static u64 at(unsigned int word)
{
	return STACK + 8 * word;
}

/*
 * Return a rule for a frame whose CFA is @number words above the stack pointer,
 * and whose return address is in the word just below the CFA.
 */
static struct pfm_unwind_rule above(unsigned int number)
{
	return (struct pfm_unwind_rule) {
		.kind = PFM_UNWIND_REG, .reg = X86_64_SP,
		.cfa_offset = 8 * number, .ra_offset = -8,
	};
}

/*
 * By default, each rule says that the chain ends here, and the stack contains
 * no address of code.
 */
static int walk_init(struct kunit *test)
{
	unsigned int i;

	bytes = (struct bytes) {
		.head = {
			.magic = PFM_UNWIND_MAGIC,
			.version = PFM_UNWIND_VERSION,
			.nr_blocks = RULES, .nr_rows = RULES,
			.nr_rules = RULES, .size = sizeof(bytes),
		},
	};
	for (i = 0; i < RULES; i++) {
		bytes.rules[i].kind = PFM_UNWIND_END;
		bytes.rule[i] = i;
		bytes.index[i + 1] = i + 1;
	}
	memset64(words, SECRET, WORDS);
	memset64(others, SECRET, WORDS);
	memset64(out, UNTOUCHED, ARRAY_SIZE(out));
	frame = (struct pfm_unwind_frame){ .pc = code(0), .sp = STACK };
	bad_reads = 0;
	absent = 0;
	return 0;
}

static struct pfm_unwind_chain walk_by(struct kunit *test, unsigned int machine,
				       unsigned int max)
{
	struct pfm_unwind_chain chain;
	int err;

	bytes.head.machine = machine;
	err = pfm_unwind_table_init(&table, &bytes, sizeof(bytes), machine);
	KUNIT_ASSERT_EQ(test, err, 0);
	if (machine == EM_AARCH64)
		chain = pfm_unwind_walk(&arm, &space, &frame, out, max);
	else
		chain = pfm_unwind_walk(&x86, &space, &frame, out, max);
	KUNIT_EXPECT_EQ(test, bad_reads, 0U);
	KUNIT_ASSERT_LE(test, chain.nr, PFM_UNWIND_MAX_FRAMES);
	KUNIT_EXPECT_EQ(test, out[chain.nr], UNTOUCHED);
	return chain;
}

static void expect_on(struct kunit *test, unsigned int machine,
		      enum pfm_unwind_why why, unsigned int nr, const u64 *addr)
{
	struct pfm_unwind_chain chain = walk_by(test, machine, ARRAY_SIZE(out));
	unsigned int i;

	KUNIT_EXPECT_EQ(test, chain.why, why);
	KUNIT_ASSERT_EQ(test, chain.nr, nr);
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, out[i], addr[i]);
}

#define EXPECT_ON(test, machine, why, ...)				\
	expect_on(test, machine, why,					\
		  ARRAY_SIZE(((const u64[]){ __VA_ARGS__ })),		\
		  (const u64[]){ __VA_ARGS__ })
#define EXPECT(test, why, ...)						\
	EXPECT_ON(test, EM_X86_64, why, __VA_ARGS__)
#define EXPECT_ARM(test, why, ...)					\
	EXPECT_ON(test, EM_AARCH64, why, __VA_ARGS__)

static void chain_is_whole_at_outermost_frame(struct kunit *test)
{
	bytes.rules[0] = above(1);
	bytes.rules[1] = above(3);
	words[0] = code(1);
	words[3] = code(2);
	EXPECT(test, PFM_UNWIND_WHOLE, code(1), code(2));
}

static void address_is_looked_up_before_return(struct kunit *test)
{
	bytes.rules[0] = above(1);
	bytes.rules[1] = above(1);
	/*
	 * The call is the last instruction of block 1, so the return address is
	 * in block 2.
	 */
	words[0] = TEXT + 2 * 256;
	words[1] = code(3);
	EXPECT(test, PFM_UNWIND_WHOLE, TEXT + 2 * 256, code(3));
}

static void return_address_may_follow_mapping(struct kunit *test)
{
	bytes.rules[0] = above(1);
	words[0] = TEXT + RULES * 256;
	EXPECT(test, PFM_UNWIND_WHOLE, TEXT + RULES * 256);
}

static void cfa_comes_from_frame_pointer(struct kunit *test)
{
	bytes.rules[0] = (struct pfm_unwind_rule) {
		PFM_UNWIND_REG, X86_64_FP, 0, 1, 16, -8, -16,
	};
	bytes.rules[1] = bytes.rules[0];
	frame.fp = at(4);
	words[4] = at(9);
	words[5] = code(1);
	words[10] = code(2);
	EXPECT(test, PFM_UNWIND_WHOLE, code(1), code(2));
}

static void popped_frame_pointer_is_kept(struct kunit *test)
{
	bytes.rules[0] = (struct pfm_unwind_rule) {
		PFM_UNWIND_REG, X86_64_SP, 0, 1, 8, -8, -16,
	};
	bytes.rules[1] = (struct pfm_unwind_rule) {
		PFM_UNWIND_REG, X86_64_FP, 0, 0, 16, -8,
	};
	frame.sp = at(1);
	frame.fp = at(4);
	words[0] = at(8);
	words[1] = code(1);
	words[5] = code(2);
	EXPECT(test, PFM_UNWIND_WHOLE, code(1), code(2));
}

static void cfa_is_dereferenced(struct kunit *test)
{
	bytes.rules[0] = (struct pfm_unwind_rule) {
		PFM_UNWIND_MEM, X86_64_SP, 0, 0, 16, 8,
	};
	words[2] = at(6);
	words[7] = code(1);
	EXPECT(test, PFM_UNWIND_WHOLE, code(1));
}

/*
 * The rule finds the CFA by means of a word that the innermost function has
 * saved in the red zone, below the stack pointer.
 */
static void red_zone_is_read_in_first_frame(struct kunit *test)
{
	bytes.rules[0] = (struct pfm_unwind_rule) {
		PFM_UNWIND_MEM, X86_64_SP, 0, 0, -PFM_UNWIND_RED_ZONE, 0,
	};
	bytes.rules[1] = bytes.rules[0];
	frame.regs = words;
	frame.sp = at(16);
	words[0] = at(20);
	words[20] = code(1);
	/*
	 * In the second frame, the rule of code(1) would take the CFA from
	 * words[5] in the red zone, which must not be read.
	 */
	words[5] = at(30);
	words[30] = code(2);
	EXPECT(test, PFM_UNWIND_UNREADABLE, code(1));
}

/* Proves H31 */
static void nothing_below_red_zone_or_stack_is_read(struct kunit *test)
{
	bytes.rules[0] = (struct pfm_unwind_rule) {
		PFM_UNWIND_MEM, X86_64_SP, 0, 0, -PFM_UNWIND_RED_ZONE - 8, 0,
	};
	frame.regs = words;
	frame.sp = at(17);
	words[0] = at(20);
	words[20] = code(1);
	expect_on(test, EM_X86_64, PFM_UNWIND_UNREADABLE, 0, NULL);
	bytes.rules[0].cfa_offset = -8;
	frame.sp = STACK;
	expect_on(test, EM_X86_64, PFM_UNWIND_UNREADABLE, 0, NULL);
}

/*
 * The function has realigned its stack. The rule finds the CFA by means of the
 * word just below the one to which the frame pointer points.
 */
static void saved_word_is_at_frame_pointer(struct kunit *test)
{
	bytes.rules[0] = (struct pfm_unwind_rule) {
		PFM_UNWIND_MEM, X86_64_FP, 0, PFM_UNWIND_FP_FP, -8, -8, 0,
	};
	bytes.rules[1] = (struct pfm_unwind_rule) {
		PFM_UNWIND_REG, X86_64_FP, 0, 0, 16, -8,
	};
	frame.fp = at(2);
	words[1] = at(7);
	words[2] = at(9);
	words[6] = code(1);
	words[10] = code(2);
	EXPECT(test, PFM_UNWIND_WHOLE, code(1), code(2));
}

static void lost_frame_pointer_is_not_used(struct kunit *test)
{
	bytes.rules[0] = above(1);
	bytes.rules[0].fp = PFM_UNWIND_FP_LOST;
	bytes.rules[1].kind = PFM_UNWIND_NONE;
	frame.fp = at(4);
	words[0] = code(1);
	words[5] = code(2);
	EXPECT(test, PFM_UNWIND_NO_RULE, code(1));
}

static void plt_depends_on_address(struct kunit *test)
{
	bytes.rules[0] = (struct pfm_unwind_rule) {
		PFM_UNWIND_PLT, X86_64_SP, 0, 0, 8, 11,
	};
	words[0] = code(1);
	words[1] = code(2);
	frame.pc = TEXT + 16 + 10;
	EXPECT(test, PFM_UNWIND_WHOLE, code(1));
	memset64(out, UNTOUCHED, ARRAY_SIZE(out));
	frame.pc++;
	EXPECT(test, PFM_UNWIND_WHOLE, code(2));
}

static void other_register_is_known_in_first_frame(struct kunit *test)
{
	const u64 regs[16] = { [10] = at(3) };

	bytes.rules[0] = (struct pfm_unwind_rule) {
		PFM_UNWIND_REG, 10, 0, 0, 0, -8,
	};
	bytes.rules[1] = bytes.rules[0];
	frame.regs = regs;
	words[2] = code(1);
	EXPECT(test, PFM_UNWIND_NO_RULE, code(1));
}

/*
 * Set rule @number so that the CFA is relative to rbx, as in the dynamic
 * linker's code for lazy binding. In the tests rbx points to words[5], which
 * becomes the return address.
 */
static void frame_at_rbx(unsigned int number)
{
	bytes.rules[number] = (struct pfm_unwind_rule) {
		PFM_UNWIND_REG, X86_64_RBX, .cfa_offset = 8, .ra_offset = -8,
	};
	words[5] = code(2);
}

/*
 * Return a rule for a frame whose return address is in word 3 above the stack
 * pointer, and in which rbx is saved @below bytes below the CFA.
 */
static struct pfm_unwind_rule saves_rbx(int below)
{
	return (struct pfm_unwind_rule) {
		PFM_UNWIND_REG, X86_64_SP, .ra = PFM_UNWIND_RA_RBX,
		.cfa_offset = 32, .ra_offset = -below,
	};
}

static void saved_rbx_is_known(struct kunit *test)
{
	const u64 regs[16] = { [X86_64_RBX] = SECRET };

	bytes.rules[0] = saves_rbx(16);
	bytes.rules[1] = above(1);
	frame_at_rbx(3);
	frame.regs = regs;
	words[2] = at(5);
	words[3] = code(1);
	words[4] = code(3);
	EXPECT(test, PFM_UNWIND_WHOLE, code(1), code(3), code(2));
}

/*
 * After the function has restored rbx, the slot in which it had saved rbx is
 * below the stack pointer. Therefore the register is used instead of the slot.
 */
static void unsaved_rbx_is_in_its_register(struct kunit *test)
{
	const u64 regs[16] = { [X86_64_RBX] = at(5) };

	bytes.rules[0] = saves_rbx(40);
	frame_at_rbx(1);
	frame.regs = regs;
	words[3] = code(1);
	EXPECT(test, PFM_UNWIND_WHOLE, code(1), code(2));
	memset64(out, UNTOUCHED, ARRAY_SIZE(out));
	bytes.rules[0] = above(4);
	EXPECT(test, PFM_UNWIND_WHOLE, code(1), code(2));
}

static void rbx_outside_the_stack_is_not_known(struct kunit *test)
{
	const u64 regs[16] = { [X86_64_RBX] = at(5) };

	frame_at_rbx(1);
	frame.regs = regs;
	words[3] = code(1);
	bytes.rules[0] = saves_rbx(12);
	EXPECT(test, PFM_UNWIND_NO_RULE, code(1));
	memset64(out, UNTOUCHED, ARRAY_SIZE(out));
	bytes.rules[0] = saves_rbx(32 - (int)sizeof(words));
	EXPECT(test, PFM_UNWIND_NO_RULE, code(1));
}

/*
 * A signal handler, which runs on a lower stack, has interrupted a function
 * that has already restored rbx. The slot in which rbx was saved is below the
 * stack pointer of that function, and rbx itself is not known.
 *
 * Proves H31
 */
static void rbx_below_interrupted_frame_is_not_read(struct kunit *test)
{
	bytes.rules[0] = (struct pfm_unwind_rule) {
		PFM_UNWIND_SIGNAL, .cfa_offset = 16, .fp_offset = 32,
	};
	bytes.rules[2] = saves_rbx(40);
	frame_at_rbx(1);
	frame.sp = OTHER;
	others[0] = code(2);
	others[2] = at(1);
	words[0] = at(5);
	words[4] = code(1);
	EXPECT(test, PFM_UNWIND_NO_RULE, code(2), code(1));
}

static void other_steps_forget_rbx(struct kunit *test)
{
	const u64 regs[16] = { [X86_64_RBX] = at(5) };

	frame_at_rbx(1);
	frame.regs = regs;
	frame.fp = STACK;
	words[0] = at(8);
	words[1] = code(1);
	bytes.rules[0].kind = PFM_UNWIND_NONE;
	EXPECT(test, PFM_UNWIND_NO_RULE, code(1));
	memset64(out, UNTOUCHED, ARRAY_SIZE(out));
	/*
	 * This rule finds the return address in words[1], to which words[0]
	 * points.
	 */
	words[0] = at(1);
	bytes.rules[0] = (struct pfm_unwind_rule){ PFM_UNWIND_MEM, X86_64_SP };
	EXPECT(test, PFM_UNWIND_NO_RULE, code(1));
	memset64(out, UNTOUCHED, ARRAY_SIZE(out));
	words[0] = at(2);
	bytes.rules[0] = (struct pfm_unwind_rule) {
		PFM_UNWIND_SIGNAL, .ra_offset = 8, .fp_offset = 8,
	};
	EXPECT(test, PFM_UNWIND_NO_RULE, code(1));
}

static void link_register_is_known_in_first_frame(struct kunit *test)
{
	/*
	 * The return address in the link register contains a pointer
	 * authentication code.
	 */
	const u64 regs[32] = { [ARM64_LR] = code(1) | 0x12ULL << 48 };

	bytes.rules[0] = (struct pfm_unwind_rule) {
		PFM_UNWIND_REG, ARM64_SP, .ra = PFM_UNWIND_RA_REG,
		.ra_offset = ARM64_LR,
	};
	bytes.rules[1] = bytes.rules[0];
	frame.regs = regs;
	EXPECT_ARM(test, PFM_UNWIND_NO_RULE, code(1));
}

/*
 * This rule takes the return address from the frame pointer, which is known in
 * all frames, and does not raise the stack pointer. The chain must end here,
 * because otherwise this step could repeat forever.
 */
static void stack_pointer_rises_without_link_register(struct kunit *test)
{
	bytes.rules[0] = (struct pfm_unwind_rule) {
		PFM_UNWIND_REG, X86_64_SP, .ra = PFM_UNWIND_RA_REG,
		.ra_offset = X86_64_FP,
	};
	frame.fp = code(0);
	EXPECT(test, PFM_UNWIND_UNREADABLE);
}

/* A signal handler on a higher stack has interrupted a leaf function. */
static void signal_frame_returns_to_lower_stack(struct kunit *test)
{
	bytes.rules[0] = (struct pfm_unwind_rule) {
		PFM_UNWIND_SIGNAL, .cfa_offset = 16, .ra_offset = 0,
		.fp_offset = 32,
	};
	bytes.rules[2] = (struct pfm_unwind_rule) {
		PFM_UNWIND_REG, ARM64_FP, .cfa_offset = 16,
		.ra = PFM_UNWIND_RA_REG, .ra_offset = ARM64_LR,
	};
	/*
	 * The signal has interrupted the first instruction of block 2, so the
	 * rule of block 2 applies. If this were a return address, the rule of
	 * block 1 would apply.
	 */
	words[0] = TEXT + 2 * 256;
	words[2] = OTHER + 8;
	words[4] = OTHER + 16;
	words[5] = code(3);
	EXPECT_ARM(test, PFM_UNWIND_WHOLE, TEXT + 2 * 256, code(3));
}

static void signal_frame_on_x86_has_no_link_register(struct kunit *test)
{
	bytes.rules[0] = (struct pfm_unwind_rule) {
		PFM_UNWIND_SIGNAL, .cfa_offset = 16, .ra_offset = 0,
		.fp_offset = sizeof(words) - 8,
	};
	bytes.rules[2] = above(1);
	words[0] = code(2);
	words[2] = OTHER + 8;
	others[1] = code(3);
	EXPECT(test, PFM_UNWIND_WHOLE, code(2), code(3));
}

static void signal_frame_outside_stacks_ends_chain(struct kunit *test)
{
	bytes.rules[0] = (struct pfm_unwind_rule) {
		PFM_UNWIND_SIGNAL, .cfa_offset = 16, .fp_offset = 32,
	};
	words[0] = code(2);
	words[2] = OTHER + sizeof(others);
	EXPECT(test, PFM_UNWIND_UNREADABLE);
}

static void frame_pointer_is_followed_without_rule(struct kunit *test)
{
	struct pfm_unwind_chain chain;

	bytes.rules[0].kind = PFM_UNWIND_NONE;
	frame.fp = at(2);
	words[2] = at(6);
	words[3] = JIT + 16;
	words[6] = at(9);
	words[7] = code(1);
	chain = walk_by(test, EM_X86_64, ARRAY_SIZE(out));
	KUNIT_EXPECT_EQ(test, chain.why, PFM_UNWIND_WHOLE);
	KUNIT_EXPECT_EQ(test, chain.nr, 2U);
	KUNIT_EXPECT_EQ(test, chain.guessed, 2U);
	KUNIT_EXPECT_EQ(test, out[1], code(1));
}

static void stack_pointer_is_unknown_after_guess_on_arm64(struct kunit *test)
{
	bytes.rules[0].kind = PFM_UNWIND_NONE;
	bytes.rules[1] = above(1);
	bytes.rules[1].reg = ARM64_SP;
	frame.fp = at(2);
	words[3] = code(1);
	words[4] = code(2);
	EXPECT_ARM(test, PFM_UNWIND_NO_RULE, code(1));
	memset64(out, UNTOUCHED, ARRAY_SIZE(out));
	bytes.rules[1].kind = PFM_UNWIND_SIGNAL;
	EXPECT_ARM(test, PFM_UNWIND_NO_RULE, code(1));
}

static void inexpressible_rule_is_not_guessed(struct kunit *test)
{
	bytes.rules[0].kind = PFM_UNWIND_BAD;
	frame.fp = at(2);
	words[3] = code(1);
	EXPECT(test, PFM_UNWIND_NO_RULE);
}

static void chain_without_table_says_so(struct kunit *test)
{
	frame.pc = JIT;
	EXPECT(test, PFM_UNWIND_NO_TABLE);
	/* Repeat with a frame pointer that does not lead to code. */
	memset64(out, UNTOUCHED, ARRAY_SIZE(out));
	frame.fp = at(2);
	EXPECT(test, PFM_UNWIND_NO_TABLE);
}

static void code_outside_mappings_ends_chain(struct kunit *test)
{
	frame.pc = JIT - 1;
	EXPECT(test, PFM_UNWIND_NO_MAPPING);
	bytes.rules[0] = above(1);
	frame.pc = code(0);
	words[0] = TEXT;
	EXPECT(test, PFM_UNWIND_NO_MAPPING);
}

/* Proves H31 */
static void end_of_mapping_is_outside(struct kunit *test)
{
	const struct pfm_unwind_text code[] = {
		{ 0x1000, 0x2000 }, { 0x2000, 0x3000 }, { 0x3000, 0x4000 },
	};
	const struct pfm_unwind_stack data[] = {
		{ 0x1000, 0x2000 }, { 0x2000, 0x3000 }, { 0x3000, 0x4000 },
	};
	const struct pfm_unwind_space adjoining = { 3, 3, code, data };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_PTR_EQ(test, &code[i],
				    pfm_unwind_find_text(&adjoining, NULL,
							 code[i].start));
		KUNIT_EXPECT_EQ(test, data[i].end,
				pfm_unwind_find_end(&adjoining, data[i].start));
	}
	KUNIT_EXPECT_NULL(test, pfm_unwind_find_text(&adjoining, NULL, 0x4000));
	KUNIT_EXPECT_NULL(test, pfm_unwind_find_text(&adjoining, NULL, 0xfff));
	KUNIT_EXPECT_EQ(test, 0ULL, pfm_unwind_find_end(&adjoining, 0x4000));
	KUNIT_EXPECT_EQ(test, 0ULL, pfm_unwind_find_end(&adjoining, 0xfff));
}

static void stack_pointer_outside_stacks_ends_chain(struct kunit *test)
{
	bytes.rules[0] = above(1);
	frame.sp = STACK - 8;
	EXPECT(test, PFM_UNWIND_UNREADABLE);
	frame.sp = at(WORDS);
	EXPECT(test, PFM_UNWIND_UNREADABLE);
}

/*
 * Return addresses at these offsets must not be read.
 *
 * Proves H31
 */
static void words_outside_frame_are_not_read(struct kunit *test)
{
	const s32 bad[] = { -8, 8 * WORDS - 16, 8 * WORDS - 17, 1, 7, S32_MAX,
			    S32_MIN };
	unsigned int i;

	memset64(words, code(1), WORDS);
	frame.sp = at(2);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		bytes.rules[0] = above(0);
		bytes.rules[0].ra_offset = bad[i];
		EXPECT(test, PFM_UNWIND_UNREADABLE);
	}
	bytes.rules[0] = above(1);
	absent = at(2);
	EXPECT(test, PFM_UNWIND_UNREADABLE);
}

static void saved_words_outside_frame_are_not_read(struct kunit *test)
{
	bytes.rules[0] = above(1);
	bytes.rules[0].fp = 1;
	bytes.rules[0].fp_offset = 8 * WORDS;
	words[0] = code(1);
	EXPECT(test, PFM_UNWIND_UNREADABLE);
	bytes.rules[0] = (struct pfm_unwind_rule) {
		PFM_UNWIND_MEM, X86_64_SP, .cfa_offset = -8,
	};
	EXPECT(test, PFM_UNWIND_UNREADABLE);
}

/* Proves H31 */
static void stack_pointer_must_rise(struct kunit *test)
{
	/* The last offset is beyond the end of the stack. */
	const s32 bad[] = { 0, -8, -1024, 8 * WORDS + 8 };
	unsigned int i;

	words[0] = code(1);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		bytes.rules[0] = above(0);
		bytes.rules[0].cfa_offset = bad[i];
		bytes.rules[0].ra_offset = -bad[i];
		EXPECT(test, PFM_UNWIND_UNREADABLE);
	}
}

static void chain_fills_its_buffer(struct kunit *test)
{
	struct pfm_unwind_chain chain;
	unsigned int max;

	bytes.rules[0] = above(1);
	for (max = 0; max < 4; max++) {
		words[max] = code(0);
		words[max + 1] = code(1);
		memset64(out, UNTOUCHED, ARRAY_SIZE(out));
		chain = walk_by(test, EM_X86_64, max);
		KUNIT_EXPECT_EQ(test, chain.nr, max);
		KUNIT_EXPECT_EQ(test, chain.why, PFM_UNWIND_FULL);
	}
	memset64(out, UNTOUCHED, ARRAY_SIZE(out));
	chain = walk_by(test, EM_X86_64, 5);
	KUNIT_EXPECT_EQ(test, chain.nr, 5U);
	KUNIT_EXPECT_EQ(test, chain.why, PFM_UNWIND_WHOLE);
}

/*
 * The registers in this signal frame lead back to the signal frame itself.
 *
 * Proves H31
 */
static void endless_chain_is_cut(struct kunit *test)
{
	struct pfm_unwind_chain chain;

	bytes.rules[0] = (struct pfm_unwind_rule) {
		PFM_UNWIND_SIGNAL, .cfa_offset = 8,
	};
	words[0] = code(0);
	words[1] = STACK;
	chain = walk_by(test, EM_X86_64, ARRAY_SIZE(out));
	KUNIT_EXPECT_EQ(test, chain.nr, PFM_UNWIND_MAX_FRAMES);
	KUNIT_EXPECT_EQ(test, chain.why, PFM_UNWIND_FULL);
}

/*
 * With these kinds of rules, try to get words at all offsets in the stack as
 * return addresses. Among the words on the stack are pointers to the stack and
 * two addresses of code. Only these two addresses may be returned.
 *
 * Proves H31
 */
static void hostile_tables_reveal_code_addresses_only(struct kunit *test)
{
	const u8 kinds[] = { PFM_UNWIND_REG, PFM_UNWIND_MEM,
			     PFM_UNWIND_SIGNAL };
	struct pfm_unwind_chain chain;
	unsigned int i, kind, found = 0;
	s32 off;

	words[8] = at(20);
	words[9] = 0;
	words[11] = at(3);
	words[30] = code(1);
	words[70] = JIT + 5;
	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		for (off = -64; off < (s32)sizeof(words) + 64; off++) {
			bytes.rules[0] = (struct pfm_unwind_rule) {
				kinds[kind], X86_64_SP, 0, 1,
				kind ? 64 : 8, off, off,
			};
			chain = walk_by(test, EM_X86_64, ARRAY_SIZE(out));
			for (i = 0; i < chain.nr; i++) {
				KUNIT_EXPECT_TRUE(test, out[i] == code(1) ||
						  out[i] == JIT + 5);
				out[i] = UNTOUCHED;
			}
			found += chain.nr;
		}
	}
	KUNIT_EXPECT_GT(test, found, 5U);
}

static void random_tables_keep_promises(struct kunit *test)
{
	struct rnd_seen seen = {};
	u8 *room = kunit_kmalloc(test, RND_MOST, GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, room);
	for (i = 0; i < trials && !rnd_broken; i++) {
		rnd_trial(room, &seen);
		cond_resched();
	}
	KUNIT_EXPECT_STREQ(test, rnd_broken ?: "", "");
	KUNIT_EXPECT_GT(test, seen.refused, 0UL);
	for (i = PFM_UNWIND_WHOLE; i <= PFM_UNWIND_UNREADABLE; i++)
		KUNIT_EXPECT_GT_MSG(test, seen.why[i], 0UL, "end %u", i);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(chain_is_whole_at_outermost_frame),
	KUNIT_CASE(address_is_looked_up_before_return),
	KUNIT_CASE(return_address_may_follow_mapping),
	KUNIT_CASE(cfa_comes_from_frame_pointer),
	KUNIT_CASE(popped_frame_pointer_is_kept),
	KUNIT_CASE(cfa_is_dereferenced),
	KUNIT_CASE(red_zone_is_read_in_first_frame),
	KUNIT_CASE(nothing_below_red_zone_or_stack_is_read),
	KUNIT_CASE(saved_word_is_at_frame_pointer),
	KUNIT_CASE(lost_frame_pointer_is_not_used),
	KUNIT_CASE(plt_depends_on_address),
	KUNIT_CASE(other_register_is_known_in_first_frame),
	KUNIT_CASE(saved_rbx_is_known),
	KUNIT_CASE(unsaved_rbx_is_in_its_register),
	KUNIT_CASE(rbx_outside_the_stack_is_not_known),
	KUNIT_CASE(rbx_below_interrupted_frame_is_not_read),
	KUNIT_CASE(other_steps_forget_rbx),
	KUNIT_CASE(link_register_is_known_in_first_frame),
	KUNIT_CASE(stack_pointer_rises_without_link_register),
	KUNIT_CASE(signal_frame_returns_to_lower_stack),
	KUNIT_CASE(signal_frame_on_x86_has_no_link_register),
	KUNIT_CASE(signal_frame_outside_stacks_ends_chain),
	KUNIT_CASE(frame_pointer_is_followed_without_rule),
	KUNIT_CASE(stack_pointer_is_unknown_after_guess_on_arm64),
	KUNIT_CASE(inexpressible_rule_is_not_guessed),
	KUNIT_CASE(chain_without_table_says_so),
	KUNIT_CASE(code_outside_mappings_ends_chain),
	KUNIT_CASE(end_of_mapping_is_outside),
	KUNIT_CASE(stack_pointer_outside_stacks_ends_chain),
	KUNIT_CASE(words_outside_frame_are_not_read),
	KUNIT_CASE(saved_words_outside_frame_are_not_read),
	KUNIT_CASE(stack_pointer_must_rise),
	KUNIT_CASE(chain_fills_its_buffer),
	KUNIT_CASE(endless_chain_is_cut),
	KUNIT_CASE(hostile_tables_reveal_code_addresses_only),
	KUNIT_CASE(random_tables_keep_promises),
	{}
};

static struct kunit_suite suite = {
	.name = "pfm_unwind_walk",
	.init = walk_init,
	.test_cases = cases,
};

kunit_test_suite(suite);
