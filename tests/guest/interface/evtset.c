// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * evtset.c - event sets: creating, deleting and describing them (specification
 *	      3.1.10 - 3.1.12)
 */
#define _GNU_SOURCE
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "params.h"

#define TICK_MAX	10000000	/* longest possible tick in ns */
#define BY_TIME		PFM_SETFL_TIME_SWITCH
#define BY_OVFL		PFM_SETFL_OVFL_SWITCH

/* Proves 3.1.10-15, 3.1.12-08 */
TEST(context_takes_default_maximum_of_sets)
{
	pfarg_setdesc_t desc[16] = {};
	int fd = ctx_new(0);

	for (unsigned int id = 1; id < 0x10000; id += 257) {
		desc[0].set_id = id;
		CHECK_OK(pfm_create_evtsets(fd, desc, 1));
	}
	/*
	 * With these sets and set0, the maximum number is reached. Deleting a
	 * set makes room for another one.
	 */
	desc[0].set_id = 2;
	CHECK_ERRNO(pfm_create_evtsets(fd, desc, 1), ENOMEM);
	desc[0].set_id = 1;
	CHECK_OK(pfm_delete_evtsets(fd, desc, 1));
	desc[0].set_id = 2;
	CHECK_OK(pfm_create_evtsets(fd, desc, 1));
	ctx_load_self(fd);
	CHECK_EQ(ctx_set_info(fd, 1 + 257).set_runs, 0);
	CHECK_OK(pfm_unload_context(fd));
}

#define MANY_SETS	600

/*
 * Create as many sets as the raised limit allows. The last set has the highest
 * possible ID.
 */
static void more_than_by_default(void *arg)
{
	pfarg_setdesc_t desc = { .set_flags = BY_OVFL | PFM_SETFL_EXPL_NEXT };
	int fd = ctx_new(0);

	for (unsigned int n = 1; n <= MANY_SETS; n++) {
		desc.set_id = n < MANY_SETS ? 100 * n : 0xffff;
		desc.set_id_next = n < MANY_SETS ? 0xffff : 0;
		CHECK_OK(pfm_create_evtsets(fd, &desc, 1));
	}
	desc = (pfarg_setdesc_t){ .set_id = 1 };
	CHECK_ERRNO(pfm_create_evtsets(fd, &desc, 1), ENOMEM);
	ctx_create_set(fd, 0, BY_OVFL);
	ctx_add_set_counter(fd, 0, 0, 0, 5, 1);
	ctx_add_set_counter(fd, 100, 0, 0, 5, 1);
	ctx_add_set_counter(fd, 0xffff, 0, 0, 5, 1);
	ctx_start_self(fd);
	touch_pages(15 * 10, NULL);
	CHECK_OK(pfm_unload_context(fd));
	CHECK_EQ(ctx_set_info(fd, 100).set_runs, 10);
	CHECK_EQ(ctx_set_info(fd, 0xffff).set_runs, 10);
	CHECK_EQ(ctx_set_info(fd, 200).set_runs, 0);
}

/* Proves 3.1.10-15, 3.7.5-01 */
TEST(sets_max_raises_the_number_of_sets)
{
	struct param_run r = { "sets_max", "601", more_than_by_default, NULL };

	with_param(&r);
}

/* Proves 3.1.11-03, 3.1.3-20, 3.1.2-19 */
TEST(recreated_set_has_fresh_registers)
{
	pfarg_setdesc_t desc = { .set_id = 4 };
	pfarg_start_t start = { .start_set = 4 };
	int fd = ctx_new(0);

	ctx_create_set(fd, 4, BY_OVFL);
	ctx_add_set_counter(fd, 4, 0, PFM_REGFL_OVFL_NOTIFY, 5, 3);
	ctx_add_set_counter(fd, 4, 1, 0, 1000, 0);
	CHECK_OK(pfm_delete_evtsets(fd, &desc, 1));
	ctx_create_set(fd, 4, 0);
	CHECK_EQ(ctx_read_set(fd, 4, 0), 0);
	CHECK_EQ(ctx_read_set(fd, 4, 1), 0);
	/*
	 * A counter written to the new set counts, but neither notifies nor
	 * switches sets.
	 */
	ctx_add_set_counter(fd, 4, 0, 0, 0, 0);
	faults_prepare();
	ctx_load_self(fd);
	CHECK_OK(pfm_start(fd, &start));
	touch_pages(30, NULL);
	ctx_expect_state(fd, "started");
	CHECK_EQ(ctx_read_set(fd, 4, 0), 30);
	CHECK_EQ(ctx_read_set(fd, 4, 1), 0);
	CHECK_EQ(ctx_set_info(fd, 4).set_runs, 1);
}

