// SPDX-License-Identifier: GPL-2.0
/*
 * callers_kunit.c - follow frame pointers through artificial stacks
 *
 * tests/guest/formats/callers.c tests chains that start in registers.
 */
#include <kunit/test.h>
#include <linux/mman.h>
#include <linux/uaccess.h>
#include <perfmon/perfmon_fmt_callers.h>

#define FRAMES	10
/* An address that 32-bit programs can use. The test maps a page there. */
#define LOWER	0x10000000

/* The initial value of all entries of chain[]. Unused entries must keep it. */
#define UNTOUCHED	0x5a5a5a5a5a5a5a5aULL

/* The artificial kernel stack. */

static struct pfm_frame stack[FRAMES];
static u64 chain[FRAMES + 1];

static unsigned long at(unsigned int i)
{
	return (unsigned long)&stack[i];
}

/* Make each frame point to the next one. */
static int stack_init(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < FRAMES; i++)
		stack[i] = (struct pfm_frame){ at(i + 1), 0x1000 + i };
	for (i = 0; i <= FRAMES; i++)
		chain[i] = UNTOUCHED;
	return 0;
}

static void expect_chain(struct kunit *test, unsigned int n, unsigned int first,
			 unsigned int expected)
{
	unsigned int i;

	KUNIT_ASSERT_EQ(test, n, expected);
	for (i = 0; i < n; i++)
		KUNIT_EXPECT_EQ(test, chain[i], pfm_kernel_address(0x1000 +
								   first + i));
	KUNIT_EXPECT_EQ(test, chain[n], UNTOUCHED);
}

static unsigned int follow(unsigned int first, unsigned int low,
			   unsigned int high, unsigned int max)
{
	unsigned long fp = at(first);

	return pfm_follow_stack(&fp, at(low), at(high), chain, max);
}

static void kernel_chain_ends_at_stack_end(struct kunit *test)
{
	expect_chain(test, follow(0, 0, FRAMES, FRAMES + 1), 0, FRAMES);
}

static void kernel_chain_length_is_limited(struct kunit *test)
{
	expect_chain(test, follow(0, 0, FRAMES, 4), 0, 4);
	stack_init(test);
	expect_chain(test, follow(0, 0, FRAMES, 0), 0, 0);
}

static void frames_outside_stack_are_not_read(struct kunit *test)
{
	expect_chain(test, follow(2, 3, FRAMES, FRAMES), 2, 0);
	expect_chain(test, follow(7, 0, 7, FRAMES), 7, 0);
	expect_chain(test, follow(2, 2, 7, FRAMES), 2, 5);
}

static void follow_stack_returns_next_frame_pointer(struct kunit *test)
{
	unsigned long fp = at(2);

	pfm_follow_stack(&fp, at(0), at(7), chain, FRAMES);
	KUNIT_EXPECT_EQ(test, fp, at(7));
}

static void partial_last_frame_is_not_read(struct kunit *test)
{
	unsigned long fp = at(FRAMES - 1);

	expect_chain(test, pfm_follow_stack(&fp, at(0), at(FRAMES) - 1, chain,
					    FRAMES), 0, 0);
}

static void kernel_chain_ends_at_bad_frame_pointer(struct kunit *test)
{
	stack[3].next = at(3);
	expect_chain(test, follow(0, 0, FRAMES, FRAMES), 0, 4);
	stack_init(test);
	stack[3].next = at(1);
	expect_chain(test, follow(0, 0, FRAMES, FRAMES), 0, 4);
	stack_init(test);
	stack[3].next = at(4) + 1;
	expect_chain(test, follow(0, 0, FRAMES, FRAMES), 0, 4);
	stack_init(test);
	/* Frame 3 points to a frame that overlaps frame 3 itself. */
	stack[3].next = at(3) + sizeof(unsigned long);
	expect_chain(test, follow(0, 0, FRAMES, FRAMES), 0, 4);
	stack_init(test);
	stack[3].ret = 0;
	expect_chain(test, follow(0, 0, FRAMES, FRAMES), 0, 3);
}

static struct kunit_case stack_cases[] = {
	KUNIT_CASE(kernel_chain_ends_at_stack_end),
	KUNIT_CASE(kernel_chain_length_is_limited),
	KUNIT_CASE(frames_outside_stack_are_not_read),
	KUNIT_CASE(follow_stack_returns_next_frame_pointer),
	KUNIT_CASE(partial_last_frame_is_not_read),
	KUNIT_CASE(kernel_chain_ends_at_bad_frame_pointer),
	{}
};

