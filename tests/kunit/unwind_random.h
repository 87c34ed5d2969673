/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_random.h - random unwind tables, stacks and mappings
 *
 * A trial unwinds one random stack with one random table, and checks the
 * guarantees that unwind_walk.h gives. A KUnit suite runs some trials, and
 * tests/tools/unwind_trials.c runs many on the host.
 */
#ifndef PFM_UNWIND_RANDOM_H
#define PFM_UNWIND_RANDOM_H

#include <linux/elf-em.h>
#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <string.h>
#endif
#include "unwind_walk.h"

/*
 * Addresses and sizes of the code, of the stack and of another stack below it;
 * the stack pointers' DWARF numbers; maximum numbers.
 */
#define RND_TEXT	0x400000ULL
#define RND_TEXTS	4
#define RND_TEXT_SIZE	0x800ULL
#define RND_STACK	0x7ffc00000000ULL
#define RND_OTHER	0x7f0000000000ULL
#define RND_X86_64_SP	7
#define RND_ARM64_SP	31
#define RND_WORDS	192
#define RND_REGS	32
#define RND_OTHERS	16
#define RND_BLOCKS	8
#define RND_RULES	12
/* The size of the largest table, rounded up to a multiple of 8. */
#define RND_MOST	((sizeof(struct pfm_unwind_head) + \
			  4 * (RND_BLOCKS + 1) + 16 * RND_RULES + \
			  3 * 256 * RND_BLOCKS) / 8 * 8 + 8)
#define RND_ROOM	(PFM_UNWIND_MAX_FRAMES + 8)

/* The outcomes of all trials: counts, and the length of the longest chain. */
struct rnd_seen {
	unsigned long	trials;
	unsigned long	refused;
	unsigned long	guessed;
	unsigned long	longest;
	unsigned long	why[PFM_UNWIND_UNREADABLE + 1];
};

static __u64 rnd_state = 1;
static __u64 rnd_words[RND_WORDS], rnd_others[RND_OTHERS];
static unsigned int rnd_reads;
/* In the current trial, one in rnd_odds words, rules and reads is invalid. */
static __u32 rnd_odds;
/* The first guarantee that was violated, or NULL. */
static const char *rnd_broken;

/*
 * Return a random number. This is xorshift64, because the kernel's functions
 * for random numbers are missing in user space.
 */
static inline __u64 rnd(void)
{
	rnd_state ^= rnd_state << 13;
	rnd_state ^= rnd_state >> 7;
	rnd_state ^= rnd_state << 17;
	return rnd_state >> 11;
}

static inline __u32 rnd_below(__u32 n)
{
	return ((rnd() & 0xffffffff) * n) >> 32;
}

static inline bool rnd_one_in(__u32 n)
{
	return !rnd_below(n);
}

static inline bool rnd_odd(void)
{
	return rnd_one_in(rnd_odds);
}

static inline void rnd_expect(bool kept, const char *promise)
{
	if (!kept && !rnd_broken)
		rnd_broken = promise;
}

static inline __u64 rnd_code(void)
{
	return RND_TEXT + rnd_below(RND_TEXTS * RND_TEXT_SIZE);
}

static inline __u64 rnd_stack_address(void)
{
	if (rnd_one_in(8))
		return RND_OTHER + 8 * rnd_below(RND_OTHERS + 2);
	return RND_STACK + 8 * rnd_below(RND_WORDS + 4);
}

static inline __u64 rnd_word(void)
{
	if (!rnd_odd())
		return rnd_code();
	switch (rnd_below(3)) {
	case 0:
		return rnd() * rnd();
	case 1:
		return rnd_stack_address() + rnd_below(8);
	default:
		return rnd_stack_address();
	}
}

static inline bool rnd_read(__u64 addr, __u64 *word)
{
	rnd_reads++;
	rnd_expect(!(addr % 8), "reads are aligned");
	if (addr - RND_STACK < sizeof(rnd_words))
		*word = rnd_words[(addr - RND_STACK) / 8];
	else if (addr - RND_OTHER < sizeof(rnd_others))
		*word = rnd_others[(addr - RND_OTHER) / 8];
	else
		rnd_expect(false, "reads are on a stack");
	return !rnd_odd();
}

