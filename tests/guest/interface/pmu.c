// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * pmu.c - PMU description modules, only one of which can be registered (Eranian
 * 2006, section 4.4)
 *
 * All modules are loaded when the program begins and when it ends.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "modules.h"
#include "refusals.h"

#define PERF_PMU "pmu/perf/pfm_pmu_perf.ko"
#define SIM_PMU	"pmu/sim/pfm_pmu_sim.ko"

#define MAPPINGS PFM_SYSFS "/pmu_desc/mappings"

/* The PMDs of the example PMU. */
#define SWITCHES	300
#define FAULTS		301

/* Proves P4.4-01, H11 */
TEST(pmu_in_use_cannot_be_unloaded)
{
	int fd = ctx_new(0);

	CHECK_ERRNO(module_unload(MODULE_PMU), EAGAIN);
	CHECK_OK(close(fd));
	CHECK_OK(module_unload(MODULE_PMU));
	module_load(MODULE_PMU);
}

/* Proves P4.4-02 */
TEST(second_pmu_is_refused)
{
	int fd;

	CHECK_ERRNO(module_insert(SIM_PMU), EBUSY);
	CHECK(!exists("/sys/module/pfm_pmu_sim"));
	expect_text(PFM_SYSFS "/pmu_desc/name", "perf_events");
	fd = ctx_new(0);
	ctx_add_counter(fd, 0, 0, 0);
	ctx_start_self(fd);
	touch_pages(10, NULL);
	CHECK_EQ(ctx_read(fd, 0), 10);
}

/* Proves P4.3-03, P4.4-01, P4.4-03 */
TEST(pmu_is_replaced_and_put_back)
{
	pfarg_pmcinfo_t info = { .reg_num = 0 };
	int fd;

	CHECK_OK(module_unload(MODULE_PMU));
	CHECK_OK(module_insert(SIM_PMU));
	expect_text(PFM_SYSFS "/pmu_desc/name", "simulated");
	/* A mask bit of 1 marks a reserved bit. */
	expect_text(MAPPINGS, "PMC0:0x0:0xffffffff00000000:SIMSEL0");
	CHECK_OK(pfm_getinfo_pmcs(&info, 1));
	CHECK_EQ(info.reg_rsvd_mask, 0xffffffff00000000ULL);
	CHECK_ERRNO(module_insert(PERF_PMU), EBUSY);
	fd = ctx_new(0);
	CHECK_ERRNO(module_unload("pfm_pmu_sim"), EAGAIN);
	CHECK_OK(close(fd));
	CHECK_OK(module_unload("pfm_pmu_sim"));
	CHECK(!exists(MAPPINGS));
	CHECK_OK(module_insert(PERF_PMU));
	expect_text(PFM_SYSFS "/pmu_desc/name", "perf_events");
	CHECK_OK(pfm_getinfo_pmcs(&info, 1));
	CHECK_EQ(info.reg_rsvd_mask, 0);
}

static unsigned int count_mappings(char *last)
{
	FILE *file = fopen(MAPPINGS, "r");
	unsigned int n = 0;

	CHECK(file);
	while (fgets(last, 128, file))
		n++;
	fclose(file);
	return n;
}

TEST(largest_pmu_is_fully_listed_and_works)
{
	char line[128] = "";
	int fd;

	CHECK_OK(module_unload(MODULE_PMU));
	CHECK_OK(module_insert("tests/guest/pmu_full/pfm_pmu_full.ko"));
	CHECK_EQ(count_mappings(line), PFM_MAX_PMCS + PFM_MAX_PMDS);
	CHECK(!strncmp(line, "PMD319:0x0:0x0:NNN", 18));
	fd = ctx_new(0);
	for (int i = 0; i < PFM_MAX_PMDS; i++) {
		pfarg_pmc_t pmc = { .reg_num = i, .reg_value = 1 };
		pfarg_pmd_t pmd = { .reg_num = i, .reg_value = i };

		CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
		CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
	}
	ctx_start_on(fd, thread_id());
	for (int i = 0; i < PFM_MAX_PMDS; i++)
		CHECK_EQ(ctx_read(fd, i), i);
	CHECK_OK(close(fd));
	CHECK_OK(module_unload("pfm_pmu_full"));
	module_load(MODULE_PMU);
}

/* Proves 3.1.17-09 */
TEST(config_reports_actual_counter_width)
{
	pfarg_config_t cfg = {};

	CHECK_OK(module_unload(MODULE_PMU));
	CHECK_OK(module_insert("tests/guest/pmu_full/pfm_pmu_full.ko"));
	CHECK_OK(pfm_get_config(&cfg));
	CHECK_EQ(cfg.cf_counter_width, 47);
	CHECK_OK(module_unload("pfm_pmu_full"));
	module_load(MODULE_PMU);
}

/* Proves P4.3-06, P4.4-03 */
TEST(example_pmu_counts_thread_resources)
{
	pfarg_pmc_t pmc = { .reg_num = 0 };
	pfarg_pmd_t pmd = { .reg_num = FAULTS };
	pfarg_setdesc_t by_time = { .set_flags = PFM_SETFL_TIME_SWITCH };
	pfarg_load_t load_self = { .load_pid = thread_id() };
	pfarg_setinfo_t info = {};
	__u64 before;
	int fd;

	CHECK_OK(module_unload(MODULE_PMU));
	CHECK_OK(module_insert("examples/pmu_usage/pfm_pmu_usage.ko"));
	expect_text(MAPPINGS, "PMD300:0x0:0x0:SWITCHES");
	fd = ctx_new(0);
	CHECK_ERRNO(pfm_write_pmcs(fd, &pmc, 1), EINVAL);
	CHECK_ERRNO(pfm_write_pmds(fd, &pmd, 1), EINVAL);
	ctx_start_self(fd);
	before = ctx_read(fd, FAULTS);
	touch_pages(100, NULL);
	CHECK_EQ(ctx_read(fd, FAULTS) - before, 100);
	before = ctx_read(fd, SWITCHES);
	sleep_once();
	CHECK(ctx_read(fd, SWITCHES) > before);
	ctx_stop(fd);
	CHECK_OK(pfm_getinfo_evtsets(fd, &info, 1));
	CHECK(info.set_act_duration.tv_nsec > 0);
	CHECK_OK(pfm_unload_context(fd));
	CHECK_OK(pfm_create_evtsets(fd, &by_time, 1));
	CHECK_ERRNO(pfm_load_context(fd, &load_self), EINVAL);
	CHECK_OK(close(fd));
	CHECK_OK(module_unload("pfm_pmu_usage"));
	module_load(MODULE_PMU);
}

/* Proves P4.4-01 */
TEST(nothing_works_without_pmu)
{
	pfarg_ctx_t ctx = {};
	pfarg_pmcinfo_t info = {};

	CHECK_OK(module_unload(MODULE_PMU));
	REFUSED(pfm_create_context(&ctx, NULL, 0), ENODEV);
	REFUSED(pfm_getinfo_pmcs(&info, 1), ENODEV);
	REFUSED(pfm_getinfo_pmds(&info, 1), ENODEV);
	CHECK(!exists(PFM_SYSFS "/pmu_desc/name"));
	module_load(MODULE_PMU);
	CHECK_OK(pfm_getinfo_pmcs(&info, 1));
}
