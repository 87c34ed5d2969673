// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * nmi_unwind.c - call chains by unwind tables, walked in NMIs
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "chains.h"
#include "check.h"
#include "ctx.h"
#include "rig.h"
#include "tables.h"
#include "unwind_random.h"

#define NMIS	200
/* The required number of samples in code with known callers. */
#define ENOUGH	100
/*
 * The most rounds until chains are complete: NMIs may delay the copy for long.
 */
#define MOST_ROUNDS	20
/*
 * The number of random tables per round, their maximum, and the random stacks
 * per table.
 */
#define TABLES		2
#define MOST_TABLES	60
#define STACKS		3
/* The number of changes of the program's mappings per round. */
#define CHANGES		4

#define noipa	__attribute__((noipa))

extern const char __start_bottom_text[], __stop_bottom_text[];

static __u64 callers[2];

#define NOTE(n) \
	(callers[n] = (uintptr_t)__builtin_return_address(0))

static noipa __section("bottom_text") void spin(const bool *done)
{
	NOTE(0);
	while (!__atomic_load_n(done, __ATOMIC_ACQUIRE))
		;
}

static noipa void spin_below(const bool *done)
{
	NOTE(1);
	spin(done);
	no_tail_call();
}

/*
 * Create a context that samples every NMI of this thread on CPU 0, with the
 * tables of a set.
 */
static struct mapped sampling_by(int set)
{
	struct mapped m = callstack_new(set);

	/*
	 * Use two events per NMI, because not all PMUs support a period of one.
	 */
	rig_add_counter(m.fd, 0, 0, 2);
	ctx_pin(0);
	return m;
}

static struct mapped sampling(void)
{
	rig_need();
	return sampling_by(own_set());
}

static bool is_spinning(const pfm_callstack_record_t *record)
{
	return record->ip >= (uintptr_t)__start_bottom_text &&
	       record->ip < (uintptr_t)__stop_bottom_text;
}

/*
 * Return: the number of samples in spin(). *whole: the number of those with all
 * callers.
 */
static unsigned int count_spinning(const struct mapped *m, unsigned int *whole)
{
	const pfm_callstack_record_t *record = NULL;
	unsigned int spinning = 0;
	const __u64 *user;

	*whole = 0;
	while ((record = next_record(m, record, &user))) {
		if (!is_spinning(record))
			continue;
		spinning++;
		*whole += record->user_end == PFM_UNWIND_WHOLE &&
			  ends_in_start(record, user) &&
			  user[1] == callers[0] && user[2] == callers[1];
	}
	return spinning;
}

/*
 * Expect complete chains. Chains are incomplete until the mappings have been
 * copied, and in a function's prologue.
 */
static void expect_whole_chains(const struct mapped *m)
{
	unsigned int spinning, whole, rounds = 0;

	do {
		/* The restart empties the buffer if it is full. */
		CHECK_OK(pfm_restart(m->fd));
		rig_fire_while(NMIS, spin_below);
		spinning = count_spinning(m, &whole);
		rounds += spinning >= ENOUGH;
	} while (spinning < ENOUGH ||
		 (whole <= spinning / 2 && rounds < MOST_ROUNDS));
	printf("# %u spinning, %u whole\n", spinning, whole);
	CHECK(whole > spinning / 2);
}

TEST(chain_at_user_level_is_whole)
{
	struct mapped m = sampling();

	ctx_start_on(m.fd, thread_id());
	expect_whole_chains(&m);
	ctx_stop(m.fd);
}

static void check_sane(const pfm_callstack_record_t *record, const __u64 *user)
{
	CHECK(record->num_user <= PFM_CALLSTACK_MAX_DEPTH);
	CHECK(record->user_end <= PFM_UNWIND_NO_SPACE);
	if (record->user_end == PFM_UNWIND_WHOLE)
		CHECK(ends_in_start(record, user));
}

static void read_in_child(void *page)
{
	CHECK_EQ(*(volatile char *)page, 1);
}

/* Change the mappings, which makes each copy of them invalid. */
static void change_mappings(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	char *page = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(page != MAP_FAILED);
	*page = 1;
	CHECK_OK(mprotect(page, size, PROT_READ | PROT_EXEC));
	reap(spawn(read_in_child, page));
	CHECK_OK(munmap(page, size));
}

TEST(chains_during_changes_are_sane)
{
	struct mapped m = sampling();
	const pfm_callstack_record_t *record;
	struct rig_stats stats = rig_stats();
	const __u64 *user;

	ctx_start_on(m.fd, thread_id());
	rig_rate(RIG_FASTEST);
	for (unsigned int i = 0; i < CHANGES * rig_rounds(); i++) {
		change_mappings();
		record = NULL;
		while ((record = next_record(&m, record, &user)))
			check_sane(record, user);
		CHECK_OK(pfm_restart(m.fd));
	}
	rig_rate(0);
	stats = rig_since(stats);
	rig_print(&stats);
	expect_whole_chains(&m);
	ctx_stop(m.fd);
}