static inline __u64 rnd_reg(const void *regs, unsigned int number)
{
	rnd_expect(number < RND_REGS, "registers exist");
	return ((const __u64 *)regs)[number];
}

static inline __u64 rnd_strip(__u64 addr)
{
	return addr & ((1ULL << 48) - 1);
}

static inline struct pfm_unwind_rule rnd_rule(unsigned int machine)
{
	bool arm64 = machine == EM_AARCH64;
	struct pfm_unwind_rule rule = {
		.kind = PFM_UNWIND_REG,
		.reg = arm64 ? RND_ARM64_SP : RND_X86_64_SP,
		.cfa_offset = 8 * (1 + rnd_below(2)),
		.ra_offset = -8,
		.fp_offset = -8,
	};

	if (rnd_odd())
		rule.kind = rnd_below(PFM_UNWIND_KINDS);
	if (arm64 && (rule.kind == PFM_UNWIND_MEM ||
		      rule.kind == PFM_UNWIND_PLT))
		rule.kind = PFM_UNWIND_NONE;
	if (rnd_odd())
		rule.reg = rnd_below(16);
	if (rnd_odd())
		rule.fp = rnd_below(PFM_UNWIND_FPS);
	if (rnd_odd())
		rule.cfa_offset = rnd();
	if (rnd_odd())
		rule.ra_offset = rnd();
	if (rnd_odd())
		rule.fp_offset = rnd();
	if (rule.kind == PFM_UNWIND_REG && rnd_odd()) {
		rule.ra = PFM_UNWIND_RA_REG;
		rule.ra_offset = rnd_below(arm64 ? 32 : 16);
	} else if (rule.kind == PFM_UNWIND_REG && !arm64 && rnd_odd()) {
		rule.ra = PFM_UNWIND_RA_RBX;
	}
	return rule;
}

/* Write a valid table. Return: its size. */
static inline __u32 rnd_table(void *bytes, unsigned int machine)
{
	struct pfm_unwind_head *head = bytes;
	__u32 *index = (void *)(head + 1), i, b;
	struct pfm_unwind_rule *rules;
	static __u8 offsets[256 * RND_BLOCKS];
	__u16 *rule;

	*head = (struct pfm_unwind_head) {
		.magic = PFM_UNWIND_MAGIC, .version = PFM_UNWIND_VERSION,
		.machine = machine, .start = 256 * rnd_below(8),
		.nr_blocks = 1 + rnd_below(RND_BLOCKS),
		.nr_rules = 1 + rnd_below(RND_RULES),
	};
	for (b = 0; b < head->nr_blocks; b++) {
		__u32 every = 1 + rnd_below(64);

		index[b] = head->nr_rows;
		for (i = 0; i < 256; i++)
			if (rnd_one_in(every))
				offsets[head->nr_rows++] = i;
	}
	index[b] = head->nr_rows;
	rules = (void *)&index[b + 1];
	for (i = 0; i < head->nr_rules; i++)
		rules[i] = rnd_rule(machine);
	rule = (void *)&rules[i];
	for (i = 0; i < head->nr_rows; i++)
		rule[i] = rnd_below(head->nr_rules);
	memcpy(&rule[i], offsets, head->nr_rows);
	head->size = (__u8 *)&rule[i] + head->nr_rows - (__u8 *)bytes;
	return head->size;
}

static inline bool rnd_is_code(const struct pfm_unwind_text *texts, __u64 addr)
{
	__u32 i;

	/*
	 * A return address may be the address after the mapping's last
	 * instruction.
	 */
	for (i = 0; i < RND_TEXTS; i++)
		if (addr >= texts[i].start && addr <= texts[i].end)
			return true;
	return false;
}

