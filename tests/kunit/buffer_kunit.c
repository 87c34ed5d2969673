// SPDX-License-Identifier: GPL-2.0
/*
 * buffer_kunit.c - memory that user space maps
 */
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include "fixture.h"

/*
 * Allocating a buffer must not take the caller's mmap_lock, which another
 * thread may hold for an unlimited time.
 */
static void buffer_allocation_ignores_mmap_lock(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_id = 1 };
	struct mm_struct *mm;
	int ret;

	KUNIT_ASSERT_NE(test, kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ,
					    MAP_PRIVATE | MAP_ANONYMOUS, 0),
			0UL);
	mm = current->mm;
	mmap_write_lock(mm);
	fixture_create(test, PFM_FL_MAP_SETS, true);
	fixture_lock(ctx_of(test));
	ret = pfm_create_evtset(ctx_of(test), &desc);
	fixture_unlock(ctx_of(test));
	KUNIT_EXPECT_EQ(test, ret, 0);
	fixture_exit(test);
	mmap_write_unlock(mm);
	test->priv = NULL;
}

static struct kunit_case buffer_cases[] = {
	KUNIT_CASE(buffer_allocation_ignores_mmap_lock),
	{}
};

static struct kunit_suite buffer_suite = {
	.name = "pfm_buffer",
	.test_cases = buffer_cases,
};

kunit_test_suite(buffer_suite);
