// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_live_kunit.c - mappings that an overflow looks up itself
 */
#include <kunit/test.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/rwsem.h>
#include <linux/sched/mm.h>
#include <linux/shmem_fs.h>
#include "unwind_live.h"

/* The tests map memory at LOW. Before that, nothing is mapped above LOW. */
#define LOW	0x10000000UL
#define PAGES(n)	((n) * PAGE_SIZE)
#define STACK	LOW
#define CODE	(LOW + PAGES(2))
#define RX	(PROT_READ | PROT_EXEC)

static struct pfm_unwind_live *live;
static struct file *file;
static struct pfm_unwind_table table;

static const struct pfm_unwind_table *
lookup(void *arg, const struct pfm_unwind_key *key)
{
	return &table;
}

static void put_file(void *of)
{
	fput(of);
}

/* The test's clean-up runs this before it frees the structure. */
static void wait_for_unlock(void *of)
{
	pfm_unwind_live_wait(of);
}

static void map(struct kunit *test, unsigned long addr, unsigned long prot)
{
	KUNIT_ASSERT_EQ(test, addr,
			kunit_vm_mmap(test, file, addr, PAGE_SIZE, prot,
				      MAP_PRIVATE | MAP_FIXED, 0));
}

static struct pfm_unwind_live *live_new(struct kunit *test)
{
	struct pfm_unwind_live *of = kunit_kzalloc(test, sizeof(*of),
						   GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, of);
	pfm_unwind_live_init(of);
	kunit_add_action(test, wait_for_unlock, of);
	return of;
}

static int live_init(struct kunit *test)
{
	live = live_new(test);
	file = shmem_file_setup("unwind", PAGES(8), 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	kunit_add_action(test, put_file, file);
	map(test, STACK, PROT_READ | PROT_WRITE);
	map(test, CODE, RX);
	return 0;
}

static bool look_with(struct pfm_unwind_live *with, u64 sp)
{
	bool found;

	preempt_disable();
	found = pfm_unwind_live_begin(with, sp, lookup, NULL);
	preempt_enable();
	return found;
}

static bool look(u64 sp)
{
	return look_with(live, sp);
}

static void end_of(struct pfm_unwind_live *of)
{
	pfm_unwind_live_end(of);
	pfm_unwind_live_wait(of);
}

static void end(void)
{
	end_of(live);
}

static bool is_locked(void)
{
	return rwsem_is_locked(&current->mm->mmap_lock);
}

static void mappings_stay_locked_until_the_end(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, look(STACK));
	KUNIT_EXPECT_TRUE(test, is_locked());
	KUNIT_EXPECT_EQ(test, pfm_unwind_find_end(&live->space, STACK),
			STACK + PAGE_SIZE);
	KUNIT_ASSERT_EQ(test, live->space.nr_texts, 1U);
	KUNIT_EXPECT_EQ(test, live->space.texts[0].start, CODE);
	KUNIT_EXPECT_PTR_EQ(test, live->space.texts[0].table, &table);
	end();
	KUNIT_EXPECT_FALSE(test, is_locked());
}

/*
 * LOOKS is the number of lookups. OTHERS is more than the number of other
 * references to the mm that may appear or disappear meanwhile: a CPU that runs
 * a kernel thread keeps a reference to the mm of the process that ran before.
 */
#define LOOKS	24
#define OTHERS	12

static int references(void)
{
	return atomic_read(&current->mm->mm_count);
}

/*
 * The thread may exit on another CPU before the lock is released, so a lookup
 * must take a reference to the mm.
 *
 * Proves H09
 */
static void mm_is_referenced_while_locked(struct kunit *test)
{
	struct pfm_unwind_live *lives[LOOKS];
	int i, before = references();

	for (i = 0; i < LOOKS; i++) {
		lives[i] = live_new(test);
		KUNIT_ASSERT_TRUE(test, look_with(lives[i], STACK));
	}
	KUNIT_EXPECT_GT(test, references(), before + LOOKS - OTHERS);
	for (i = 0; i < LOOKS; i++)
		end_of(lives[i]);
	KUNIT_EXPECT_LT(test, references(), before + OTHERS);
	KUNIT_EXPECT_GT(test, references(), before - OTHERS);
}

