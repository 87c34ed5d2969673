// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * pmc_config.c - PMCs for config1 and config2 of perf events
 */
#define _GNU_SOURCE
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "files.h"
#include "modules.h"
#include "smpl.h"
#include "worker.h"

#define CONFIG1(n)	(64 + (n))
#define CONFIG2(n)	(128 + (n))

#define PMUS		"/sys/bus/event_source/devices/"
/*
 * A test PMU. Its module parameters show the configuration of the event that
 * was created last.
 */
#define LEAP		"pfm_perf_leap"
#define LEAP_FILE	"tests/guest/perf_leap/" LEAP ".ko"
#define LEAP_PARAM	"/sys/module/" LEAP "/parameters/"

/* Breakpoints watch writes to this array. */
static volatile __u32 watched[8];

static int try_write(int fd, unsigned int set, unsigned int num, __u64 value)
{
	pfarg_pmc_t pmc = { .reg_num = num, .reg_set = set,
			    .reg_value = value };
	int ret = pfm_write_pmcs(fd, &pmc, 1);

	CHECK_EQ(!!PFM_REG_HAS_ERROR(pmc.reg_flags), ret && errno == EINVAL);
	return ret;
}

static void write_pmc(int fd, unsigned int num, __u64 value)
{
	CHECK_OK(try_write(fd, 0, num, value));
}

static __u64 leap_event(void)
{
	if (!exists(PMUS "pfm_leap/type"))
		CHECK_OK(module_insert(LEAP_FILE));
	return PFM_PERF_EVENT(read_number(PMUS "pfm_leap/type"), 0x12);
}

static __u64 leap_word(const char *path)
{
	char text[32];

	read_text(path, text, sizeof(text));
	return strtoull(text, NULL, 10);
}

static void expect_leap(__u64 config, __u64 config1, __u64 config2)
{
	CHECK_EQ(leap_word(LEAP_PARAM "config"), config);
	CHECK_EQ(leap_word(LEAP_PARAM "config1"), config1);
	CHECK_EQ(leap_word(LEAP_PARAM "config2"), config2);
}

/* Return whether the list of mappings in sysfs has this line. */
static bool is_listed(const char *line)
{
	char text[8192];

	read_text(PFM_SYSFS "/pmu_desc/mappings", text, sizeof(text));
	return strstr(text, line);
}

TEST(config_words_are_ordinary_pmcs)
{
	pfarg_pmcinfo_t info = { .reg_num = CONFIG2(15) };
	pfarg_config_t config = { .cf_flags = 0 };
	int fd = ctx_new(0);

	CHECK(is_listed("\nPMC64:0x0:0x0:PERFCONFIG1_0\n"));
	CHECK(is_listed("\nPMC143:0x0:0x0:PERFCONFIG2_15\n"));
	CHECK_OK(pfm_getinfo_pmcs(&info, 1));
	CHECK_EQ(info.reg_def_value, 0);
	CHECK_EQ(info.reg_rsvd_mask, 0);
	CHECK_EQ(info.reg_type, PFM_REG_TYPE_PERF);
	CHECK_OK(pfm_get_config(&config));
	CHECK_EQ(config.cf_impl_pmcs[0], 0xffff);
	CHECK_EQ(config.cf_impl_pmcs[1], 0xffff);
	CHECK_EQ(config.cf_impl_pmcs[2], 0xffff);
	CHECK_EQ(config.cf_impl_pmcs[3], 0);
	CHECK_ERRNO(try_write(fd, 0, CONFIG1(16), 1), EINVAL);
	CHECK_ERRNO(try_write(fd, 1, CONFIG1(0), 1), EINVAL);
}

