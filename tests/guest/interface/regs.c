// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * regs.c - write, read and describe PMCs and PMDs (specification 3.1.2 - 3.1.4,
 *	    3.1.13, 3.1.14)
 */
#define _GNU_SOURCE
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "smpl.h"
#include "worker.h"

#define PERIOD		4

/* PFM_WRITE_PMCS, PFM_WRITE_PMDS, PFM_READ_PMDS */

/* Proves 3.1.4-05, 3.1.4-06 */
TEST(read_pmds_marks_the_error)
{
	pfarg_pmd_t flags = { .reg_flags = 0x1 }, set = { .reg_set = 3 };
	int fd = ctx_new(0);

	CHECK_ERRNO(pfm_read_pmds(fd, &flags, 1), EINVAL);
	CHECK_EQ(flags.reg_flags & PFM_REG_RETFL_MASK, PFM_REG_RETFL_EINVAL);
	CHECK_ERRNO(pfm_read_pmds(fd, &set, 1), EINVAL);
	CHECK_EQ(set.reg_flags, PFM_REG_RETFL_NOSET);
}

static void expect_pmc_refused(int fd, pfarg_pmc_t pmc, __u32 mark)
{
	CHECK_ERRNO(pfm_write_pmcs(fd, &pmc, 1), EINVAL);
	CHECK_EQ(pmc.reg_flags & PFM_REG_RETFL_MASK, mark);
}

/* Proves 3.1.2-04, 3.1.2-05, 3.1.2-06, 3.1.2-16, 3.1-08 */
TEST(write_pmcs_marks_the_error)
{
	const pfarg_pmc_t good = { .reg_value = PAGE_FAULTS };
	int fd = ctx_new(0);
	pfarg_pmc_t bad = good;

	bad.reg_num = 200;
	expect_pmc_refused(fd, bad, PFM_REG_RETFL_NOTAVAIL);
	bad = good;
	bad.reg_set = 1;
	expect_pmc_refused(fd, bad, PFM_REG_RETFL_NOSET);
	bad = good;
	bad.reg_value = NO_SUCH_EVENT;
	expect_pmc_refused(fd, bad, PFM_REG_RETFL_EINVAL);
	bad = good;
	bad.reg_flags = PFM_REGFL_SMPL;
	expect_pmc_refused(fd, bad, PFM_REG_RETFL_EINVAL);
	bad = good;
	bad.reserved[3] = 1;
	expect_pmc_refused(fd, bad, PFM_REG_RETFL_EINVAL);
	bad = good;
	bad.reg_smpl_pmds[4] = 1ULL << 63;
	expect_pmc_refused(fd, bad, PFM_REG_RETFL_EINVAL);
	bad = good;
	bad.reg_reset_pmds[1] = 1;
	expect_pmc_refused(fd, bad, PFM_REG_RETFL_EINVAL);
}