static void failed_look_drops_its_reference(struct kunit *test)
{
	int i, before = references();

	for (i = 0; i < LOOKS; i++) {
		KUNIT_EXPECT_FALSE(test, look(CODE));
		pfm_unwind_live_wait(live);
	}
	KUNIT_EXPECT_LT(test, references(), before + OTHERS);
}

static void last_reference_frees_mm_in_process_context(struct kunit *test)
{
	struct mm_struct *mm = mm_alloc();

	KUNIT_ASSERT_NOT_NULL(test, mm);
	KUNIT_ASSERT_EQ(test, atomic_read(&mm->mm_count), 1);
	KUNIT_ASSERT_TRUE(test, mmap_read_trylock(mm));
	live->busy = 1;
	live->mm = mm;
	end();
	KUNIT_EXPECT_EQ(test, live->busy, 0UL);
	KUNIT_ASSERT_TRUE(test, look(STACK));
	end();
}

static void overflow_inside_another_does_without(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, look(STACK));
	KUNIT_EXPECT_FALSE(test, look(STACK));
	end();
	KUNIT_ASSERT_TRUE(test, look(STACK));
	end();
}

/* Proves H19 */
static void look_does_not_wait_for_mmap_lock(struct kunit *test)
{
	mmap_write_lock(current->mm);
	KUNIT_EXPECT_FALSE(test, look(STACK));
	mmap_write_unlock(current->mm);
	KUNIT_ASSERT_TRUE(test, look(STACK));
	end();
}

static void unknown_stack_is_refused(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, look(CODE));
	pfm_unwind_live_wait(live);
	KUNIT_EXPECT_FALSE(test, is_locked());
}

/* Adjacent mappings with different rights are not merged. */
static void too_many_mappings_are_refused(struct kunit *test)
{
	unsigned int i;

	for (i = 1; i <= PFM_UNWIND_LIVE_MAPS; i++)
		map(test, CODE + PAGES(i), i % 2 ? PROT_READ : PROT_NONE);
	KUNIT_EXPECT_FALSE(test, look(STACK));
}

static void too_much_code_is_refused(struct kunit *test)
{
	unsigned int i;

	for (i = 1; i < PFM_UNWIND_LIVE_TEXTS - 1; i++)
		map(test, CODE + PAGES(2 * i), RX);
	KUNIT_ASSERT_TRUE(test, look(STACK));
	end();
	map(test, CODE + PAGES(2 * i), RX);
	KUNIT_EXPECT_FALSE(test, look(STACK));
}

/*
 * The lowest stacks are copied, because the stack of a new thread is usually
 * below all others.
 */
static void most_stacks_below_are_known(struct kunit *test)
{
	u64 low = LOW + PAGES(4);
	unsigned int i;

	for (i = 0; i < PFM_UNWIND_LIVE_STACKS; i++)
		map(test, low + PAGES(2 * i), PROT_READ | PROT_WRITE);
	KUNIT_ASSERT_TRUE(test, look(STACK));
	KUNIT_EXPECT_EQ(test, live->space.nr_stacks,
			(u32)PFM_UNWIND_LIVE_STACKS);
	end();
	KUNIT_EXPECT_FALSE(test, look(low + PAGES(2 * (i - 2))));
	pfm_unwind_live_wait(live);
	KUNIT_ASSERT_TRUE(test, look(low + PAGES(2 * (i - 1))));
	end();
}

static struct kunit_case live_cases[] = {
	KUNIT_CASE(mappings_stay_locked_until_the_end),
	KUNIT_CASE(mm_is_referenced_while_locked),
	KUNIT_CASE(failed_look_drops_its_reference),
	KUNIT_CASE(last_reference_frees_mm_in_process_context),
	KUNIT_CASE(overflow_inside_another_does_without),
	KUNIT_CASE(look_does_not_wait_for_mmap_lock),
	KUNIT_CASE(unknown_stack_is_refused),
	KUNIT_CASE(too_many_mappings_are_refused),
	KUNIT_CASE(too_much_code_is_refused),
	KUNIT_CASE(most_stacks_below_are_known),
	{}
};

static struct kunit_suite live_suite = {
	.name = "pfm_unwind_live",
	.init = live_init,
	.test_cases = live_cases,
};

kunit_test_suite(live_suite);
