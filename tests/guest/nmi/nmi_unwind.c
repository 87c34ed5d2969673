// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * nmi_unwind.c - call chains found with unwind tables in NMIs
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

#define NMIS	200
/* The required number of samples in code that has known callers. */
#define ENOUGH	100
/*
 * The maximum number of rounds until most chains are complete. It is high
 * because chains are incomplete until the kernel has copied the list of
 * mappings, and NMIs may delay that.
 */
#define MOST_ROUNDS	20
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

/* Create a context that samples every second NMI of this thread, on CPU 0. */
static struct mapped sampling(void)
{
	struct mapped m;

	rig_need();
	m = callstack_new(own_set());
	/*
	 * The period is two NMIs, because not all PMUs support a period of one.
	 */
	rig_add_counter(m.fd, 0, 0, 2);
	ctx_pin(0);
	return m;
}

static bool is_spinning(const pfm_callstack_record_t *record)
{
	return record->ip >= (uintptr_t)__start_bottom_text &&
	       record->ip < (uintptr_t)__stop_bottom_text;
}

/*
 * Return the number of samples in spin(). Store in *whole how many of them have
 * all callers.
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
 * Check that most chains are complete. A chain is incomplete if the kernel has
 * not copied the list of mappings yet, or if the NMI arrived in a function's
 * prologue.
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
	printf("# %u samples in spin(), %u with all callers\n", spinning,
	       whole);
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

/*
 * Change the program's mappings, which invalidates the kernel's copy of the
 * list of mappings.
 */
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