TEST(perf_event_gets_both_config_words)
{
	__u64 event = leap_event();
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);

	ctx_pin(0);
	write_pmc(fd, 2, event);
	expect_leap(0x12, 0, 0);
	write_pmc(fd, CONFIG1(2), 30);
	expect_leap(0x12, 30, 0);
	write_pmc(fd, CONFIG2(2), ~0ULL);
	expect_leap(0x12, 30, ~0ULL);
	/*
	 * The configuration words of other PMCs have no effect on this event.
	 */
	write_pmc(fd, CONFIG1(3), 7);
	write_pmc(fd, 2, event | 1);
	expect_leap(0x13, 30, ~0ULL);
	write_pmc(fd, 2, PFM_PERF_NONE);
	write_pmc(fd, CONFIG2(2), 8);
	write_pmc(fd, 2, event);
	expect_leap(0x12, 30, 8);
	ctx_start_on(fd, thread_id());
	expect_leap(0x12, 30, 8);
	ctx_stop(fd);
	write_pmc(fd, CONFIG1(2), 0);
	expect_leap(0x12, 0, 8);
}

TEST(each_event_set_has_its_config_words)
{
	pfarg_setdesc_t set = { .set_id = 1 };
	pfarg_load_t load = { .load_pid = thread_id() };
	pfarg_start_t start = { .start_set = 1 };
	__u64 event = leap_event();
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);

	ctx_pin(0);
	CHECK_OK(pfm_create_evtsets(fd, &set, 1));
	CHECK_OK(try_write(fd, 1, CONFIG1(0), 5));
	CHECK_OK(try_write(fd, 0, 0, event));
	expect_leap(0x12, 0, 0);
	CHECK_OK(try_write(fd, 1, 0, event));
	expect_leap(0x12, 5, 0);
	/* The load creates the events of set 0 first, then those of set 1. */
	CHECK_OK(pfm_load_context(fd, &load));
	expect_leap(0x12, 5, 0);
	CHECK_OK(pfm_start(fd, &start));
	CHECK_OK(pfm_stop(fd));
}

static bool perf_takes(__u32 type, __u64 config, __u64 config1, __u64 config2)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = type,
					.config = config, .config1 = config1,
					.config2 = config2, .disabled = 1 };
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void compare_with_perf(int fd, __u32 type, __u64 config)
{
	__u64 none = type == PERF_TYPE_RAW ?
		PFM_PERF_RAW | config : PFM_PERF_EVENT(type, config);

	for (unsigned int i = 0; i < 16; i++) {
		__u64 config1 = i & 7;
		__u64 config2 = i & 8 ? 1ULL << 40 : 0;

		write_pmc(fd, 0, PFM_PERF_NONE);
		write_pmc(fd, CONFIG1(0), config1);
		write_pmc(fd, CONFIG2(0), config2);
		CHECK_EQ(!try_write(fd, 0, 0, none),
			 perf_takes(type, config, config1, config2));
	}
}

