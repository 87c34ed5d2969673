// SPDX-License-Identifier: GPL-2.0
/*
 * restart_kunit.c - PFM_RESTART, and the format's restart call-back (3.1.9,
 *		     3.5.15)
 */
#include <linux/delay.h>
#include <trace/events/printk.h>
#include "block.h"
#include "context.h"
#include "fixture.h"

/*
 * The number of lines that the kernel has printed, and how many of them it
 * printed while overflows were deferred.
 */
struct printed {
	const struct pfm_context	*ctx;
	const struct task_struct	*by;
	int				lines;
	int				in_the_way;
};

static void note_line(void *data, const char *text, size_t len)
{
	struct printed *printed = data;

	if (current != printed->by)
		return;
	printed->lines++;
	printed->in_the_way += printed->ctx->paused || printed->ctx->busy;
}

/* Proves 3.1.9-02 */
static void restart_of_a_detached_context_is_ebusy(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, fixture_restart(test), -EBUSY);
}

/* Proves 3.5.15-03 */
static void restart_neither_notifies_nor_blocks(struct kunit *test)
{
	struct fixture *f = test->priv;
	pfm_msg_t msg;

	fixture_sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	f->script.ctrl[0] = PFM_OVFL_CTRL_MASK;
	f->script.restart_ctrl = PFM_OVFL_CTRL_NOTIFY | PFM_OVFL_CTRL_BLOCK;
	fixture_start(test);
	fixture_count(test, 13);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_FALSE(test, fixture_take_msg(f, &msg));
	KUNIT_EXPECT_FALSE(test, fixture_is_blocked(f->ctx));
	KUNIT_EXPECT_FALSE(test, pfm_is_masked(f->ctx));
	/* Restart again, now that the context is not masked. */
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_FALSE(test, fixture_take_msg(f, &msg));
	KUNIT_EXPECT_FALSE(test, fixture_is_blocked(f->ctx));
}

/* Proves 3.1.9-11, 3.5.15-02, 3.5.15-04, 3.5.15-05 */
static void restart_can_mask_active_context(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, 0);
	f->script.restart_ctrl = PFM_OVFL_CTRL_MASK;
	fixture_start(test);
	fixture_count(test, 4);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, f->script.was_active, 1);
	fixture_count(test, 4);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), -6ULL);
	f->script.restart_ctrl = 0;
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, f->script.was_active, 0);
	/* The restart lets the counter continue without a reset. */
	fixture_count(test, 1);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), -5ULL);
}

/*
 * A format may miss samples while the context is masked or stopped. Therefore
 * the format's state is cleared when the context is loaded or stopped, and when
 * it is restarted while masked.
 */
static void format_forgets_state_when_samples_may_be_missing(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 *state = f->ctx->fmt_state.words;

	state[0] = 1;
	fixture_sampling_counter(test, 0, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_MASK;
	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	KUNIT_EXPECT_EQ(test, state[0], 0ULL);
	state[0] = 1;
	fixture_count(test, 13);
	KUNIT_EXPECT_PTR_EQ(test, &f->script.data[0].state->words[0], state);
	KUNIT_EXPECT_EQ(test, state[0], 1ULL);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, state[0], 0ULL);
	state[0] = 1;
	fixture_lock(f->ctx);
	KUNIT_EXPECT_EQ(test, pfm_stop_monitoring(f->ctx), 0);
	fixture_unlock(f->ctx);
	KUNIT_EXPECT_EQ(test, state[0], 0ULL);
}

/* Proves 3.1.9-11, 3.5.15-04 */
static void restart_can_keep_mask(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_MASK;
	f->script.restart_ctrl = PFM_OVFL_CTRL_MASK | PFM_OVFL_CTRL_RESET;
	fixture_start(test);
	fixture_count(test, 13);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	fixture_count(test, 4);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), LONG_RESET);
}

/* Proves 3.5.15-07 */
static void a_failing_restart_changes_nothing(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_MASK;
	f->script.restart_ctrl = PFM_OVFL_CTRL_RESET;
	f->script.restart_ret = -EIO;
	fixture_start(test);
	fixture_count(test, 13);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), -EIO);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), 3ULL);
	f->script.restart_ret = 0;
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), LONG_RESET);
}

/* Proves H12 */
static void a_positive_restart_result_is_einval(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, 0);
	f->script.restart_ret = 1;
	fixture_start(test);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), -EINVAL);
}

/*
 * Check that the core prints a line if fmt_restart returns an invalid result,
 * but not while overflows are deferred. Retry, because the rate limit of
 * messages may suppress the line.
 */
static void expect_line(struct kunit *test)
{
	struct printed printed = { .ctx = ctx_of(test), .by = current };
	int i;

	KUNIT_ASSERT_EQ(test, register_trace_console(note_line, &printed), 0);
	for (i = 0; i < 200 && !printed.lines; i++) {
		/*
		 * Sleep because the rate limit allows further lines only after
		 * some time.
		 */
		if (i)
			msleep(50);
		KUNIT_EXPECT_EQ(test, fixture_restart(test), -EINVAL);
	}
	unregister_trace_console(note_line, &printed);
	tracepoint_synchronize_unregister();
	KUNIT_EXPECT_GT(test, printed.lines, 0);
	KUNIT_EXPECT_EQ(test, printed.in_the_way, 0);
}

/* Proves H19 */
static void odd_restart_results_are_printed_unlocked(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_sampling_counter(test, 0, 0);
	f->script.ctrl[0] = PFM_OVFL_CTRL_MASK;
	f->script.restart_ret = -MAX_ERRNO - 1;
	fixture_start(test);
	expect_line(test);
	fixture_count(test, 13);
	KUNIT_EXPECT_TRUE(test, pfm_is_masked(f->ctx));
	expect_line(test);
}

static struct kunit_case restart_cases[] = {
	KUNIT_CASE(restart_of_a_detached_context_is_ebusy),
	KUNIT_CASE(restart_neither_notifies_nor_blocks),
	KUNIT_CASE(restart_can_mask_active_context),
	KUNIT_CASE(format_forgets_state_when_samples_may_be_missing),
	KUNIT_CASE(restart_can_keep_mask),
	KUNIT_CASE(a_failing_restart_changes_nothing),
	KUNIT_CASE(a_positive_restart_result_is_einval),
	KUNIT_CASE(odd_restart_results_are_printed_unlocked),
	{}
};

static struct kunit_suite restart_suite = {
	.name = "pfm_restart",
	.init = fixture_init_scripted,
	.exit = fixture_exit,
	.test_cases = restart_cases,
};

/* Proves 3.1.9-12 */
static void restart_of_an_active_context_is_harmless(struct kunit *test)
{
	fixture_sampling_counter(test, 0, PFM_REGFL_OVFL_NOTIFY);
	fixture_start(test);
	fixture_count(test, 4);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	KUNIT_EXPECT_EQ(test, fixture_value(test, 0), -6ULL);
}

static struct kunit_case restart_without_fmt_cases[] = {
	KUNIT_CASE(restart_of_an_active_context_is_harmless),
	{}
};

static struct kunit_suite restart_without_fmt_suite = {
	.name = "pfm_restart_without_fmt",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = restart_without_fmt_cases,
};

kunit_test_suites(&restart_suite, &restart_without_fmt_suite);