/* Proves 3.1.2-07, 3.1.3-07 */
TEST(undefined_register_flags_are_refused)
{
	const __u32 defined = PFM_REGFL_OVFL_NOTIFY | PFM_REGFL_RANDOM |
			      PFM_REGFL_VALUE_ONLY | PFM_REGFL_SMPL |
			      PFM_REGFL_AT_EXIT |
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

/* Proves 3.1.2-07, 3.1.3-07 */
TEST(flags_of_the_other_register_are_refused)
{
	static const __u32 of_pmcs[] = {
		PFM_REGFL_OVFL_NOTIFY, PFM_REGFL_RANDOM, PFM_REGFL_VALUE_ONLY,
		PFM_REGFL_AT_EXIT, PFM_REGFL_OVFL_NOTIFY | PFM_REGFL_RANDOM,
		PFM_REGFL_SMPL | PFM_REGFL_VALUE_ONLY,
	};
	int fd = ctx_new(0);

	for (size_t i = 0; i < ARRAY_SIZE(of_pmcs); i++) {
		pfarg_pmd_t pmd = { .reg_flags = of_pmcs[i], .reg_value = 7 };

		CHECK_ERRNO(pfm_write_pmds(fd, &pmd, 1), EINVAL);
		CHECK_EQ(pmd.reg_flags, of_pmcs[i] | PFM_REG_RETFL_EINVAL);
		CHECK_EQ(ctx_read(fd, 0), 0);
	}
	expect_pmc_refused(fd, (pfarg_pmc_t){ .reg_value = PAGE_FAULTS,
					      .reg_flags = PFM_REGFL_SMPL },
			   PFM_REG_RETFL_EINVAL);
}

/* Proves 3.1.2-06, H13 */
TEST(refused_pmc_keeps_its_program)
{
	pfarg_pmc_t bad = { .reg_value = NO_SUCH_EVENT };
	int fd = ctx_counting();

	CHECK_ERRNO(pfm_write_pmcs(fd, &bad, 1), EINVAL);
	ctx_start_self(fd);
	touch_pages(3, NULL);
	bad.reg_flags = 0;
	CHECK_ERRNO(pfm_write_pmcs(fd, &bad, 1), EINVAL);
	touch_pages(4, NULL);
	CHECK_EQ(ctx_read(fd, 0), 7);
}

/* Proves 3.2.2-02 */
TEST(read_only_pmds_cannot_be_written)
{
	pfarg_pmd_t pmd = { .reg_num = PFM_PMD_TID, .reg_value = 1 };
	int fd = ctx_new(0);

	CHECK_ERRNO(pfm_write_pmds(fd, &pmd, 1), EINVAL);
	CHECK_EQ(pmd.reg_flags, PFM_REG_RETFL_EINVAL);
}

TEST(sampling_fields_can_come_with_the_pmd)
{
	pfarg_pmc_t pmc = { .reg_value = PAGE_FAULTS,
			    .reg_flags = PFM_REGFL_VALUE_ONLY };
	pfarg_pmd_t pmd = {
		.reg_value = -4ULL,
		.reg_flags = PFM_REGFL_SMPL | PFM_REGFL_OVFL_NOTIFY,
	};
	int fd = ctx_new(0);

	CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	ctx_start_self(fd);
	touch_pages(4, NULL);
	ctx_expect_state(fd, "masked");
}

/* Proves 3.1.2-21, 3.1.3-21 */
TEST(pmd_may_be_written_before_its_pmc)
{
	struct counter c = counter(0, PFM_REGFL_OVFL_NOTIFY, PERIOD);
	int fd = ctx_new(0);

	CHECK_OK(pfm_write_pmds(fd, &c.pmd, 1));
	CHECK_OK(pfm_write_pmcs(fd, &c.pmc, 1));
	ctx_start_self(fd);
	touch_pages(PERIOD - 1, NULL);
	ctx_expect_state(fd, "started");
	touch_pages(1, NULL);
	ctx_expect_state(fd, "masked");
}

/* Proves 3.1.3-15, 3.1.4-10, 3.1.4-11 */
TEST(fields_that_are_not_input_are_ignored)
{
	pfarg_pmd_t written = { .reg_value = 5,
				.reg_last_reset_val = SENTINEL,
				.reg_ovflsw_thres = 3 };
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
	ctx_start_self(s.fd);
	touch_pages(5 * PERIOD, NULL);
	CHECK_EQ(s.hdr->hdr_count, 5);
	for (int i = 0; i < 5; i++)
		CHECK_EQ(smpl_entry(&s, i, 0)->last_reset_val,
			 -(__u64)PERIOD);
}

/* Proves 3.1.1-23, 3.1.3-20, 3.1.4-12, 3.1.4-16, 3.1.14-06, 4.2-06 */
TEST(new_context_holds_default_values)
{
	int fd = ctx_new(0);

	for (unsigned int i = 0; i < PFM_MAX_PMDS; i++) {
		pfarg_pmdinfo_t info = { .reg_num = i };

		if (pfm_getinfo_pmds(&info, 1))
			continue;
		CHECK_EQ(ctx_read(fd, i), info.reg_def_value);
		CHECK_EQ(ctx_last_reset(fd, i), info.reg_def_value);
		if (info.reg_type != PFM_REG_TYPE_VIRTUAL)
			CHECK_EQ(info.reg_def_value, 0);
	}
}

/* Proves 3.1.2-20, 3.1.13-06 */
TEST(default_pmc_measures_nothing)
{
	pfarg_pmcinfo_t info = { .reg_num = 0 };
	int fd = ctx_counting();
	pfarg_pmc_t pmc;

	CHECK_OK(pfm_getinfo_pmcs(&info, 1));
	pmc = (pfarg_pmc_t){ .reg_value = info.reg_def_value };
	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	ctx_start_self(fd);
	touch_pages(5, NULL);
	CHECK_EQ(ctx_read(fd, 0), 0);
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

/* Proves 3.1.2-24, 3.1.3-10, 3.1.3-24 */
TEST(registers_can_be_written_while_started)
{
	int fd = ctx_counting();
	pfarg_pmd_t pmd = { .reg_value = 1000 };
	pfarg_pmc_t pmc = { .reg_num = 1, .reg_value = PAGE_FAULTS };

	ctx_start_self(fd);
	touch_pages(5, NULL);
	CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	touch_pages(5, NULL);
	CHECK_EQ(ctx_read(fd, 0), 1005);
	CHECK_EQ(ctx_read(fd, 1), 5);
}

/* Proves 3.1.2-25, 3.1.3-25 */
TEST(registers_of_running_thread_can_be_written)
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

/*
 * Execute the instruction that reads a hardware counter. The instruction raises
 * a signal if user space must not read counters.
 */
static void read_hardware(void *unused)
{
#ifdef __aarch64__
	unsigned long value;

	asm volatile("mrs %0, pmccntr_el0" : "=r" (value));
#else
	asm volatile("rdpmc" : : "c" (0) : "eax", "edx");
#endif
}

static void expect_unreadable(void)
{
	int status = wait_for(spawn(read_hardware, NULL));

	CHECK(WIFSIGNALED(status));
#ifdef __aarch64__
	CHECK_EQ(WTERMSIG(status), SIGILL);
#else
	CHECK_EQ(WTERMSIG(status), SIGSEGV);
#endif
}

static void read_own_hardware(void *fd)
{
	/*
	 * The parent also holds the descriptor, and checks the context's state.
	 */
	ctx_start_on(*(int *)fd, thread_id());
	read_hardware(NULL);
}

/* Proves 4.3.2-02 */
TEST(user_level_cannot_read_hardware_counters)
{
	int fd = ctx_counting(), status;
	struct worker w;

	/* Here the monitored thread itself reads. */
	status = wait_for(spawn(read_own_hardware, &fd));
	CHECK(WIFSIGNALED(status));
	CHECK(WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGILL);
	ctx_wait_state(fd, "unloaded");
	/*
	 * Another thread reads while the monitored thread sleeps, while it
	 * runs, and after its exit.
	 */
	worker_start(&w);
	ctx_start_on(fd, w.pid);
	wait_asleep(w.pid);
	expect_unreadable();
	worker_ask(&w, WORK_TOUCH, ULONG_MAX);
	while (!worker_progress(&w))
		sched_yield();
	expect_unreadable();
	worker_kill(&w);
	expect_unreadable();
}

/* PFM_GETINFO_PMCS, PFM_GETINFO_PMDS */

struct mapping {
	bool			exists;
	unsigned long long	dfl;
	unsigned long long	rsvd;
};

static void read_mappings(const char *kind, struct mapping *mappings)
{
	FILE *file = fopen(PFM_SYSFS "/pmu_desc/mappings", "r");
	char line[256], name[8];
	unsigned int n;

	CHECK(file);
	while (fgets(line, sizeof(line), file)) {
		struct mapping m = { .exists = true };

		CHECK(sscanf(line, "%3[PMCD]%u:%llx:%llx:", name, &n, &m.dfl,
			     &m.rsvd) == 4);
		CHECK(n < PFM_MAX_PMDS);
		if (!strcmp(name, kind))
			mappings[n] = m;
	}
	fclose(file);
}

static void compare_info(const char *kind,
			 int (*getinfo)(pfarg_pmcinfo_t *info, int n))
{
	struct mapping mappings[PFM_MAX_PMDS] = {};
	unsigned int found = 0;

	read_mappings(kind, mappings);
	for (unsigned int i = 0; i < PFM_MAX_PMDS; i++) {
		pfarg_pmcinfo_t info = { .reg_num = i };

		if (!mappings[i].exists) {
			CHECK_ERRNO(getinfo(&info, 1), EINVAL);
			CHECK(info.reg_flags & PFM_REG_RETFL_EINVAL);
			continue;
		}
		CHECK_OK(getinfo(&info, 1));
		CHECK_EQ(info.reg_def_value, mappings[i].dfl);
		CHECK_EQ(info.reg_rsvd_mask, mappings[i].rsvd);
		CHECK(info.reg_type);
		CHECK_EQ(info.reg_flags, 0);
		found++;
	}
	CHECK(found);
}

/*
 * Proves 3.1.13-06, 3.1.13-08, 3.1.13-14, 3.1.14-06, 3.1.14-12, 3.2.1-01,
 * 3.2.3-01, 4.2-02, P4.3-03
 */
TEST(getinfo_agrees_with_sysfs)
{
	compare_info("PMC", pfm_getinfo_pmcs);
	compare_info("PMD", pfm_getinfo_pmds);
}

/* Proves 3.1-08, 3.1.13-07, 3.1.14-07 */
TEST(getinfo_refuses_nonzero_input)
{
	pfarg_pmcinfo_t flags = { .reg_flags = 1 };
	pfarg_pmcinfo_t reserved = { .reserved = { 0, 0, 0, 1 } };

	CHECK_ERRNO(pfm_getinfo_pmcs(&flags, 1), EINVAL);
	CHECK_ERRNO(pfm_getinfo_pmds(&reserved, 1), EINVAL);
}

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
TEST(getinfo_describes_many_registers)
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
TEST(getinfo_ignores_output_fields)
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
TEST(each_register_maps_to_a_distinct_index)
{
	for (size_t i = 0; i < ARRAY_SIZE(getinfos); i++)
		mappings_differ(getinfos[i]);
}

/* Proves 3.1.13-15, 3.1.14-13 */
TEST(getinfo_vectors_have_a_size_limit)
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
		pfarg_pmcinfo_t infos[] = {
			{ .reg_num = 1 }, { .reg_num = 200 }, { .reg_num = 2 },
		};

		CHECK_ERRNO(getinfos[i](infos, 3), EINVAL);
		CHECK(infos[0].reg_type);
		for (int j = 0; j < 3; j++)
			CHECK_EQ(!!PFM_REG_HAS_ERROR(infos[j].reg_flags),
				 j == 1);
		CHECK(infos[1].reg_flags & PFM_REG_RETFL_EINVAL);
		CHECK(!infos[2].reg_type);
	}
}
