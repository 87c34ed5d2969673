// SPDX-License-Identifier: GPL-2.0
/*
 * oprofile_kunit.c - the OProfile bridge: how samples get from the handler to
 * the stream, and lost samples
 */
#include <kunit/test.h>
#include <linux/file.h>
#include <linux/mman.h>
#include <linux/ptrace.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <perfmon/perfmon_oprofile_smpl.h>
#include "context.h"
#include "create.h"
#include "fixture.h"
#include "fmt.h"
#include "oprofile_check.h"
#include "reader.h"
#include "stats.h"

/* An address that is outside user space on all architectures. */
#define KERNEL_IP	((u64)-4096)

struct bridge {
	struct fixture		f;
	const pfm_buffer_fmt_t	*fmt;
	struct pfm_op_reader	*rd;
	unsigned long		before[PFM_OP_NUM_STATS];
};

/*
 * Each CPU's buffer has room for 16 samples. The event buffer, which holds the
 * stream, has room for 26 samples of kernel addresses if it has 64 words.
 */
static const struct pfm_op_sizes small = { .samples = 16, .words = 64 };
static const struct pfm_op_sizes usual = { .samples = 16, .words = 1024 };

static int bridge_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_OPROFILE_SMPL_UUID;
	struct bridge *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);
	int i;

	if (!b)
		return -ENOMEM;
	fixture_pin(test);
	b->fmt = pfm_fmt_get(uuid);
	for (i = 0; i < PFM_OP_NUM_STATS; i++)
		b->before[i] = pfm_op_total(i);
	test->priv = b;
	return b->fmt ? 0 : -ENOENT;
}

static void bridge_close(struct bridge *b)
{
	if (b->rd)
		pfm_op_reader_close(b->rd);
	b->rd = NULL;
}

static void bridge_exit(struct kunit *test)
{
	struct bridge *b = test->priv;

	bridge_close(b);
	if (b->f.ctx)
		pfm_context_destroy(b->f.ctx);
	if (b->fmt)
		pfm_fmt_put(b->fmt);
}

static struct pfm_op_reader *open_reader(struct kunit *test,
					 const struct pfm_op_sizes *sizes)
{
	struct bridge *b = test->priv;
	struct pfm_op_reader *rd = pfm_op_reader_open(sizes);

	KUNIT_ASSERT_FALSE(test, IS_ERR(rd));
	b->rd = rd;
	/*
	 * Wait until the first sync has run. It would otherwise move the test's
	 * samples from the CPUs' buffers to the stream too early.
	 */
	flush_delayed_work(&rd->work);
	return rd;
}

/* Call the handler as the core does. Return: the handler's control bits. */
static u32 overflow_of(struct kunit *test, pid_t tid, u64 ip, u64 event,
		       struct pt_regs *regs)
{
	struct bridge *b = test->priv;
	struct pfm_ovfl_data data = { .ip = ip, .regs = regs,
				      .tid = tid, .tgid = 21 };
	pfm_ovfl_arg_t *arg = kunit_kzalloc(test, sizeof(*arg), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, arg);
	arg->pmd_eventid = event;
	arg->ovfl_notify = 1;
	preempt_disable();
	KUNIT_EXPECT_EQ(test, b->fmt->fmt_handler(NULL, arg, 0, &data), 0);
	preempt_enable();
	return arg->ovfl_ctrl.val;
}

static u32 overflow(struct kunit *test, u64 ip, u64 event, struct pt_regs *regs)
{
	return overflow_of(test, current->pid, ip, event, regs);
}

static unsigned long counted(struct kunit *test, enum pfm_op_stat stat)
{
	struct bridge *b = test->priv;

	return pfm_op_total(stat) - b->before[stat];
}

/* Check the statistics, which are in the order of enum pfm_op_stat. */
static void expect_stats(struct kunit *test,
			 const unsigned long want[PFM_OP_NUM_STATS])
{
	int i;

	for (i = 0; i < PFM_OP_NUM_STATS; i++)
		KUNIT_EXPECT_EQ_MSG(test, counted(test, i), want[i],
				    "statistic %d", i);
}