/* Random tables and stacks */

/* The number of words below the stack pointer. */
#define BELOW	64

extern const char __executable_start[], etext[];

static __u64 stack[256];

/* Spin while the stack pointer points into the random stack. */
static noipa void spin_on_stack(const bool *done)
{
	asm volatile("mov %%rsp, %%rbx\n\t"
		     "mov %[sp], %%rsp\n"
		     "1:\tcmpb $0, (%[done])\n\t"
		     "je 1b\n\t"
		     "mov %%rbx, %%rsp"
		     :
		     : [sp] "r"(stack + BELOW), [done] "r"(done)
		     : "rbx", "memory", "cc");
}

/*
 * Return the start of the code that the random tables describe: 2 KiB around
 * spin_on_stack().
 */
static __u64 described(void)
{
	return ((uintptr_t)spin_on_stack - PFM_UNWIND_BLOCK) &
	       -(__u64)PFM_UNWIND_BLOCK;
}

/* Return an address of the code, an address on the stack, or any number. */
static __u64 random_word(void)
{
	switch (rnd_below(6)) {
	case 0:
		return rnd() * rnd();
	case 1:
		return (uintptr_t)&stack[rnd_below(ARRAY_SIZE(stack))] +
		       (rnd_one_in(4) ? rnd_below(8) : 0);
	default:
		return described() +
		       rnd_below(RND_BLOCKS * PFM_UNWIND_BLOCK);
	}
}

static int random_set(void)
{
	static __u64 bytes[RND_MOST / 8];
	struct pfm_unwind_head *head = (void *)bytes;
	int set = set_new(), fd = own_file();
	__u32 size;

	rnd_odds = rnd_one_in(2) ? 2 : 4;
	size = rnd_table(bytes, EM_X86_64);
	head->start = described() - (uintptr_t)__executable_start;
	CHECK_OK(set_add(set, fd, head, size));
	close(fd);
	return set;
}

/* Check that no word is disclosed unless it is an address of code. */
static void check_hostile(const pfm_callstack_record_t *record,
			  const __u64 *user)
{
	size_t page = sysconf(_SC_PAGESIZE);
	__u64 end = ((uintptr_t)etext + page - 1) & -page;

	CHECK(record->num_user <= PFM_UNWIND_MAX_FRAMES + 1);
	for (unsigned int i = 1; i < record->num_user; i++)
		CHECK(user[i] > (uintptr_t)__executable_start &&
		      user[i] <= end);
}

/* Add to seen[] how the chains that the table finds have ended. */
static void walk_randomly(const struct mapped *m, unsigned int *seen)
{
	const pfm_callstack_record_t *record = NULL;
	const __u64 *user;

	for (unsigned int i = 0; i < ARRAY_SIZE(stack); i++)
		stack[i] = random_word();
	CHECK_OK(pfm_restart(m->fd));
	rig_fire_while(NMIS / 2, spin_on_stack);
	while ((record = next_record(m, record, &user))) {
		CHECK(record->user_end <= PFM_UNWIND_NO_SPACE);
		if (record->user_end != PFM_UNWIND_NO_SPACE)
			check_hostile(record, user);
		seen[record->user_end]++;
	}
}

/* Add to seen[] how the chains that a random table finds have ended. */
static void walk_table(unsigned int *seen)
{
	int set = random_set();
	struct mapped m = sampling_by(set);

	ctx_start_on(m.fd, thread_id());
	for (unsigned int i = 0; i < STACKS; i++)
		walk_randomly(&m, seen);
	CHECK_OK(munmap((void *)m.buf, m.size));
	CHECK_OK(close(m.fd));
	CHECK_OK(close(set));
}

static bool has_seen_all(const unsigned int *seen)
{
	return seen[PFM_UNWIND_WHOLE] && seen[PFM_UNWIND_NO_MAPPING] &&
	       seen[PFM_UNWIND_NO_RULE] && seen[PFM_UNWIND_UNREADABLE];
}

/* Proves H31 */
TEST(random_tables_and_stacks_reveal_only_code)
{
	unsigned int seen[PFM_UNWIND_NO_SPACE + 1] = {};
	unsigned int least = TABLES * rig_rounds();

	rig_need();
	for (unsigned int i = 0;
	     i < least || (i < MOST_TABLES && !has_seen_all(seen)); i++)
		walk_table(seen);
	for (unsigned int i = 0; i < ARRAY_SIZE(seen); i++)
		printf("# end %u: %u chains\n", i, seen[i]);
	CHECK(has_seen_all(seen));
}
