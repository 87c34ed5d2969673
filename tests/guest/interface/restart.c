// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * restart.c - PFM_RESTART of contexts without a format (specification 3.1.9)
 */
#define _GNU_SOURCE
#include "check.h"
#include "ctx.h"
#include "faults.h"

#define PERIOD		5
#define NOTIFY		PFM_REGFL_OVFL_NOTIFY

/* Proves 3.1.9-12 */
TEST(restart_without_overflow_changes_nothing)
{
	int fd = ctx_notifying(0, 100);

	ctx_start_self(fd);
	touch_pages(5, NULL);
	CHECK_OK(pfm_restart(fd));
	touch_pages(5, NULL);
	CHECK_EQ(ctx_read(fd, 0), -90ULL);
}

/*
 * Proves 3.1.3-11, 3.1.4-08, 3.1.9-03, 3.1.9-06, 3.1.9-09, 3.4-02, 3.4.1-06,
 * 3.4.1-07, 3.4.2-10
 */
TEST(counter_with_notification_restarts_from_long_value)
{
	struct counter c = counter(0, NOTIFY, PERIOD);
	int fd = ctx_new(0);

	c.pmd.reg_short_reset = -700ULL;
	c.pmd.reg_long_reset = -20ULL;
	counter_write(fd, &c);
	CHECK_EQ(ctx_last_reset(fd, 0), -(__u64)PERIOD);
	ctx_start_here(fd);
	touch_pages(PERIOD + 10, NULL);
	CHECK_EQ(ctx_read(fd, 0), 0);
	CHECK_OK(pfm_restart(fd));
	CHECK_EQ(ctx_read(fd, 0), -20ULL);
	CHECK_EQ(ctx_last_reset(fd, 0), -20ULL);
	touch_pages(19, NULL);
	ctx_expect_state(fd, "started");
	touch_pages(1, NULL);
	ctx_expect_state(fd, "masked");
}

/* Proves 3.1.2-13, 3.1.2-14, 3.1.9-08 */
TEST(restart_resets_the_reset_pmds)
{
	struct counter c = counter(0, NOTIFY, PERIOD);
	struct counter other = counter(1, 0, 0);
	int fd = ctx_new(0);

	pfm_bv_set(c.pmc.reg_reset_pmds, 1);
	other.pmd.reg_long_reset = 1000;
	counter_write(fd, &c);
	counter_write(fd, &other);
	ctx_add_counter(fd, 2, 0, 0);
	ctx_start_here(fd);
	touch_pages(PERIOD + 3, NULL);
	CHECK_OK(pfm_restart(fd));
	CHECK_EQ(ctx_read(fd, 1), 1000);
	CHECK(ctx_read(fd, 2) == PERIOD || ctx_read(fd, 2) == PERIOD - 1);
	touch_pages(2, NULL);
	CHECK_EQ(ctx_read(fd, 1), 1002);
}

/* Proves 3.1.5-10, 3.1.6-06 */
TEST(stop_while_masked_stays_masked)
{
	int fd = ctx_notifying(0, PERIOD);

	ctx_start_here(fd);
	touch_pages(PERIOD, NULL);
	ctx_stop(fd);
	CHECK_OK(pfm_start(fd, NULL));
	ctx_expect_state(fd, "masked");
	touch_pages(2, NULL);
	CHECK_EQ(ctx_read(fd, 0), 0);
	ctx_stop(fd);
	CHECK_OK(pfm_restart(fd));
	ctx_expect_state(fd, "stopped");
	touch_pages(2, NULL);
	CHECK_EQ(ctx_read(fd, 0), -(__u64)PERIOD);
}