#define EXPECT_STATS(test, ...) do {					\
	const unsigned long want_[PFM_OP_NUM_STATS] = { __VA_ARGS__ };	\
									\
	expect_stats(test, want_);					\
} while (0)

/* Sync, then check the words of the stream. */
#define EXPECT_SYNCED(test, rd, ...) do {				\
	pfm_op_sync(rd);						\
	EXPECT_WORDS(test, &(rd)->stream, __VA_ARGS__);			\
} while (0)

/* Proves 3.5-02 */
static void oprofile_format_has_no_argument_or_buffer(struct kunit *test)
{
	struct bridge *b = test->priv;

	KUNIT_EXPECT_EQ(test, b->fmt->fmt_arg_size, (size_t)0);
	KUNIT_EXPECT_PTR_EQ(test, b->fmt->fmt_getsize, NULL);
	KUNIT_EXPECT_PTR_EQ(test, b->fmt->fmt_validate, NULL);
	KUNIT_EXPECT_PTR_EQ(test, b->fmt->fmt_restart, NULL);
}

/* Proves P5.4-07 */
static void oprofile_handler_sets_reset_only(struct kunit *test)
{
	int i;

	/*
	 * The handler sets the same control bits without a reader, with a
	 * reader, and when the buffer is full.
	 */
	KUNIT_EXPECT_EQ(test, overflow(test, KERNEL_IP, 1, NULL),
			(u32)PFM_OVFL_CTRL_RESET);
	open_reader(test, &usual);
	for (i = 0; i < 40; i++)
		KUNIT_EXPECT_EQ(test, overflow(test, KERNEL_IP, 1, NULL),
				(u32)PFM_OVFL_CTRL_RESET);
}

static void oprofile_samples_without_reader_are_lost(struct kunit *test)
{
	overflow(test, KERNEL_IP, 1, NULL);
	overflow(test, KERNEL_IP, 1, NULL);
	EXPECT_STATS(test, 2, 0, 2);
}

static void oprofile_kernel_sample_has_address(struct kunit *test)
{
	struct pfm_op_reader *rd = open_reader(test, &usual);

	overflow(test, KERNEL_IP, 0x8000000000000007, NULL);
	EXPECT_SYNCED(test, rd, ESC, PFM_OPROFILE_CPU_SWITCH, 0,
		      ESC, PFM_OPROFILE_CTX_SWITCH, current->pid,
		      PFM_OPROFILE_NO_COOKIE, ESC, PFM_OPROFILE_CTX_TGID, 21,
		      ESC, PFM_OPROFILE_KERNEL_ENTER,
		      KERNEL_IP, 0x8000000000000007);
	EXPECT_STATS(test, 1, 1);
}

static void oprofile_address_never_equals_escape(struct kunit *test)
{
	struct pfm_op_reader *rd = open_reader(test, &usual);

	overflow(test, ~0ULL, 1, NULL);
	pfm_op_sync(rd);
	KUNIT_EXPECT_FALSE(test, pfm_op_stream_has_words(&rd->stream));
	EXPECT_STATS(test, 1, 0, 0, 0, 1);
}

static void oprofile_full_cpu_buffer_loses_samples(struct kunit *test)
{
	struct pfm_op_reader *rd = open_reader(test, &usual);
	int i;

	/*
	 * Hold the lock of the sync, which would otherwise empty the buffer as
	 * soon as it is half full.
	 */
	mutex_lock(&rd->sync_lock);
	for (i = 0; i < 20; i++)
		overflow(test, KERNEL_IP, i, NULL);
	EXPECT_STATS(test, 20, 0, 4);
	mutex_unlock(&rd->sync_lock);
	pfm_op_sync(rd);
	EXPECT_STATS(test, 20, 16, 4);
}

