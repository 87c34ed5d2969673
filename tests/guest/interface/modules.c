// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * modules.c - loading and unloading the modules, and what sysfs shows of them
 *	       (3.5.2, 3.5.7)
 *
 * Begins and ends with all modules loaded.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <perfmon/perfmon_nway_smpl.h>
#include <perfmon/perfmon_pebs32_smpl.h>
#include <perfmon/perfmon_pebs64_smpl.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "modules.h"
#include "worker.h"
#include "../../../examples/format_count/perfmon_count_smpl.h"

#define FORMAT_DIR PFM_SYSFS "/formats/" PFM_DFL_SMPL_UUID_STR

/* Proves 3.5.2-01, 3.5.2-04 */
TEST(sysfs_shows_version_format_and_pmu)
{
	expect_text(PFM_SYSFS "/version", "0.6");
	expect_text(FORMAT_DIR "/name", "default");
	expect_text(FORMAT_DIR "/arg_size", "64");
	expect_text(PFM_SYSFS "/pmu_desc/name", "perf_events");
	CHECK_ERRNO(open(PFM_SYSFS "/version", O_WRONLY | O_TRUNC), EACCES);
}

/* Proves 3.5.9-01, H11 */
TEST(format_in_use_cannot_be_unloaded)
{
	struct smpl s = smpl_new(0, 4096, 0);

	CHECK_ERRNO(module_unload(MODULE_DEFAULT), EAGAIN);
	CHECK_OK(close(s.fd));
	CHECK_OK(module_unload(MODULE_DEFAULT));
	CHECK(!exists(FORMAT_DIR));
	/* The mapping has outlived context and format. */
	CHECK_EQ(s.hdr->hdr_buf_size, 4096);
	module_load(MODULE_DEFAULT);
	CHECK(exists(FORMAT_DIR));
}

/* Proves 3.5-07 */
TEST(format_that_is_not_loaded_is_loaded_by_its_uuid)
{
	CHECK_OK(module_unload(MODULE_DEFAULT));
	close(smpl_new(0, 4096, 0).fd);
	expect_text(FORMAT_DIR "/name", "default");
}

static const struct format {
	const char *name;
	const char *module;
	const char *uuid_text;
	pfm_uuid_t uuid;
} formats[] = {
	{ "default", "pfm_fmt_default", PFM_DFL_SMPL_UUID_STR,
	  PFM_DFL_SMPL_UUID },
	{ "nway", "pfm_fmt_nway", PFM_NWAY_SMPL_UUID_STR, PFM_NWAY_SMPL_UUID },
	{ "pebs32", "pfm_fmt_pebs32", PFM_PEBS32_SMPL_UUID_STR,
	  PFM_PEBS32_SMPL_UUID },
	{ "pebs64", "pfm_fmt_pebs64", PFM_PEBS64_SMPL_UUID_STR,
	  PFM_PEBS64_SMPL_UUID },
};

static void expect_format(const struct format *f)
{
	char path[128];

	snprintf(path, sizeof(path), PFM_SYSFS "/formats/%s/name",
		 f->uuid_text);
	expect_text(path, f->name);
}

static void expect_no_format(const struct format *f)
{
	char path[128];

	snprintf(path, sizeof(path), PFM_SYSFS "/formats/%s", f->uuid_text);
	CHECK(!exists(path));
}

#define FORMATS	(sizeof(formats) / sizeof(formats[0]))

/* Proves 3.5-01, 3.5.2-04, 3.5.9-01, P5.4-02 */
TEST(each_format_is_loaded_by_insmod)
{
	char command[256];

	for (unsigned int i = 0; i < FORMATS; i++) {
		module_unload(formats[i].module);
		snprintf(command, sizeof(command),
			 "insmod /lib/modules/$(uname -r)/extra/formats/%s/%s.ko",
			 formats[i].name, formats[i].module);
		expect_no_format(&formats[i]);
		CHECK_EQ(system(command), 0);
		expect_format(&formats[i]);
		CHECK_OK(module_unload(formats[i].module));
		expect_no_format(&formats[i]);
	}
	module_load(MODULE_DEFAULT);
}

/* Proves 3.5.2-01, 3.5.2-03, 3.5.8-01, 3.6.1-01, P5.4-01 */
TEST(each_format_is_loaded_by_its_uuid)
{
	for (unsigned int i = 0; i < FORMATS; i++) {
		pfarg_ctx_t ctx = {};

		module_unload(formats[i].module);
		memcpy(ctx.ctx_smpl_buf_id, formats[i].uuid,
		       sizeof(pfm_uuid_t));
		/* Without an argument there is no context, but a format. */
		CHECK_ERRNO(pfm_create_context(&ctx, NULL, 0), EINVAL);
		expect_format(&formats[i]);
	}
	for (unsigned int i = 1; i < FORMATS; i++)
		CHECK_OK(module_unload(formats[i].module));
}

static void find_default_format(void *arg)
{
	DIR *list;
	const struct dirent *entry;

	become_nobody();
	list = opendir(PFM_SYSFS "/formats");
	CHECK(list);
	do {
		entry = readdir(list);
		CHECK(entry);
	} while (strcmp(entry->d_name, PFM_DFL_SMPL_UUID_STR));
	closedir(list);
	expect_text(FORMAT_DIR "/name", "default");
}

