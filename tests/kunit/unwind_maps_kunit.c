// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_maps_kunit.c - copy the mappings of a process
 */
#include <kunit/test.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>
#include "unwind_maps.h"

/* Nothing is mapped from LOW on until the tests map memory there. */
#define LOW	0x10000000UL
#define PAGES(n)	((n) * PAGE_SIZE)
#define RX	(PROT_READ | PROT_EXEC)
#define RW	(PROT_READ | PROT_WRITE)

static struct pfm_unwind_table table = { .start = 0x100 };
static struct file *known;

/* Return the table of a file. Only the file "known" has one. */
static const struct pfm_unwind_table *lookup(void *arg,
					     const struct pfm_unwind_key *key)
{
	struct pfm_unwind_key of_known = pfm_unwind_key_of(known);

	(*(unsigned int *)arg)++;
	return pfm_unwind_key_equal(key, &of_known) ? &table : NULL;
}

static void put_file(void *file)
{
	fput(file);
}

static struct file *new_file(struct kunit *test)
{
	struct file *file = shmem_file_setup("unwind", PAGES(8), 0);

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	kunit_add_action(test, put_file, file);
	return file;
}

static void map(struct kunit *test, struct file *file, unsigned long addr,
		unsigned long pages, int prot, int flags, unsigned long pgoff)
{
	if (!file)
		flags |= MAP_ANONYMOUS;
	if (!(flags & MAP_SHARED))
		flags |= MAP_PRIVATE;
	KUNIT_ASSERT_EQ(test, addr,
			kunit_vm_mmap(test, file, addr, PAGES(pages), prot,
				      flags | MAP_FIXED, PAGES(pgoff)));
}

static void free_maps(void *maps)
{
	kvfree(maps);
}

/* Copy the mappings. Store the number of lookups of tables in *looked. */
static const struct pfm_unwind_maps *copy(struct kunit *test,
					  unsigned int *looked)
{
	struct pfm_unwind_maps *maps;

	*looked = 0;
	maps = pfm_unwind_maps_create(current->mm, lookup, looked);
	KUNIT_ASSERT_FALSE(test, IS_ERR(maps));
	kunit_add_action(test, free_maps, maps);
	return maps;
}

/*
 * Check that the mapping is found for its first and last address, but not for
 * the addresses just outside it. Return: the mapping.
 */
static const struct pfm_unwind_text *
text_at(struct kunit *test, const struct pfm_unwind_maps *maps, u64 start,
	u64 end)
{
	const struct pfm_unwind_text *text;

	text = pfm_unwind_find_text(&maps->space, NULL, start);
	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_EXPECT_EQ(test, text->start, start);
	KUNIT_EXPECT_EQ(test, text->end, end);
	KUNIT_EXPECT_PTR_EQ(test, pfm_unwind_find_text(&maps->space, NULL,
						       end - 1), text);
	KUNIT_EXPECT_NULL(test, pfm_unwind_find_text(&maps->space, NULL, end));
	KUNIT_EXPECT_NULL(test, pfm_unwind_find_text(&maps->space, NULL,
						     start - 1));
	return text;
}

static int maps_init(struct kunit *test)
{
	known = new_file(test);
	return 0;
}

static void text_of_known_file_has_table(struct kunit *test)
{
	const struct pfm_unwind_maps *maps;
	const struct pfm_unwind_text *text;
	unsigned int looked;

	map(test, known, LOW, 2, RX, 0, 3);
	maps = copy(test, &looked);
	text = text_at(test, maps, LOW, LOW + PAGES(2));
	KUNIT_EXPECT_PTR_EQ(test, text->table, &table);
	/*
	 * LOW + 0x120 is at offset 3 pages + 0x120 of the file. In the table
	 * this is address 3 pages + 0x20, because the table starts at 0x100.
	 */
	KUNIT_EXPECT_EQ(test, LOW + 0x120 - text->shift, PAGES(3) + 0x20);
	KUNIT_EXPECT_EQ(test, looked, 1U);
}

