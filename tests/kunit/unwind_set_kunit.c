// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_set_kunit.c - a set of unwind tables, and the processes that use it
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/elf-em.h>
#include <linux/file.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include "unwind_live.h"
#include "unwind_set.h"

#define LOW	0x10000000UL
#define PAGES(n)	((n) * PAGE_SIZE)
#define RX	(PROT_READ | PROT_EXEC)
/* The size of a copy of a process's mappings, of which one is executable. */
#define ONE	(sizeof(struct pfm_unwind_process) + sizeof(struct pid) + \
		 sizeof(struct pfm_unwind_maps) + \
		 sizeof(struct pfm_unwind_text))
/* An address that is in no mapping. */
#define NO_STACK	8

static struct pfm_unwind_set *set;
static struct file *file;
static struct pfm_unwind_key key;

static void put_file(void *of)
{
	fput(of);
}

static void put_set(void *of)
{
	pfm_unwind_set_put(of);
}

/*
 * Create a set with room for copies of the mappings of @copies processes, each
 * with one executable mapping.
 */
static void new_set(struct kunit *test, unsigned int copies)
{
	set = pfm_unwind_set_create(copies * ONE);
	KUNIT_ASSERT_NOT_NULL(test, set);
	kunit_add_action(test, put_set, set);
}

static void map_as(struct kunit *test, unsigned long addr, unsigned long prot)
{
	KUNIT_ASSERT_EQ(test, addr,
			kunit_vm_mmap(test, file, addr, PAGE_SIZE, prot,
				      MAP_PRIVATE | MAP_FIXED, 0));
}

static void map(struct kunit *test, unsigned long addr)
{
	map_as(test, addr, RX);
}

static int set_init(struct kunit *test)
{
	file = shmem_file_setup("unwind", PAGES(8), 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	kunit_add_action(test, put_file, file);
	key = pfm_unwind_key_of(file);
	new_set(test, 8);
	map(test, LOW);
	return 0;
}

/* Add a table without rows. */
static int add(struct kunit *test, unsigned int machine)
{
	size_t size = sizeof(struct pfm_unwind_head) + 2 * sizeof(u32);
	struct pfm_unwind_head *head = kvzalloc(size, GFP_KERNEL);
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, head);
	*head = (struct pfm_unwind_head) {
		.magic = PFM_UNWIND_MAGIC, .version = PFM_UNWIND_VERSION,
		.machine = EM_X86_64, .nr_blocks = 1, .size = size,
	};
	ret = pfm_unwind_set_add(set, &key, head, size, machine);
	if (ret)
		kvfree(head);
	return ret;
}

static bool ask(bool at_user)
{
	bool has;

	preempt_disable();
	has = pfm_unwind_set_space(set, NO_STACK, at_user);
	preempt_enable();
	return has;
}

static bool has_space(void)
{
	return ask(false);
}

static bool has_table(void)
{
	const struct pfm_unwind_space *space;
	bool has;

	preempt_disable();
	space = pfm_unwind_set_space(set, NO_STACK, false);
	has = space && space->texts[0].table;
	preempt_enable();
	return has;
}

static void copy(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, pfm_unwind_set_copy(set), 0);
}

static void process_has_space_after_copy(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, has_space());
	copy(test);
	KUNIT_EXPECT_TRUE(test, has_space());
	KUNIT_EXPECT_FALSE(test, has_table());
}

static void stale_copy_is_not_used(struct kunit *test)
{
	copy(test);
	map(test, LOW + PAGES(2));
	KUNIT_EXPECT_FALSE(test, has_space());
	copy(test);
	KUNIT_EXPECT_TRUE(test, has_space());
}

/*
 * The copy does not contain the stack, because the stack was mapped later, as
 * for a new thread.
 */
static void copy_without_stack_is_not_used(struct kunit *test)
{
	copy(test);
	KUNIT_EXPECT_TRUE(test, has_space());
	map_as(test, LOW + PAGES(2), PROT_READ | PROT_WRITE);
	KUNIT_EXPECT_FALSE(test, has_space());
	copy(test);
	KUNIT_EXPECT_TRUE(test, has_space());
}

/* Proves H31 */
static void exec_makes_copy_invalid(struct kunit *test)
{
	copy(test);
	current->self_exec_id++;
	KUNIT_EXPECT_FALSE(test, has_space());
	current->self_exec_id--;
	KUNIT_EXPECT_TRUE(test, has_space());
}