static void oprofile_full_event_buffer_loses_samples(struct kunit *test)
{
	struct pfm_op_reader *rd = open_reader(test, &small);
	unsigned long delivered;
	int i;

	for (i = 0; i < 50; i++) {
		overflow(test, KERNEL_IP, i, NULL);
		pfm_op_sync(rd);
	}
	/*
	 * The first sample of a kernel address takes 14 words, each later one
	 * takes two.
	 */
	delivered = 1 + (64 - 14) / 2;
	EXPECT_STATS(test, 50, delivered, 0, 0, 0, 50 - delivered);
}

static void oprofile_user_sample_needs_mm(struct kunit *test)
{
	struct pfm_op_reader *rd = open_reader(test, &usual);

	KUNIT_ASSERT_NULL(test, current->mm);
	overflow(test, 0x1000, 1, NULL);
	pfm_op_sync(rd);
	EXPECT_STATS(test, 1, 0, 0, 1);
}

static void set_level(struct pt_regs *regs, bool user)
{
#ifdef CONFIG_UML
	regs->regs.is_user = user;
#else
	regs->cs = user ? __USER_CS : __KERNEL_CS;
#endif
}

/*
 * If registers are given, they determine whether the sample is in user space.
 * Otherwise the address does.
 */
static void oprofile_registers_determine_user_level(struct kunit *test)
{
	struct pfm_op_reader *rd = open_reader(test, &usual);
	struct pt_regs *regs = kunit_kzalloc(test, sizeof(*regs), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, regs);
	set_level(regs, false);
	overflow(test, 0x1000, 1, regs);
	pfm_op_sync(rd);
	EXPECT_STATS(test, 1, 1);
	set_level(regs, true);
	overflow(test, KERNEL_IP, 1, regs);
	pfm_op_sync(rd);
	EXPECT_STATS(test, 2, 1, 0, 1);
}

#define MAP_PAGES	4

/*
 * Map @file from its second page on, or anonymous memory if @file is NULL.
 * Return: the address.
 */
static unsigned long map(struct kunit *test, struct file *file)
{
	unsigned long addr =
		kunit_vm_mmap(test, file, 0, MAP_PAGES * PAGE_SIZE,
			      PROT_READ | PROT_EXEC,
			      MAP_PRIVATE | (file ? 0 : MAP_ANONYMOUS),
			      file ? PAGE_SIZE : 0);

	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(addr));
	KUNIT_ASSERT_NE(test, addr, 0UL);
	return addr;
}

/* Check a reader's first sample in user space, which has all headers. */
static void expect_user_sample(struct kunit *test, unsigned long cookie,
			       unsigned long offset, unsigned long event)
{
	struct bridge *b = test->priv;

	EXPECT_SYNCED(test, b->rd, ESC, PFM_OPROFILE_CPU_SWITCH, 0,
		      ESC, PFM_OPROFILE_CTX_SWITCH, current->pid,
		      PFM_OPROFILE_NO_COOKIE, ESC, PFM_OPROFILE_CTX_TGID, 21,
		      ESC, PFM_OPROFILE_KERNEL_EXIT,
		      ESC, PFM_OPROFILE_COOKIE_SWITCH, cookie,
		      offset, event);
}

static void oprofile_file_sample_has_file_offset(struct kunit *test)
{
	struct pfm_op_reader *rd = open_reader(test, &usual);
	struct file *file = file_open(test, 0);
	unsigned long addr = map(test, file);

	overflow(test, addr + PAGE_SIZE + 0x10, 7, NULL);
	expect_user_sample(test, 1, 2 * PAGE_SIZE + 0x10, 7);
	expect_name(test, &rd->cookies, 1, file_names[0]);
	fput(file);
}

static void oprofile_anonymous_sample_has_address(struct kunit *test)
{
	unsigned long addr;

	open_reader(test, &usual);
	addr = map(test, NULL);
	overflow(test, addr + 0x10, 7, NULL);
	expect_user_sample(test, PFM_OPROFILE_NO_COOKIE, addr + 0x10, 7);
}