static void text_of_other_files_has_no_table(struct kunit *test)
{
	const struct pfm_unwind_maps *maps;
	const struct pfm_unwind_text *text;
	unsigned int looked;

	map(test, new_file(test), LOW, 1, RX, 0, 0);
	map(test, NULL, LOW + PAGES(2), 1, RX, 0, 0);
	maps = copy(test, &looked);
	text = text_at(test, maps, LOW, LOW + PAGES(1));
	KUNIT_EXPECT_NULL(test, text->table);
	text = text_at(test, maps, LOW + PAGES(2), LOW + PAGES(3));
	KUNIT_EXPECT_NULL(test, text->table);
	/* No table is looked up for anonymous memory, which cannot have one. */
	KUNIT_EXPECT_EQ(test, looked, 1U);
}

/* Proves H31 */
static void data_is_not_text(struct kunit *test)
{
	const struct pfm_unwind_maps *maps;
	unsigned int looked;

	map(test, known, LOW, 1, PROT_READ, 0, 0);
	map(test, known, LOW + PAGES(2), 1, RW, 0, 0);
	map(test, NULL, LOW + PAGES(4), 1, RW, 0, 0);
	maps = copy(test, &looked);
	KUNIT_EXPECT_EQ(test, looked, 0U);
	KUNIT_EXPECT_NULL(test, pfm_unwind_find_text(&maps->space, NULL, LOW));
	KUNIT_EXPECT_NULL(test, pfm_unwind_find_text(&maps->space, NULL,
						     LOW + PAGES(4)));
}

/* Proves H31 */
static void private_writable_memory_may_be_stack(struct kunit *test)
{
	const struct pfm_unwind_maps *maps;
	unsigned int looked;
	unsigned long end = LOW + PAGES(8);

	map(test, known, LOW, 1, RW, MAP_SHARED, 0);
	map(test, NULL, LOW + PAGES(2), 1, PROT_READ, 0, 0);
	map(test, NULL, LOW + PAGES(4), 4, RW, 0, 0);
	map(test, known, LOW + PAGES(10), 1, RW, 0, 0);
	maps = copy(test, &looked);
	KUNIT_EXPECT_EQ(test, pfm_unwind_find_end(&maps->space, LOW), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_unwind_find_end(&maps->space,
						  LOW + PAGES(2)), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_unwind_find_end(&maps->space,
						  LOW + PAGES(4)), end);
	KUNIT_EXPECT_EQ(test, pfm_unwind_find_end(&maps->space, end - 1), end);
	KUNIT_EXPECT_EQ(test, pfm_unwind_find_end(&maps->space, end), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_unwind_find_end(&maps->space,
						  LOW + PAGES(10)),
			LOW + PAGES(11));
}

static void growing_stack_includes_gap_below(struct kunit *test)
{
	const struct pfm_unwind_maps *maps;
	unsigned long end = LOW + PAGES(65);
	unsigned int looked;

	map(test, known, LOW, 1, PROT_READ, 0, 0);
	map(test, NULL, LOW + PAGES(64), 1, RW, MAP_GROWSDOWN, 0);
	maps = copy(test, &looked);
	KUNIT_EXPECT_EQ(test, pfm_unwind_find_end(&maps->space,
						  LOW + PAGES(32)), end);
	KUNIT_EXPECT_EQ(test, pfm_unwind_find_end(&maps->space,
						  LOW + PAGES(1)), end);
	KUNIT_EXPECT_EQ(test, pfm_unwind_find_end(&maps->space, LOW), 0ULL);
}

static void mappings_are_limited(struct kunit *test)
{
	const struct pfm_unwind_maps *maps;
	unsigned int looked, i;

	for (i = 0; i < PFM_UNWIND_MAX_TEXTS + 2; i++)
		map(test, known, LOW + PAGES(2 * i), 1, RX, 0, 0);
	maps = copy(test, &looked);
	KUNIT_EXPECT_EQ(test, maps->space.nr_texts, PFM_UNWIND_MAX_TEXTS);
	i = PFM_UNWIND_MAX_TEXTS - 1;
	text_at(test, maps, LOW + PAGES(2 * i), LOW + PAGES(2 * i + 1));
}