static inline void rnd_check(const struct pfm_unwind_chain *chain,
			     const struct pfm_unwind_text *texts,
			     const __u64 *out, __u32 max)
{
	__u32 limit = max < PFM_UNWIND_MAX_FRAMES ? max : PFM_UNWIND_MAX_FRAMES;
	__u32 i;

	rnd_expect(chain->nr <= limit, "the chain's length is limited");
	rnd_expect(chain->why > PFM_UNWIND_MORE &&
		   chain->why <= PFM_UNWIND_UNREADABLE, "the chain has an end");
	rnd_expect(chain->why != PFM_UNWIND_FULL || chain->nr == limit,
		   "chains that end with FULL are full");
	rnd_expect(rnd_reads <= 4 * (limit + 1), "few reads per frame");
	for (i = 0; i < chain->nr && i < RND_ROOM; i++)
		rnd_expect(rnd_is_code(texts, out[i]), "addresses are in code");
	for (i = chain->nr; i < RND_ROOM; i++)
		rnd_expect(out[i] == ~0ULL, "nothing is written after the chain");
}

/* Unwind a random stack with a table. */
static inline void rnd_walk(const struct pfm_unwind_table *table,
			    const struct pfm_unwind_cpu *cpu,
			    struct rnd_seen *seen)
{
	const struct pfm_unwind_stack stacks[] = {
		{ RND_OTHER, RND_OTHER + sizeof(rnd_others) },
		{ RND_STACK, RND_STACK + sizeof(rnd_words) },
	};
	struct pfm_unwind_text texts[RND_TEXTS];
	__u64 regs[RND_REGS];
	const struct pfm_unwind_space space = { RND_TEXTS, 2, texts, stacks };
	struct pfm_unwind_frame frame = {
		.pc = rnd_code(), .sp = RND_STACK + 8 * rnd_below(16),
		.fp = rnd_stack_address(), .regs = regs,
	};
	static __u64 out[RND_ROOM];
	struct pfm_unwind_chain chain;
	__u32 i, max = rnd_below(RND_ROOM);

	for (i = 0; i < RND_TEXTS; i++) {
		texts[i].start = RND_TEXT + i * RND_TEXT_SIZE;
		texts[i].end = texts[i].start + RND_TEXT_SIZE -
			       (rnd_odd() ? 256 : 0);
		texts[i].shift = texts[i].start + (rnd_odd() ? 256 : 0);
		texts[i].table = rnd_odd() ? NULL : table;
	}
	for (i = 0; i < RND_REGS; i++)
		regs[i] = rnd_word();
	for (i = 0; i < RND_WORDS; i++)
		rnd_words[i] = rnd_word();
	for (i = 0; i < RND_OTHERS; i++)
		rnd_others[i] = rnd_word();
	memset(out, 0xff, sizeof(out));
	rnd_reads = 0;
	chain = pfm_unwind_walk(cpu, &space, &frame, out, max);
	rnd_check(&chain, texts, out, max);
	if (rnd_broken)
		return;
	seen->why[chain.why]++;
	seen->guessed += chain.guessed;
	if (chain.nr > seen->longest)
		seen->longest = chain.nr;
}

/*
 * Make a table, which may be damaged. If it is accepted, unwind a stack with
 * it. @room has RND_MOST bytes and is aligned to 8 bytes. The table's end is in
 * the last 8 bytes of @room, so reads beyond the table are likely to be
 * detected.
 */
static inline void rnd_trial(__u8 *room, struct rnd_seen *seen)
{
	static const struct pfm_unwind_cpu cpus[] = {
		{ RND_X86_64_SP, 6, 0, rnd_read, rnd_reg, rnd_strip, 3 },
		{ RND_ARM64_SP, 29, 30, rnd_read, rnd_reg, rnd_strip, 0 },
	};
	static __u64 made[RND_MOST / 8];
	unsigned int n = rnd_below(2), damages = rnd_one_in(2) + rnd_below(2);
	unsigned int machine = n ? EM_AARCH64 : EM_X86_64;
	struct pfm_unwind_table table;
	__u8 *bytes;
	__u32 size;

	rnd_odds = rnd_one_in(2) ? 4 : 1000;
	size = rnd_table(made, machine);
	bytes = room + (RND_MOST - size) / 8 * 8;
	seen->trials++;
	while (damages--)
		((__u8 *)made)[rnd_below(size)] = rnd();
	memcpy(bytes, made, size);
	if (pfm_unwind_table_init(&table, bytes, size, machine)) {
		seen->refused++;
		return;
	}
	rnd_walk(&table, &cpus[n], seen);
}

#endif /* PFM_UNWIND_RANDOM_H */
