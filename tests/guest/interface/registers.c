// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * registers.c - vectors of registers, and what commands leave alone (3.1-3.1.4,
 *		 3.1.13, 3.1.14)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "worker.h"

#define SENTINEL	0x5a5a5a5a5a5a5a5aULL
#define PERIOD		4
#define REGS		16	/* pairs of PMC and PMD that perf has */

/* All commands */

/* Proves 3.1-01 */
TEST(commands_return_0_and_nothing_else)
{
	struct counter c = counter(0, 0, 0);
	pfarg_load_t load = { .load_pid = thread_id() };
	pfarg_pmcinfo_t info = {};
	pfarg_config_t config;
	int fd = ctx_new(0);

	CHECK(fd > 0);
	CHECK_EQ(perfmonctl(fd, PFM_WRITE_PMCS, &c.pmc, 1), 0);
	CHECK_EQ(perfmonctl(fd, PFM_WRITE_PMDS, &c.pmd, 1), 0);
	CHECK_EQ(perfmonctl(fd, PFM_READ_PMDS, &c.pmd, 1), 0);
	CHECK_EQ(perfmonctl(fd, PFM_LOAD_CONTEXT, &load, 1), 0);
	CHECK_EQ(perfmonctl(fd, PFM_START, NULL, 0), 0);
	CHECK_EQ(perfmonctl(fd, PFM_RESTART, NULL, 0), 0);
	CHECK_EQ(perfmonctl(fd, PFM_STOP, NULL, 0), 0);
	CHECK_EQ(perfmonctl(fd, PFM_UNLOAD_CONTEXT, NULL, 0), 0);
	CHECK_EQ(perfmonctl(fd, PFM_GETINFO_PMCS, &info, 1), 0);
	CHECK_EQ(perfmonctl(fd, PFM_GETINFO_PMDS, &info, 1), 0);
	CHECK_EQ(perfmonctl(fd, PFM_GET_CONFIG, &config, 1), 0);
	CHECK_EQ(perfmonctl(fd, PFM_SET_CONFIG, &config, 1), 0);
}

/* Proves 3.1-02, 3.1.13-01, 3.1.14-01, 3.1.16-01, 3.1.17-01 */
TEST(commands_without_context_ignore_the_descriptor)
{
	const int fds[] = { -1, 0, 1000, CHECK_OK(open("/dev/null", O_RDWR)),
			    ctx_new(0) };

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		pfarg_ctx_t ctx = {};
		pfarg_pmcinfo_t pmc = {};
		pfarg_pmdinfo_t pmd = {};
		pfarg_config_t config;

		CHECK_OK(perfmonctl(fds[i], PFM_CREATE_CONTEXT, &ctx, 1));
		CHECK_OK(perfmonctl(fds[i], PFM_GETINFO_PMCS, &pmc, 1));
		CHECK_OK(perfmonctl(fds[i], PFM_GETINFO_PMDS, &pmd, 1));
		CHECK_OK(perfmonctl(fds[i], PFM_GET_CONFIG, &config, 1));
		CHECK_OK(perfmonctl(fds[i], PFM_SET_CONFIG, &config, 1));
	}
}

/* Proves 3.1.1-17 */
TEST(contexts_are_limited_by_descriptors)
{
	const struct rlimit limit = { 64, 64 };
	pfarg_ctx_t ctx = {};
	int fds[64], fd, n;

	CHECK_OK(setrlimit(RLIMIT_NOFILE, &limit));
	for (n = 0; (fd = pfm_create_context(&ctx, NULL, 0)) >= 0; n++) {
		pfarg_pmd_t pmd = { .reg_value = 1000 + n };

		fds[n] = fd;
		CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
	}
	CHECK_EQ(errno, EMFILE);
	CHECK(n > 32);
	for (int i = 0; i < n; i++)
		CHECK_EQ(ctx_read(fds[i], 0), 1000 + i);
	close(fds[0]);
	ctx_new(0);
}

/* Proves 3.1.1-18 */
TEST(unloaded_context_measures_nothing)
{
	int fd = ctx_counting();

	ctx_expect_state(fd, "unloaded");
	faults_prepare();
	touch_pages(10, NULL);
	CHECK_EQ(ctx_read(fd, 0), 0);
}

/* Vectors */

