// SPDX-License-Identifier: GPL-2.0
/*
 * notification_kunit.c - the state of the message queue and the buffer when a
 *			  reader is notified
 *
 * The tests look at the queue and the buffer in a probe of the tracepoint that
 * is hit when the signal is sent, before any reader can run.
 */
#include <linux/anon_inodes.h>
#include <linux/completion.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/signal.h>
#include <linux/tracepoint.h>
#include <perfmon/perfmon_default_smpl.h>
#include "fixture.h"
#include "tracepoint.h"

#define PERIOD		10
#define ENTRIES		3
#define HDR		sizeof(pfm_default_smpl_hdr_t)
#define ENTRY		sizeof(pfm_default_smpl_entry_t)
#define ALL		(HDR + ENTRIES * ENTRY)

/**
 * struct reader - a reader that gets a signal for each message, and what it
 * would find when the first signal arrives
 * @ctx:    the context
 * @task:   the reader
 * @file:   a file whose owner (F_SETOWN) is the reader
 * @tp:     the tracepoint of signals
 * @sent:   completed by the first signal
 * @signals: number of signals
 * @queued: whether a message was queued at the first signal
 * @buf: copy of the buffer at the first signal
 */
struct reader {
	struct pfm_context	*ctx;
	struct task_struct	*task;
	struct file		*file;
	struct tracepoint	*tp;
	struct completion	sent;
	unsigned int		signals;
	bool			queued;
	u8			buf[ALL];
};

static void see_signal(void *data, int sig, struct kernel_siginfo *info,
		       struct task_struct *task, int group, int result)
{
	struct reader *r = data;

	if (sig != SIGIO || task != r->task || r->signals++)
		return;
	r->queued = !pfm_msgq_empty(&r->ctx->msgq);
	if (r->ctx->buf)
		memcpy(r->buf, r->ctx->buf, ALL);
	complete(&r->sent);
}

/*
 * Request signals for this thread, as fcntl() does with F_SETOWN and O_ASYNC.
 * Return: the reader.
 */
static struct reader *start_reader(struct kunit *test)
{
	static const struct file_operations none;
	struct reader *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	r->ctx = ctx_of(test);
	r->task = current;
	init_completion(&r->sent);
	r->file = anon_inode_getfile("[reader]", &none, NULL, O_RDONLY);
	KUNIT_ASSERT_FALSE(test, IS_ERR(r->file));
	f_setown(r->file, task_pid_vnr(current), 1);
	KUNIT_ASSERT_GE(test,
			fasync_helper(-1, r->file, 1, &r->ctx->msgq.fasync), 0);
	r->tp = pfm_find_tracepoint("signal_generate");
	KUNIT_ASSERT_NOT_NULL(test, r->tp);
	KUNIT_ASSERT_EQ(test, 0,
			tracepoint_probe_register(r->tp, see_signal, r));
	return r;
}

/* Wait for the signal, and release the reader. */
static void stop_reader(struct kunit *test, struct reader *r)
{
	wait_for_completion(&r->sent);
	tracepoint_probe_unregister(r->tp, see_signal, r);
	tracepoint_synchronize_unregister();
	fasync_helper(-1, r->file, 0, &r->ctx->msgq.fasync);
	fput(r->file);
	KUNIT_EXPECT_EQ(test, r->signals, 1U);
}

/* Proves 3.3.7-03 */
static void overflow_message_is_queued_before_signal(struct kunit *test)
{
	struct reader *r;

	fixture_create(test, 0, false);
	fixture_counter(test, 0, PFM_REGFL_OVFL_NOTIFY, -PERIOD);
	fixture_start(test);
	r = start_reader(test);
	fixture_count(test, PERIOD);
	stop_reader(test, r);
	KUNIT_EXPECT_TRUE(test, r->queued);
}

/* Proves 3.3.7-03 */
static void end_message_is_queued_before_signal(struct kunit *test)
{
	struct task_struct *thread = fixture_thread();
	struct reader *r;

	fixture_create(test, 0, false);
	fixture_start_on(test, thread);
	r = start_reader(test);
	kthread_stop(thread);
	stop_reader(test, r);
	KUNIT_EXPECT_TRUE(test, r->queued);
}

/* Cause an overflow on a PMU that reports simultaneous overflows together. */
static void overflow_at(struct kunit *test, u64 ip)
{
	struct pfm_sim_tick tick = { .task = current, .ip = ip,
				     .delta = { PERIOD } };

	KUNIT_ASSERT_EQ(test, pfm_sim_advance(&tick), 0);
}

/* Cause an overflow on a PMU that reports each counter separately. */
static void report_at(struct kunit *test, u64 ip)
{
	preempt_disable();
	pfm_overflow(&fixture_pmd_of(ctx_of(test), 0)->hw, 0, NULL, ip);
	preempt_enable();
}

static void fill_buffer(struct kunit *test,
			void (*happen)(struct kunit *test, u64 ip))
{
	static const pfm_uuid_t uuid = PFM_DFL_SMPL_UUID;
	pfm_default_smpl_arg_t arg = {
		/*
		 * After ENTRIES entries, the largest possible entry does not
		 * fit.
		 */
		.buf_size = ALL + sizeof(u64) * pfm_num_pmds(),
	};
	const pfm_default_smpl_entry_t *entries;
	const pfm_default_smpl_hdr_t *hdr;
	struct reader *r;
	unsigned int i;

	fixture_create_with(test, uuid, &arg, sizeof(arg));
	fixture_counter(test, 0, PFM_REGFL_OVFL_NOTIFY, -PERIOD);
	fixture_start(test);
	r = start_reader(test);
	for (i = 0; i < ENTRIES; i++)
		happen(test, 0x1000 + i);
	stop_reader(test, r);
	hdr = (const void *)r->buf;
	entries = (const void *)(hdr + 1);
	KUNIT_EXPECT_EQ(test, hdr->hdr_count, (u64)ENTRIES);
	KUNIT_EXPECT_EQ(test, hdr->hdr_cur_offs, (u64)ALL);
	KUNIT_EXPECT_EQ(test, hdr->hdr_overflows, 1ULL);
	for (i = 0; i < ENTRIES; i++) {
		KUNIT_EXPECT_EQ(test, entries[i].ip, 0x1000ULL + i);
		KUNIT_EXPECT_EQ(test, entries[i].last_reset_val, (u64)-PERIOD);
	}
	KUNIT_EXPECT_MEMEQ(test, r->buf, r->ctx->buf, ALL);
}

/* Proves P5.3-02 */
static void buffer_is_complete_when_signal_is_sent(struct kunit *test)
{
	fill_buffer(test, overflow_at);
}

/* Proves P5.3-02 */
static void buffer_is_complete_on_separate_report(struct kunit *test)
{
	fill_buffer(test, report_at);
}

static struct kunit_case notification_cases[] = {
	KUNIT_CASE(overflow_message_is_queued_before_signal),
	KUNIT_CASE(end_message_is_queued_before_signal),
	KUNIT_CASE(buffer_is_complete_when_signal_is_sent),
	KUNIT_CASE(buffer_is_complete_on_separate_report),
	{}
};

static struct kunit_suite notification_suite = {
	.name = "pfm_notification",
	.exit = fixture_exit,
	.test_cases = notification_cases,
};
kunit_test_suite(notification_suite);