static void oprofile_unmapped_sample_is_lost(struct kunit *test)
{
	struct pfm_op_reader *rd = open_reader(test, &usual);
	unsigned long addr = map(test, NULL);

	overflow(test, addr + MAP_PAGES * PAGE_SIZE, 7, NULL);
	overflow(test, addr - 1, 7, NULL);
	pfm_op_sync(rd);
	EXPECT_STATS(test, 2, 0, 0, 0, 2);
}

/*
 * The handler records the address space of the current thread, so it drops a
 * sample that is handled so late that another thread runs.
 */
static void oprofile_sample_of_other_thread_is_lost(struct kunit *test)
{
	struct pfm_op_reader *rd = open_reader(test, &usual);
	unsigned long addr = map(test, NULL);

	overflow_of(test, current->pid + 1, addr, 7, NULL);
	pfm_op_sync(rd);
	EXPECT_STATS(test, 1, 0, 0, 1);
}

/*
 * The sync must not wait for a process's mmap_lock, which may be held for an
 * unlimited time.
 */
static void oprofile_sync_does_not_wait_for_mmap_lock(struct kunit *test)
{
	struct pfm_op_reader *rd = open_reader(test, &usual);
	unsigned long addr = map(test, NULL);

	overflow(test, addr, 7, NULL);
	overflow(test, addr, 7, NULL);
	mmap_write_lock(current->mm);
	pfm_op_sync(rd);
	mmap_write_unlock(current->mm);
	EXPECT_STATS(test, 2, 0, 0, 0, 2);
}

static int users_of_mm(void)
{
	return atomic_read(&current->mm->mm_users);
}

static void oprofile_samples_hold_mm_until_sync(
	struct kunit *test)
{
	struct pfm_op_reader *rd = open_reader(test, &usual);
	unsigned long addr = map(test, NULL);
	int before = users_of_mm();

	overflow(test, addr, 7, NULL);
	overflow(test, KERNEL_IP, 7, NULL);
	overflow(test, addr + MAP_PAGES * PAGE_SIZE, 7, NULL);
	KUNIT_EXPECT_EQ(test, users_of_mm(), before + 3);
	pfm_op_sync(rd);
	KUNIT_EXPECT_EQ(test, users_of_mm(), before);
}

static void oprofile_close_releases_samples(struct kunit *test)
{
	struct bridge *b = test->priv;
	unsigned long addr;
	int before;

	open_reader(test, &usual);
	addr = map(test, NULL);
	before = users_of_mm();
	overflow(test, addr, 7, NULL);
	bridge_close(b);
	KUNIT_EXPECT_EQ(test, users_of_mm(), before);
	EXPECT_STATS(test, 1, 0, 1);
}

static void oprofile_lost_samples_hold_no_mm(struct kunit *test)
{
	int before;

	map(test, NULL);
	before = users_of_mm();
	overflow(test, KERNEL_IP, 7, NULL);
	KUNIT_EXPECT_EQ(test, users_of_mm(), before);
}

/* Put a sample with @n callers into the ring of CPU 0, as the handler does. */
static void put_traced(struct kunit *test, unsigned long ip,
		       const unsigned long *callers, unsigned int n)
{
	struct bridge *b = test->priv;
	struct pfm_ring *ring = per_cpu_ptr(b->rd->cpus, 0);
	struct pfm_op_sample *sample;
	unsigned long pos;

	sample = pfm_ring_reserve(ring, &pos);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	mmget(current->mm);
	sample->mm = current->mm;
	sample->ip = ip;
	sample->event = 7;
	sample->tid = 20;
	sample->tgid = 21;
	sample->user = true;
	sample->num_callers = n;
	memcpy(sample->callers, callers, n * sizeof(*callers));
	pfm_ring_publish(&sample->slot, pos);
}