/* Proves 3.5.2-05 */
TEST(everybody_can_list_the_formats)
{
	reap(spawn(find_default_format, NULL));
}

/* Proves 3.1.2-18, 3.5-05, 3.5.14-16 */
TEST(the_example_format_counts_overflows_by_event)
{
	static const pfm_uuid_t uuid = PFM_COUNT_SMPL_UUID;
	pfm_count_smpl_arg_t arg = { .num_events = 2 };
	struct mapped m = mapped_new(uuid, 0, &arg, sizeof(arg));
	const pfm_count_smpl_hdr_t *hdr = m.buf;
	const __u64 *counts = (const void *)(hdr + 1);

	/* Three counters of the same event: identified as 0, 1 and 2. */
	for (int i = 0; i < 3; i++) {
		struct counter c = counter(i, 0, i + 1);

		c.pmc.reg_smpl_eventid = i;
		counter_write(m.fd, &c);
	}
	faults_prepare();
	ctx_start_on(m.fd, thread_id());
	touch_pages(60, NULL);
	ctx_stop(m.fd);
	CHECK_EQ(counts[0], 60);
	CHECK_EQ(counts[1], 30);
	CHECK_EQ(hdr->hdr_others, 20);
	CHECK_OK(munmap((void *)m.buf, m.size));
	CHECK_OK(close(m.fd));
	CHECK_OK(module_unload("pfm_fmt_count"));
}

/* Proves P4.4-01, H11 */
TEST(pmu_in_use_cannot_be_unloaded)
{
	int fd = ctx_new(0);

	CHECK_ERRNO(module_unload(MODULE_PMU), EAGAIN);
	CHECK_OK(close(fd));
	CHECK_OK(module_unload(MODULE_PMU));
	module_load(MODULE_PMU);
}

#define MAPPINGS PFM_SYSFS "/pmu_desc/mappings"

#define PERF_PMU "pmu/perf/pfm_pmu_perf.ko"
#define SIM_PMU	"pmu/sim/pfm_pmu_sim.ko"

/* Proves P4.4-02 */
TEST(second_pmu_is_refused)
{
	int fd;

	CHECK_ERRNO(module_insert(SIM_PMU), EBUSY);
	CHECK(!exists("/sys/module/pfm_pmu_sim"));
	expect_text(PFM_SYSFS "/pmu_desc/name", "perf_events");
	fd = ctx_new(0);
	ctx_add_counter(fd, 0, 0, 0);
	faults_prepare();
	ctx_start_on(fd, thread_id());
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
	/* 1 is a reserved bit. */
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

TEST(largest_pmu_is_shown_whole_and_works)
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

/* The example's PMDs. */
#define SWITCHES	300
#define FAULTS		301

/* Proves P4.3-06, P4.4-03 */
TEST(the_example_pmu_reads_resources_of_a_thread)
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
	faults_prepare();
	ctx_start_on(fd, thread_id());
	before = ctx_read(fd, FAULTS);
	touch_pages(100, NULL);
	CHECK_EQ(ctx_read(fd, FAULTS) - before, 100);
	before = ctx_read(fd, SWITCHES);
	/* A short sleep may be over before it began. */
	while (ctx_read(fd, SWITCHES) == before)
		usleep(1000);
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
	CHECK_ERRNO(pfm_create_context(&ctx, NULL, 0), ENODEV);
	CHECK_ERRNO(pfm_getinfo_pmcs(&info, 1), ENODEV);
	CHECK_ERRNO(pfm_getinfo_pmds(&info, 1), ENODEV);
	CHECK(!exists(PFM_SYSFS "/pmu_desc/name"));
	module_load(MODULE_PMU);
	CHECK_OK(pfm_getinfo_pmcs(&info, 1));
}

/* Proves H11 */
TEST(core_in_use_cannot_be_unloaded)
{
	struct smpl s = smpl_new(0, 4096, 0);

	CHECK_ERRNO(module_unload(MODULE_CORE), EAGAIN);
	CHECK_OK(close(s.fd));
	CHECK_OK(module_unload(MODULE_DEFAULT));
	CHECK_ERRNO(module_unload(MODULE_CORE), EAGAIN);
	CHECK_OK(module_unload(MODULE_PMU));
	/* A mapped buffer is all that uses it now. */
	CHECK_ERRNO(module_unload(MODULE_CORE), EAGAIN);
	CHECK_OK(munmap((void *)s.hdr, s.size));
	CHECK_OK(module_unload(MODULE_CORE));
	module_load(MODULE_PMU);
	module_load(MODULE_DEFAULT);
	close(smpl_new(0, 4096, 0).fd);
}

/* Proves 3.1-05 */
TEST(without_modules_there_is_no_perfmon)
{
	pfarg_ctx_t ctx = {};

	CHECK_OK(module_unload(MODULE_DEFAULT));
	CHECK_OK(module_unload(MODULE_PMU));
	CHECK_OK(module_unload(MODULE_CORE));
	CHECK(!exists(PFM_SYSFS));
	CHECK_ERRNO(pfm_create_context(&ctx, NULL, 0), ENOSYS);
	module_load(MODULE_PMU);
	module_load(MODULE_DEFAULT);
}