/* Proves 3.1.2-02, 3.1.2-22, 3.1.3-02, 3.1.3-22, 3.1.4-02 */
TEST(vectors_hold_many_registers)
{
	pfarg_pmc_t pmcs[REGS] = {};
	pfarg_pmd_t pmds[REGS] = {};
	int fd = ctx_new(0);

	for (int i = 0; i < REGS; i++) {
		pmcs[i].reg_num = i;
		pmcs[i].reg_value = PAGE_FAULTS;
		pmds[i].reg_num = REGS - 1 - i;
		pmds[i].reg_value = 1000 * i;
	}
	CHECK_OK(pfm_write_pmcs(fd, pmcs, REGS));
	CHECK_OK(pfm_write_pmds(fd, pmds, REGS));
	faults_prepare();
	ctx_start_on(fd, thread_id());
	touch_pages(7, NULL);
	CHECK_OK(pfm_unload_context(fd));
	for (int i = 0; i < REGS; i++)
		pmds[i].reg_value = SENTINEL;
	CHECK_OK(pfm_read_pmds(fd, pmds, REGS));
	for (int i = 0; i < REGS; i++)
		CHECK_EQ(pmds[i].reg_value, 1000 * i + 7);
}

/* Proves 3.1.2-07, 3.1.3-07 */
TEST(undefined_register_flags_are_refused)
{
	const __u32 defined = PFM_REGFL_OVFL_NOTIFY | PFM_REGFL_RANDOM |
			      PFM_REGFL_VALUE_ONLY | PFM_REGFL_SMPL |
			      PFM_REG_RETFL_MASK;
	int fd = ctx_new(0);

	for (int bit = 0; bit < 32; bit++) {
		pfarg_pmc_t pmc = { .reg_flags = 1U << bit,
				    .reg_value = PAGE_FAULTS };
		pfarg_pmd_t pmd = { .reg_flags = 1U << bit };

		if (pmc.reg_flags & defined)
			continue;
		CHECK_ERRNO(pfm_write_pmcs(fd, &pmc, 1), EINVAL);
		CHECK(pmc.reg_flags & PFM_REG_RETFL_EINVAL);
		CHECK_ERRNO(pfm_write_pmds(fd, &pmd, 1), EINVAL);
		CHECK(pmd.reg_flags & PFM_REG_RETFL_EINVAL);
	}
}

/* Proves 3.1.2-30, 3.1.3-32, 3.1.4-24 */
TEST(bad_element_is_found_by_its_flags)
{
	pfarg_pmc_t pmcs[] = { { .reg_value = PAGE_FAULTS },
			       { .reg_value = PAGE_FAULTS, .reg_num = 300 },
			       { .reg_value = PAGE_FAULTS } };
	pfarg_pmd_t pmds[] = { { .reg_num = 0 }, { .reg_num = 300 },
			       { .reg_num = 0 } };
	int fd = ctx_new(0);

	CHECK_ERRNO(pfm_write_pmcs(fd, pmcs, 3), EINVAL);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(!!PFM_REG_HAS_ERROR(pmcs[i].reg_flags), i == 1);
	CHECK_ERRNO(pfm_write_pmds(fd, pmds, 3), EINVAL);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(!!PFM_REG_HAS_ERROR(pmds[i].reg_flags), i == 1);
	pmds[1].reg_flags = 0;
	CHECK_ERRNO(pfm_read_pmds(fd, pmds, 3), EINVAL);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(!!PFM_REG_HAS_ERROR(pmds[i].reg_flags), i == 1);
	/* Another reason than an element. */
	pmds[1].reg_flags = 0;
	CHECK_ERRNO(pfm_read_pmds(fd, pmds, 0), EINVAL);
	for (int i = 0; i < 3; i++)
		CHECK(!PFM_REG_HAS_ERROR(pmds[i].reg_flags));
}

/* Fields */

/* Proves 3.1.2-21, 3.1.3-21 */
TEST(pmd_may_be_written_before_its_pmc)
{
	struct counter c = counter(0, PFM_REGFL_OVFL_NOTIFY, PERIOD);
	int fd = ctx_new(0);

	CHECK_OK(pfm_write_pmds(fd, &c.pmd, 1));
	CHECK_OK(pfm_write_pmcs(fd, &c.pmc, 1));
	faults_prepare();
	ctx_start_on(fd, thread_id());
	touch_pages(PERIOD - 1, NULL);
	ctx_expect_state(fd, "started");
	touch_pages(1, NULL);
	ctx_expect_state(fd, "masked");
}