TEST(config_words_are_accepted_as_by_perf)
{
	int fd = ctx_new(0);

	compare_with_perf(fd, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	compare_with_perf(fd, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	compare_with_perf(fd, PERF_TYPE_RAW, 0x11);
}

/*
 * If @x86, skip the test on all architectures except x86; otherwise skip it on
 * x86. On arm64, perfmon cannot use breakpoints, because the kernel steps over
 * them only for perf's own overflow handlers.
 */
static void only_x86(bool x86)
{
#ifdef __x86_64__
	const bool is_x86 = true;
#else
	const bool is_x86 = false;
#endif

	if (is_x86 != x86)
		check_skip("perfmon %s breakpoints on this architecture",
			   is_x86 ? "supports" : "refuses");
}

#define WRITES \
	(PFM_PERF_EVENT(PERF_TYPE_BREAKPOINT, HW_BREAKPOINT_W) | \
	 PFM_PERF_EXCL_KERNEL)

static void touch(unsigned int i, unsigned int times)
{
	while (times--)
		watched[i]++;
}

static void watch(int fd, unsigned int n, unsigned int i)
{
	write_pmc(fd, CONFIG1(n), (uintptr_t)&watched[i]);
	write_pmc(fd, CONFIG2(n), HW_BREAKPOINT_LEN_4);
	write_pmc(fd, n, WRITES);
}

TEST(breakpoints_count_at_their_config_address)
{
	int fd = ctx_new(0);

	only_x86(true);
	watch(fd, 0, 1);
	watch(fd, 1, 5);
	ctx_start_on(fd, thread_id());
	touch(1, 100);
	touch(4, 10);
	touch(5, 7);
	ctx_stop(fd);
	CHECK_EQ(ctx_read(fd, 0), 100);
	CHECK_EQ(ctx_read(fd, 1), 7);
	/* Change the address; the count is kept. */
	write_pmc(fd, CONFIG1(0), (uintptr_t)&watched[4]);
	CHECK_OK(pfm_start(fd, NULL));
	touch(1, 100);
	touch(4, 10);
	ctx_stop(fd);
	CHECK_EQ(ctx_read(fd, 0), 110);
	CHECK_EQ(ctx_read(fd, 1), 7);
}

TEST(breakpoints_sample_each_period)
{
	struct smpl s = smpl_new(0, 1 << 20, 0);
	struct counter c = counter(0, 0, 10);

	only_x86(true);
	watch(s.fd, 0, 2);
	c.pmc.reg_value = WRITES;
	counter_write(s.fd, &c);
	ctx_start_on(s.fd, thread_id());
	touch(2, 95);
	CHECK_EQ(s.hdr->hdr_count, 9);
	CHECK_EQ(ctx_read(s.fd, 0), -5);
	touch(2, 5);
	CHECK_EQ(s.hdr->hdr_count, 10);
	ctx_stop(s.fd);
	/* Sample each write. */
	c.pmd.reg_value = -1;
	c.pmd.reg_short_reset = -1;
	counter_write(s.fd, &c);
	CHECK_OK(pfm_start(s.fd, NULL));
	touch(2, 20);
	ctx_stop(s.fd);
	CHECK_EQ(s.hdr->hdr_count, 30);
	CHECK(ctx_says(s.fd, "pfm_lost:\t0"));
}

TEST(refused_config_word_changes_nothing)
{
	int fd = ctx_new(0);

	only_x86(true);
	/* The address and the length are not set yet. */
	CHECK_ERRNO(try_write(fd, 0, 0, WRITES), EINVAL);
	watch(fd, 0, 3);
	ctx_start_on(fd, thread_id());
	touch(3, 5);
	ctx_stop(fd);
	/*
	 * These writes are refused: an invalid length, and an address that is
	 * not aligned to the length.
	 */
	CHECK_ERRNO(try_write(fd, 0, CONFIG2(0), 3), EINVAL);
	CHECK_ERRNO(try_write(fd, 0, CONFIG1(0), (uintptr_t)watched + 1),
		    EINVAL);
	CHECK_OK(pfm_start(fd, NULL));
	touch(3, 5);
	ctx_stop(fd);
	CHECK_EQ(ctx_read(fd, 0), 10);
}

TEST(breakpoints_are_refused_on_arm64)
{
	int fd = ctx_new(0);

	only_x86(false);
	write_pmc(fd, CONFIG1(0), (uintptr_t)watched);
	write_pmc(fd, CONFIG2(0), HW_BREAKPOINT_LEN_4);
	CHECK_ERRNO(try_write(fd, 0, 0, WRITES), EINVAL);
}

/*
 * A software PMU that is not part of perf may handle periods differently, so
 * perfmon refuses to sample with it.
 */
TEST(other_software_pmus_count_and_do_not_sample)
{
	pfarg_pmc_t pmc = { .reg_num = 0, .reg_flags = PFM_REGFL_OVFL_NOTIFY };
	int fd = ctx_new(0);

	leap_event();
	pmc.reg_value = PFM_PERF_EVENT(read_number(PMUS "pfm_soft/type"), 0);
	write_pmc(fd, 0, pmc.reg_value);
	ctx_load_self(fd);
	CHECK_ERRNO(pfm_write_pmcs(fd, &pmc, 1), EINVAL);
	CHECK(PFM_REG_HAS_ERROR(pmc.reg_flags));
	CHECK_OK(pfm_start(fd, NULL));
	ctx_stop(fd);
	CHECK_EQ(ctx_read(fd, 0), 0);
}