static void oprofile_trace_ends_at_unmapped_caller(struct kunit *test)
{
	static const struct pfm_op_sizes traced = { 16, 1024, 3 };
	struct pfm_op_reader *rd = open_reader(test, &traced);
	unsigned long addr = map(test, NULL);
	unsigned long callers[] = { addr + 1, addr - 1, addr + 2 };

	put_traced(test, addr, callers, 3);
	EXPECT_SYNCED(test, rd, ESC, PFM_OPROFILE_CPU_SWITCH, 0,
		      ESC, PFM_OPROFILE_CTX_SWITCH, 20, PFM_OPROFILE_NO_COOKIE,
		      ESC, PFM_OPROFILE_CTX_TGID, 21,
		      ESC, PFM_OPROFILE_KERNEL_EXIT,
		      ESC, PFM_OPROFILE_COOKIE_SWITCH, PFM_OPROFILE_NO_COOKIE,
		      ESC, PFM_OPROFILE_TRACE_BEGIN, addr, 7, addr + 1, 0,
		      ESC, PFM_OPROFILE_TRACE_END);
	KUNIT_EXPECT_EQ(test, counted(test, PFM_OP_BT_LOST_NO_MAPPING), 1UL);
}

static void oprofile_incomplete_sample_stops_sync(struct kunit *test)
{
	struct pfm_op_reader *rd = open_reader(test, &usual);
	struct pfm_ring *ring = per_cpu_ptr(rd->cpus, 0);
	struct pfm_op_sample *outer;
	unsigned long pos;

	overflow(test, KERNEL_IP, 1, NULL);
	outer = pfm_ring_reserve(ring, &pos);
	KUNIT_ASSERT_NOT_NULL(test, outer);
	overflow(test, KERNEL_IP, 3, NULL);
	pfm_op_sync(rd);
	EXPECT_STATS(test, 2, 1);
	*outer = (struct pfm_op_sample){ .ip = KERNEL_IP, .event = 2 };
	pfm_ring_publish(&outer->slot, pos);
	pfm_op_sync(rd);
	KUNIT_EXPECT_EQ(test, counted(test, PFM_OP_DELIVERED), 3UL);
}

/* Sleep until the stream has words, as a reader does. */
static void await_words(struct kunit *test, struct pfm_op_reader *rd)
{
	KUNIT_ASSERT_EQ(test, 0,
			wait_event_interruptible(rd->wait,
				pfm_op_stream_has_words(&rd->stream)));
}

static void oprofile_half_full_buffer_is_synced(struct kunit *test)
{
	struct pfm_op_reader *rd = open_reader(test, &usual);
	int i;

	/* Wait until the first sync has run. */
	flush_delayed_work(&rd->work);
	for (i = 0; i < 8; i++)
		overflow(test, KERNEL_IP, i, NULL);
	await_words(test, rd);
	flush_delayed_work(&rd->work);
	EXPECT_STATS(test, 8, 8);
}

/* Attach a context with this format to the test's thread. */
static void load_context(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_OPROFILE_SMPL_UUID;
	struct bridge *b = test->priv;
	pfarg_ctx_t req = {};

	memcpy(req.ctx_smpl_buf_id, uuid, sizeof(uuid));
	b->f.ctx = fixture_context(&req, NULL, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(b->f.ctx));
}

static void oprofile_single_sample_is_delivered(struct kunit *test)
{
	struct pfm_op_reader *rd = open_reader(test, &usual);

	load_context(test);
	flush_delayed_work(&rd->work);
	overflow(test, KERNEL_IP, 1, NULL);
	await_words(test, rd);
	EXPECT_STATS(test, 1, 1);
}

static void oprofile_context_exit_delivers_samples(struct kunit *test)
{
	struct bridge *b = test->priv;
	struct pfm_op_reader *rd = open_reader(test, &usual);

	load_context(test);
	overflow(test, KERNEL_IP, 1, NULL);
	pfm_context_destroy(b->f.ctx);
	b->f.ctx = NULL;
	await_words(test, rd);
	EXPECT_STATS(test, 1, 1);
}