/* Proves 3.1.3-15, 3.1.4-10, 3.1.4-11 */
TEST(fields_that_are_not_input_are_ignored)
{
	pfarg_pmd_t written = { .reg_value = 5, .reg_last_reset_val = SENTINEL };
	pfarg_pmd_t read = {
		.reg_value = SENTINEL,
		.reg_long_reset = SENTINEL,
		.reg_short_reset = SENTINEL,
		.reg_last_reset_val = SENTINEL,
		.reg_ovflsw_thres = SENTINEL,
		.reg_random_mask = SENTINEL,
		.reg_random_seed = (__u32)SENTINEL,
	};
	int fd = ctx_new(0);

	CHECK_OK(pfm_write_pmds(fd, &written, 1));
	CHECK_OK(pfm_read_pmds(fd, &read, 1));
	CHECK_EQ(read.reg_value, 5);
	CHECK_EQ(read.reg_last_reset_val, 5);
	CHECK_EQ(read.reg_ovflsw_thres, 0);
	CHECK_EQ(read.reg_long_reset, SENTINEL);
	CHECK_EQ(read.reg_short_reset, SENTINEL);
	CHECK_EQ(read.reg_random_mask, SENTINEL);
	CHECK_EQ(read.reg_random_seed, (__u32)SENTINEL);
}

/* Proves 3.1.3-17 */
TEST(random_fields_need_their_flag)
{
	struct counter c = counter(0, 0, PERIOD);
	struct smpl s = smpl_new(0, 1 << 16, 0);

	c.pmd.reg_random_mask = 0xff;
	c.pmd.reg_random_seed = 7;
	counter_write(s.fd, &c);
	faults_prepare();
	ctx_start_on(s.fd, thread_id());
	touch_pages(5 * PERIOD, NULL);
	CHECK_EQ(s.hdr->hdr_count, 5);
	for (int i = 0; i < 5; i++)
		CHECK_EQ(smpl_entry(&s, i, 0)->last_reset_val,
			 -(__u64)PERIOD);
}

/* Proves 3.1.2-25, 3.1.3-25 */
TEST(registers_of_another_thread_are_written_while_it_runs)
{
	const __u64 far = 1ULL << 40;
	pfarg_pmc_t pmc = { .reg_num = 1, .reg_value = PAGE_FAULTS };
	pfarg_pmd_t pmd = { .reg_value = far };
	int fd = ctx_counting();
	struct worker w;

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_ask(&w, WORK_TOUCH, ULONG_MAX);
	while (!ctx_read(fd, 0))
		sched_yield();
	CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
	CHECK(ctx_read(fd, 0) >= far);
	CHECK_EQ(ctx_read(fd, 1), 0);
	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	while (!ctx_read(fd, 1))
		sched_yield();
	worker_kill(&w);
}

/* Proves 3.1.6-04 */
TEST(stop_holds_for_a_thread_that_runs)
{
	int fd = ctx_counting();
	unsigned long progress;
	struct worker w;
	__u64 value;

	worker_start(&w);
	ctx_start_on(fd, w.pid);
	worker_ask(&w, WORK_TOUCH, ULONG_MAX);
	while (!ctx_read(fd, 0))
		sched_yield();
	ctx_stop(fd);
	value = ctx_read(fd, 0);
	progress = worker_progress(&w);
	while (worker_progress(&w) < progress + 1000)
		sched_yield();
	CHECK_EQ(ctx_read(fd, 0), value);
	worker_kill(&w);
}

/* PFM_GETINFO_PMCS, PFM_GETINFO_PMDS */

typedef int getinfo_t(pfarg_pmcinfo_t *info, int n);

static getinfo_t * const getinfos[] = { pfm_getinfo_pmcs, pfm_getinfo_pmds };

/* Proves 3.1.13-02, 3.1.14-02 */
TEST(getinfo_works_while_monitoring)
{
	pfarg_pmcinfo_t info = {};
	int fd = ctx_counting();

	ctx_start_on(fd, thread_id());
	for (size_t i = 0; i < ARRAY_SIZE(getinfos); i++) {
		CHECK_OK(getinfos[i](&info, 1));
		CHECK(info.reg_type);
	}
}