static struct kunit_suite stack_suite = {
	.name = "pfm_callers_stack",
	.init = stack_init,
	.test_cases = stack_cases,
};

/*
 * Map a page of user memory. Return: its address. The memory after the page is
 * not mapped.
 */

static unsigned long user_page(struct kunit *test)
{
	unsigned long page;

	page = kunit_vm_mmap(test, NULL, LOWER, PAGE_SIZE,
			     PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, 0);
	KUNIT_ASSERT_NE(test, page, 0UL);
	stack_init(test);
	return page;
}

static void put(struct kunit *test, unsigned long to, const void *from,
		size_t size)
{
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)to, from, size), 0UL);
}

/*
 * Put FRAMES frames at the end of a user page. Return: the first frame's
 * address.
 */
static unsigned long user_frames(struct kunit *test)
{
	unsigned long first = user_page(test) + PAGE_SIZE - sizeof(stack);
	unsigned int i;

	for (i = 0; i < FRAMES; i++)
		stack[i].next = first + (i + 1) * sizeof(stack[0]);
	put(test, first, stack, sizeof(stack));
	return first;
}

static void user_chain_ends_at_unmapped_memory(struct kunit *test)
{
	unsigned long first = user_frames(test);

	expect_chain(test, pfm_follow_user(first, false, chain, FRAMES + 1), 0,
		     FRAMES);
}

static void user_chain_length_is_limited(struct kunit *test)
{
	unsigned long first = user_frames(test);

	expect_chain(test, pfm_follow_user(first, false, chain, 3), 0, 3);
	stack_init(test);
	expect_chain(test, pfm_follow_user(first, false, chain, 0), 0, 0);
}

static void user_chain_of_32_bit_frames(struct kunit *test)
{
	unsigned long first = user_page(test);
	struct pfm_frame32 narrow[FRAMES];
	unsigned int i;

	if (first > U32_MAX)
		kunit_skip(test, "cannot map memory below 4 GiB");
	for (i = 0; i < FRAMES; i++)
		narrow[i] = (struct pfm_frame32){
			first + (i + 1) * sizeof(narrow[0]), 0x1000 + i
		};
	put(test, first, narrow, sizeof(narrow));
	expect_chain(test, pfm_follow_user(first, true, chain, FRAMES), 0,
		     FRAMES);
}

static void user_chain_ends_at_bad_frame_pointer(struct kunit *test)
{
	unsigned long first = user_frames(test);
	unsigned long third = first + 3 * sizeof(stack[0]);
	const unsigned long bad[] = { third, first, third + 17, 0, ~0UL,
				      ~0UL - 7, (unsigned long)stack };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		put(test, third, &bad[i], sizeof(bad[i]));
		expect_chain(test, pfm_follow_user(first, false, chain, FRAMES),
			     0, 4);
		stack_init(test);
	}
}

static void user_chain_ends_at_non_user_address(struct kunit *test)
{
	unsigned long first = user_frames(test);
	unsigned long ret = first + 3 * sizeof(stack[0]) +
			    offsetof(struct pfm_frame, ret);
	const unsigned long bad[] = { 0, 1UL << 63, ~0UL,
				      (unsigned long)-4096 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		put(test, ret, &bad[i], sizeof(bad[i]));
		expect_chain(test, pfm_follow_user(first, false, chain, FRAMES),
			     0, 3);
		stack_init(test);
	}
}

static void no_registers_give_empty_chain(struct kunit *test)
{
	const struct pfm_ovfl_data data = { .ip = 0x1234 };

	KUNIT_EXPECT_EQ(test, pfm_user_callers(&data, chain, FRAMES), 0);
	KUNIT_EXPECT_EQ(test, pfm_kernel_callers(&data, chain, FRAMES), 0);
	KUNIT_EXPECT_EQ(test, chain[0], UNTOUCHED);
}

static struct kunit_case user_cases[] = {
	KUNIT_CASE(user_chain_ends_at_unmapped_memory),
	KUNIT_CASE(user_chain_length_is_limited),
	KUNIT_CASE(user_chain_of_32_bit_frames),
	KUNIT_CASE(user_chain_ends_at_bad_frame_pointer),
	KUNIT_CASE(user_chain_ends_at_non_user_address),
	KUNIT_CASE(no_registers_give_empty_chain),
	{}
};

static struct kunit_suite user_suite = {
	.name = "pfm_callers_user",
	.init = stack_init,
	.test_cases = user_cases,
};

kunit_test_suites(&stack_suite, &user_suite);