/* The highest stack must be copied, because it is that of the main thread. */
static void lowest_stacks_and_highest_are_copied(struct kunit *test)
{
	const unsigned int last = PFM_UNWIND_MAX_STACKS + 1;
	const struct pfm_unwind_space *space;
	unsigned int looked, i;

	for (i = 0; i <= last; i++)
		map(test, NULL, LOW + PAGES(2 * i), 1, RW, 0, 0);
	space = &copy(test, &looked)->space;
	KUNIT_EXPECT_EQ(test, space->nr_stacks, PFM_UNWIND_MAX_STACKS);
	for (i = 0; i <= last; i++) {
		bool found = pfm_unwind_find_end(space, LOW + PAGES(2 * i));

		KUNIT_ASSERT_EQ(test, found,
				i < PFM_UNWIND_MAX_STACKS - 1 || i == last);
	}
}

static void new_text_makes_copy_stale(struct kunit *test)
{
	const struct pfm_unwind_maps *maps;
	unsigned int looked;

	map(test, known, LOW, 1, RX, 0, 0);
	maps = copy(test, &looked);
	KUNIT_EXPECT_FALSE(test, pfm_unwind_maps_are_stale(maps, current->mm));
	map(test, known, LOW + PAGES(2), 1, RW, 0, 0);
	KUNIT_EXPECT_FALSE(test, pfm_unwind_maps_are_stale(maps, current->mm));
	map(test, known, LOW + PAGES(4), 1, RX, 0, 0);
	KUNIT_EXPECT_TRUE(test, pfm_unwind_maps_are_stale(maps, current->mm));
	KUNIT_ASSERT_EQ(test, vm_munmap(LOW + PAGES(4), PAGE_SIZE), 0);
	KUNIT_EXPECT_FALSE(test, pfm_unwind_maps_are_stale(maps, current->mm));
	KUNIT_ASSERT_EQ(test, vm_munmap(LOW, PAGE_SIZE), 0);
	KUNIT_EXPECT_TRUE(test, pfm_unwind_maps_are_stale(maps, current->mm));
}

static void changed_file_has_other_key(struct kunit *test)
{
	struct pfm_unwind_key old = pfm_unwind_key_of(known), new = old;

	KUNIT_EXPECT_TRUE(test, pfm_unwind_key_equal(&old, &new));
	new.dev++;
	KUNIT_EXPECT_FALSE(test, pfm_unwind_key_equal(&old, &new));
	new = old;
	new.ino++;
	KUNIT_EXPECT_FALSE(test, pfm_unwind_key_equal(&old, &new));
	new = old;
	new.mtime.tv_nsec++;
	KUNIT_EXPECT_FALSE(test, pfm_unwind_key_equal(&old, &new));
	i_size_write(file_inode(known), PAGES(7));
	new = pfm_unwind_key_of(known);
	KUNIT_EXPECT_FALSE(test, pfm_unwind_key_equal(&old, &new));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(text_of_known_file_has_table),
	KUNIT_CASE(text_of_other_files_has_no_table),
	KUNIT_CASE(data_is_not_text),
	KUNIT_CASE(private_writable_memory_may_be_stack),
	KUNIT_CASE(growing_stack_includes_gap_below),
	KUNIT_CASE(mappings_are_limited),
	KUNIT_CASE(lowest_stacks_and_highest_are_copied),
	KUNIT_CASE(new_text_makes_copy_stale),
	KUNIT_CASE(changed_file_has_other_key),
	{}
};

static struct kunit_suite suite = {
	.name = "pfm_unwind_maps",
	.init = maps_init,
	.test_cases = cases,
};

kunit_test_suite(suite);