static void tells_about_many(getinfo_t *getinfo)
{
	pfarg_pmcinfo_t infos[4] = {};

	for (int i = 0; i < 4; i++)
		infos[i].reg_num = 3 - i;
	CHECK_OK(getinfo(infos, 4));
	for (int i = 0; i < 4; i++) {
		pfarg_pmcinfo_t one = { .reg_num = 3 - i };

		CHECK_OK(getinfo(&one, 1));
		CHECK(one.reg_type);
		CHECK(!memcmp(&infos[i], &one, sizeof(one)));
	}
}

/* Proves 3.1.13-03, 3.1.14-03 */
TEST(getinfo_tells_about_many_registers)
{
	for (size_t i = 0; i < ARRAY_SIZE(getinfos); i++)
		tells_about_many(getinfos[i]);
}

static void returns_type_and_index(getinfo_t *getinfo, __u16 num, __u16 type)
{
	pfarg_pmcinfo_t info = {
		.reg_num = num,
		.reg_type = 0x5a5a,
		.reg_def_value = SENTINEL,
		.reg_rsvd_mask = SENTINEL,
		.reg_index = SENTINEL,
	};

	CHECK_OK(getinfo(&info, 1));
	CHECK_EQ(info.reg_type, type);
	CHECK_EQ(info.reg_index, num);
	CHECK(info.reg_def_value != SENTINEL);
	CHECK_EQ(info.reg_rsvd_mask, 0);
}

/* Proves 3.1.13-05, 3.1.13-10, 3.1.13-11, 3.1.14-05, 3.1.14-09 */
TEST(getinfo_ignores_what_it_returns)
{
	returns_type_and_index(pfm_getinfo_pmcs, 5, PFM_REG_TYPE_PERF);
	returns_type_and_index(pfm_getinfo_pmds, 5, PFM_REG_TYPE_PERF);
	returns_type_and_index(pfm_getinfo_pmds, PFM_PMD_TID,
			       PFM_REG_TYPE_VIRTUAL);
}

static void mappings_differ(getinfo_t *getinfo)
{
	pfarg_pmcinfo_t infos[PFM_MAX_PMDS];
	int found = 0;

	for (int i = 0; i < PFM_MAX_PMDS; i++) {
		pfarg_pmcinfo_t info = { .reg_num = i };

		if (!getinfo(&info, 1))
			infos[found++] = info;
	}
	CHECK(found > 1);
	for (int i = 0; i < found; i++)
		for (int j = 0; j < i; j++)
			CHECK(infos[i].reg_type != infos[j].reg_type ||
			      infos[i].reg_index != infos[j].reg_index);
}

/* Proves 3.1.13-12, 3.1.14-10, 3.2.3-01 */
TEST(each_register_has_a_mapping_of_its_own)
{
	for (size_t i = 0; i < ARRAY_SIZE(getinfos); i++)
		mappings_differ(getinfos[i]);
}

/* Proves 3.1.13-15, 3.1.14-13 */
TEST(getinfo_vectors_have_a_largest_size)
{
	static pfarg_pmcinfo_t infos[4096];
	int most = read_number(PFM_SYSFS "/arg_size_max") / sizeof(infos[0]);

	CHECK(most >= 1 && most < (int)ARRAY_SIZE(infos));
	for (size_t i = 0; i < ARRAY_SIZE(getinfos); i++) {
		memset(infos, 0, sizeof(infos));
		CHECK_OK(getinfos[i](infos, most));
		CHECK_ERRNO(getinfos[i](infos, most + 1), EFAULT);
	}
}

/* Proves 3.1.13-17, 3.1.14-15 */
TEST(getinfo_stops_at_first_bad_element)
{
	for (size_t i = 0; i < ARRAY_SIZE(getinfos); i++) {
		pfarg_pmcinfo_t infos[] = { { .reg_num = 1 }, { .reg_num = 200 },
					    { .reg_num = 2 } };

		CHECK_ERRNO(getinfos[i](infos, 3), EINVAL);
		CHECK(infos[0].reg_type);
		for (int j = 0; j < 3; j++)
			CHECK_EQ(!!PFM_REG_HAS_ERROR(infos[j].reg_flags),
				 j == 1);
		CHECK(infos[1].reg_flags & PFM_REG_RETFL_EINVAL);
		CHECK(!infos[2].reg_type);
	}
}