static void oprofile_second_reader_is_ebusy(struct kunit *test)
{
	struct bridge *b = test->priv;

	open_reader(test, &usual);
	KUNIT_EXPECT_EQ(test, PTR_ERR(pfm_op_reader_open(&usual)),
			(long)-EBUSY);
	bridge_close(b);
	open_reader(test, &usual);
}

static void oprofile_simultaneous_overflows_are_samples(struct kunit *test)
{
	struct pfm_op_reader *rd = open_reader(test, &usual);
	struct pfm_sim_tick tick = { .task = current, .ip = KERNEL_IP,
				     .delta = { 10, 0, 12 } };
	u32 tid = current->pid, tgid = current->tgid;
	u16 pmd;

	load_context(test);
	for (pmd = 0; pmd < 3; pmd += 2) {
		fixture_pmc(test, (pfarg_pmc_t){
				.reg_num = pmd,
				.reg_smpl_eventid = 100 + pmd });
		fixture_pmd(test, (pfarg_pmd_t){ .reg_num = pmd,
						 .reg_value = -10,
						 .reg_short_reset = -50 });
	}
	fixture_start(test);
	KUNIT_ASSERT_EQ(test, pfm_sim_advance(&tick), 0);
	EXPECT_SYNCED(test, rd, ESC, PFM_OPROFILE_CPU_SWITCH, 0,
		      ESC, PFM_OPROFILE_CTX_SWITCH, tid, PFM_OPROFILE_NO_COOKIE,
		      ESC, PFM_OPROFILE_CTX_TGID, tgid,
		      ESC, PFM_OPROFILE_KERNEL_ENTER,
		      KERNEL_IP, 100, KERNEL_IP, 102);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), -50ULL);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 2), -50ULL);
}

static struct kunit_case bridge_cases[] = {
	KUNIT_CASE(oprofile_format_has_no_argument_or_buffer),
	KUNIT_CASE(oprofile_handler_sets_reset_only),
	KUNIT_CASE(oprofile_samples_without_reader_are_lost),
	KUNIT_CASE(oprofile_kernel_sample_has_address),
	KUNIT_CASE(oprofile_address_never_equals_escape),
	KUNIT_CASE(oprofile_full_cpu_buffer_loses_samples),
	KUNIT_CASE(oprofile_full_event_buffer_loses_samples),
	KUNIT_CASE(oprofile_user_sample_needs_mm),
	KUNIT_CASE(oprofile_registers_determine_user_level),
	KUNIT_CASE(oprofile_file_sample_has_file_offset),
	KUNIT_CASE(oprofile_anonymous_sample_has_address),
	KUNIT_CASE(oprofile_unmapped_sample_is_lost),
	KUNIT_CASE(oprofile_sample_of_other_thread_is_lost),
	KUNIT_CASE(oprofile_sync_does_not_wait_for_mmap_lock),
	KUNIT_CASE(oprofile_samples_hold_mm_until_sync),
	KUNIT_CASE(oprofile_close_releases_samples),
	KUNIT_CASE(oprofile_lost_samples_hold_no_mm),
	KUNIT_CASE(oprofile_trace_ends_at_unmapped_caller),
	KUNIT_CASE(oprofile_incomplete_sample_stops_sync),
	KUNIT_CASE(oprofile_half_full_buffer_is_synced),
	KUNIT_CASE(oprofile_single_sample_is_delivered),
	KUNIT_CASE(oprofile_context_exit_delivers_samples),
	KUNIT_CASE(oprofile_second_reader_is_ebusy),
	KUNIT_CASE(oprofile_simultaneous_overflows_are_samples),
	{}
};

static struct kunit_suite bridge_suite = {
	.name = "pfm_op_bridge",
	.init = bridge_init,
	.exit = bridge_exit,
	.test_cases = bridge_cases,
};

kunit_test_suite(bridge_suite);