static void copy_does_not_wait_for_mmap_lock(struct kunit *test)
{
	mmap_write_lock(current->mm);
	KUNIT_EXPECT_EQ(test, pfm_unwind_set_copy(set), -EBUSY);
	mmap_write_unlock(current->mm);
	KUNIT_EXPECT_FALSE(test, has_space());
}

static void added_table_is_in_next_copy(struct kunit *test)
{
	copy(test);
	KUNIT_ASSERT_EQ(test, add(test, EM_X86_64), 0);
	/*
	 * The old copy, which has no table, is used until the next copy is
	 * made.
	 */
	KUNIT_EXPECT_TRUE(test, has_space());
	KUNIT_EXPECT_FALSE(test, has_table());
	copy(test);
	KUNIT_EXPECT_TRUE(test, has_table());
}

/*
 * The request's irq_work runs at the next tick. If the tick interrupts another
 * thread, no copy is made, and the next overflow requests one again.
 */
static void overflow_requests_copy(struct kunit *test)
{
#ifdef MODULE
	kunit_skip(test, "modules cannot call task_work_run()");
#else
	while (!ask(true))
		task_work_run();
	KUNIT_EXPECT_FALSE(test, has_table());
	KUNIT_ASSERT_EQ(test, add(test, EM_X86_64), 0);
	while (!has_table()) {
		ask(true);
		task_work_run();
	}
#endif
}

static bool ticked;

static void tick(struct irq_work *work)
{
	WRITE_ONCE(ticked, true);
}

/*
 * Check that an overflow does not request a copy. If it had requested one, the
 * tick that runs the test's own irq_work, tick(), would also have run the
 * irq_work of the request.
 */
static void expect_no_request(struct kunit *test, void (*overflow)(void))
{
	struct irq_work after = IRQ_WORK_INIT_HARD(tick);

	ticked = false;
	preempt_disable();
	overflow();
	irq_work_queue(&after);
	while (!READ_ONCE(ticked))
		cpu_relax();
	preempt_enable();
	irq_work_sync(&after);
	KUNIT_EXPECT_FALSE(test, task_work_pending(current));
}

static void overflow_in_kernel(void)
{
	pfm_unwind_set_space(set, NO_STACK, false);
}

static void kernel_overflow_requests_nothing(struct kunit *test)
{
	expect_no_request(test, overflow_in_kernel);
}

/*
 * Handle an overflow that finds an address that is not in the copy. Return: the
 * start of the first code in the copy.
 */
static u64 miss(unsigned long made)
{
	const struct pfm_unwind_space *space;
	struct pfm_unwind_maps *maps;
	u64 start;

	preempt_disable();
	space = pfm_unwind_set_space(set, NO_STACK, true);
	maps = container_of(space, struct pfm_unwind_maps, space);
	start = space->texts[0].start;
	maps->made = made;
	pfm_unwind_set_missed(set, space);
	preempt_enable();
	return start;
}

static void address_missed_in_old_copy_requests_copy(struct kunit *test)
{
#ifdef MODULE
	kunit_skip(test, "modules cannot call task_work_run()");
#else
	copy(test);
	KUNIT_ASSERT_EQ(test, vm_munmap(LOW, PAGE_SIZE), 0);
	map(test, LOW + PAGES(2));
	while (miss(jiffies - HZ) == LOW)
		task_work_run();
#endif
}

static void miss_in_recent_copy(void)
{
	miss(jiffies + HZ);
}

static void address_missed_in_new_copy_requests_nothing(struct kunit *test)
{
	copy(test);
	expect_no_request(test, miss_in_recent_copy);
}

static void kernel_overflow_looks_up_mappings(struct kunit *test)
{
	u64 stack = LOW + PAGES(2);
	struct pfm_unwind_live *live;

	KUNIT_ASSERT_EQ(test, add(test, EM_X86_64), 0);
	map_as(test, stack, PROT_READ | PROT_WRITE);
	preempt_disable();
	live = pfm_unwind_set_look(set, stack);
	preempt_enable();
	KUNIT_ASSERT_NOT_NULL(test, live);
	KUNIT_EXPECT_NOT_NULL(test, live->space.texts[0].table);
	pfm_unwind_live_end(live);
	preempt_disable();
	live = pfm_unwind_set_look(set, NO_STACK);
	preempt_enable();
	KUNIT_EXPECT_NULL(test, live);
}

static void table_of_file_is_not_replaced(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, add(test, EM_X86_64), 0);
	KUNIT_EXPECT_EQ(test, add(test, EM_X86_64), -EEXIST);
}