TEST(registers_of_missing_set_are_refused)
{
	struct counter c = counter(0, 0, 0);
	int fd = ctx_new(0);

	c.pmc.reg_set = 3;
	c.pmd.reg_set = 3;
	CHECK_ERRNO(pfm_write_pmcs(fd, &c.pmc, 1), EINVAL);
	CHECK(c.pmc.reg_flags & PFM_REG_RETFL_NOSET);
	CHECK_ERRNO(pfm_write_pmds(fd, &c.pmd, 1), EINVAL);
	CHECK(c.pmd.reg_flags & PFM_REG_RETFL_NOSET);
	ctx_create_set(fd, 3, 0);
	c.pmc.reg_flags = 0;
	c.pmd.reg_flags = 0;
	counter_write(fd, &c);
}

/* Proves 3.1.10-11, 3.7.6-06 */
TEST(create_returns_the_effective_timeout)
{
	pfarg_setdesc_t desc = { .set_flags = BY_TIME };
	int fd = ctx_new(0);
	__u64 tick;

	desc.set_timeout.tv_nsec = 1;
	CHECK_OK(pfm_create_evtsets(fd, &desc, 1));
	tick = nanoseconds(&desc.set_timeout);
	CHECK(tick > 1 && tick <= TICK_MAX);
	desc.set_timeout.tv_nsec = tick + 1;
	CHECK_OK(pfm_create_evtsets(fd, &desc, 1));
	CHECK_EQ(nanoseconds(&desc.set_timeout), 2 * tick);
}

/* Proves 3.1.5-11 */
TEST(start_designates_a_set)
{
	pfarg_start_t start = { .start_set = 2 };
	int fd = ctx_new(0);

	ctx_create_set(fd, 2, 0);
	ctx_add_set_counter(fd, 0, 0, 0, 0, 0);
	ctx_add_set_counter(fd, 2, 0, 0, 0, 0);
	faults_prepare();
	ctx_load_self(fd);
	CHECK_OK(pfm_start(fd, &start));
	touch_pages(30, NULL);
	ctx_stop(fd);
	CHECK_EQ(ctx_read_set(fd, 0, 0), 0);
	CHECK_EQ(ctx_read_set(fd, 2, 0), 30);
}

TEST(inactive_set_registers_are_writable_while_started)
{
	pfarg_start_t start = { .start_set = 2 };
	int fd = ctx_new(0);

	ctx_create_set(fd, 2, 0);
	ctx_add_set_counter(fd, 0, 0, 0, 0, 0);
	ctx_start_self(fd);
	touch_pages(10, NULL);
	ctx_add_set_counter(fd, 2, 1, 0, 0, 0);
	touch_pages(10, NULL);
	ctx_stop(fd);
	CHECK_OK(pfm_start(fd, &start));
	touch_pages(5, NULL);
	ctx_stop(fd);
	CHECK_EQ(ctx_read_set(fd, 0, 0), 20);
	CHECK_EQ(ctx_read_set(fd, 2, 1), 5);
}

/* Proves 3.7.6-07, H07 */
TEST(context_with_sets_can_be_closed_at_any_time)
{
	faults_prepare();
	for (int round = 0; round < 50; round++) {
		int fd = ctx_new(0);

		ctx_create_set(fd, 0, BY_OVFL);
		ctx_create_set(fd, 1, BY_OVFL);
		ctx_add_set_counter(fd, 0, 0, 0, 1, 1);
		ctx_add_set_counter(fd, 1, 0, 0, 1, 1);
		ctx_start_on(fd, thread_id());
		touch_pages(round, NULL);
		CHECK_OK(close(fd));
	}
}