/* Proves H18 */
static void number_of_tables_is_limited(struct kunit *test)
{
	for (key.ino = 0; key.ino < PFM_UNWIND_MAX_TABLES; key.ino++)
		KUNIT_ASSERT_EQ(test, add(test, EM_X86_64), 0);
	KUNIT_EXPECT_EQ(test, add(test, EM_X86_64), -ENOSPC);
}

static void invalid_table_is_not_added(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, add(test, EM_AARCH64), -EINVAL);
	copy(test);
	KUNIT_EXPECT_FALSE(test, has_table());
}

static void copy_without_room_is_refused(struct kunit *test)
{
	new_set(test, 0);
	KUNIT_EXPECT_EQ(test, pfm_unwind_set_copy(set), -ENOSPC);
	KUNIT_EXPECT_FALSE(test, has_space());
}

/* A second process that copies its mappings. */
struct other {
	struct kunit		*test;
	struct completion	copied;
	struct completion	end;
	int			ret;
};

static int run_other(void *arg)
{
	struct other *other = arg;

	map(other->test, LOW);
	other->ret = pfm_unwind_set_copy(set);
	complete(&other->copied);
	wait_for_completion(&other->end);
	return 0;
}

/* Start another process, and let it copy its mappings. */
static struct task_struct *start_other(struct kunit *test, struct other *other)
{
	struct task_struct *task;

	other->test = test;
	init_completion(&other->copied);
	init_completion(&other->end);
	task = kthread_run(run_other, other, "unwind_other");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wait_for_completion(&other->copied);
	KUNIT_EXPECT_EQ(test, other->ret, 0);
	return task;
}

/* End the process, and wait until it has no pid any more. */
static void end_other(struct other *other, struct task_struct *task)
{
	struct pid *pid = get_task_pid(task, PIDTYPE_TGID);

	complete(&other->end);
	kthread_stop(task);
	while (pid_has_task(pid, PIDTYPE_TGID))
		cond_resched();
	put_pid(pid);
	put_task_struct(task);
}

static void process_has_its_own_copy(struct kunit *test)
{
	struct task_struct *task;
	struct other other;

	task = start_other(test, &other);
	KUNIT_EXPECT_FALSE(test, has_space());
	end_other(&other, task);
}

/* Proves H15 */
static void oldest_copy_makes_room(struct kunit *test)
{
	struct task_struct *first, *second;
	struct other one, two;

	new_set(test, 2);
	copy(test);
	first = start_other(test, &one);
	KUNIT_EXPECT_TRUE(test, has_space());
	second = start_other(test, &two);
	KUNIT_EXPECT_FALSE(test, has_space());
	end_other(&one, first);
	end_other(&two, second);
}

static void ended_process_makes_room(struct kunit *test)
{
	struct task_struct *task;
	struct other one, two;

	new_set(test, 2);
	copy(test);
	end_other(&one, start_other(test, &one));
	task = start_other(test, &two);
	KUNIT_EXPECT_TRUE(test, has_space());
	end_other(&two, task);
}

static void set_ends_with_its_last_reference(struct kunit *test)
{
	copy(test);
	pfm_unwind_set_get(set);
	pfm_unwind_set_put(set);
	KUNIT_EXPECT_TRUE(test, has_space());
}

static struct kunit_case cases[] = {
	KUNIT_CASE(process_has_space_after_copy),
	KUNIT_CASE(stale_copy_is_not_used),
	KUNIT_CASE(copy_without_stack_is_not_used),
	KUNIT_CASE(exec_makes_copy_invalid),
	KUNIT_CASE(copy_does_not_wait_for_mmap_lock),
	KUNIT_CASE(added_table_is_in_next_copy),
	KUNIT_CASE(overflow_requests_copy),
	KUNIT_CASE(kernel_overflow_requests_nothing),
	KUNIT_CASE(address_missed_in_old_copy_requests_copy),
	KUNIT_CASE(address_missed_in_new_copy_requests_nothing),
	KUNIT_CASE(kernel_overflow_looks_up_mappings),
	KUNIT_CASE(table_of_file_is_not_replaced),
	KUNIT_CASE(number_of_tables_is_limited),
	KUNIT_CASE(invalid_table_is_not_added),
	KUNIT_CASE(copy_without_room_is_refused),
	KUNIT_CASE(process_has_its_own_copy),
	KUNIT_CASE(oldest_copy_makes_room),
	KUNIT_CASE(ended_process_makes_room),
	KUNIT_CASE(set_ends_with_its_last_reference),
	{}
};

static struct kunit_suite suite = {
	.name = "pfm_unwind_set",
	.init = set_init,
	.test_cases = cases,
};

kunit_test_suite(suite);
