// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * compat2x.c - test what programs written for perfmon 2.x use: the header, the
 *		library, and the default format's buffer with its published
 *		layout
 *
 * Linked with create22.c, the tests create contexts as perfmon 2.2 does; linked
 * with create2x.c, as later versions do.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/perfmon2x.h>

#include "check.h"
#include "compat2x.h"
#include "faults.h"

/* The event that counts page faults: perf type 1, ID 2. */
#define PAGE_FAULTS	((1ULL << 56) | 2)
#define ELAPSED		256
#define THREAD		257
#define PERIOD		5
#define NOTIFY		PFM_REGFL_OVFL_NOTIFY

static pid_t thread_id(void)
{
	return syscall(SYS_gettid);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK_OK(sched_setaffinity(0, sizeof(set), &set));
}

/* Map the context's buffer privately, as old programs did. */
static const struct smpl_hdr *sampling_context(__u64 size, int *fd)
{
	void *buf;

	*fd = context_sampling(size);
	buf = mmap(NULL, size, PROT_READ, MAP_PRIVATE, *fd, 0);
	CHECK(buf != MAP_FAILED);
	return buf;
}

/* Write the PMD, and program its PMC to count page faults. */
static void program(int fd, pfarg_pmd_t *pmd)
{
	pfarg_pmc_t pmc = { .reg_num = pmd->reg_num,
			    .reg_value = PAGE_FAULTS };

	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	CHECK_OK(pfm_write_pmds(fd, pmd, 1));
}

static pfarg_pmd_t periodic(__u32 flags)
{
	pfarg_pmd_t pmd = { .reg_flags = flags, .reg_value = -PERIOD,
			    .reg_long_reset = -PERIOD,
			    .reg_short_reset = -PERIOD };

	return pmd;
}

static void start(int fd)
{
	pfarg_load_t load = { .load_pid = thread_id() };

	pin(0);
	faults_prepare();
	CHECK_OK(pfm_load_context(fd, &load));
	CHECK_OK(pfm_start(fd, NULL));
}

static const struct smpl_entry *entry(const struct smpl_hdr *hdr, int i,
				      int values)
{
	size_t size = sizeof(struct smpl_entry) + 8 * values;

	return (const void *)((const char *)(hdr + 1) + i * size);
}

/* Counting */

TEST(counts_are_exact)
{
	pfarg_pmd_t pmd = { .reg_num = 0 };
	int fd = context(0);

	program(fd, &pmd);
	start(fd);
	touch_pages(1000, NULL);
	CHECK_OK(pfm_stop(fd));
	touch_pages(10, NULL);
	CHECK_OK(pfm_read_pmds(fd, &pmd, 1));
	CHECK_EQ(pmd.reg_value, 1000);
	CHECK_OK(pfm_unload_context(fd));
	CHECK_ERRNO(pfm_start(fd, NULL), EBUSY);
}

/* Proves P4.1-06 */
TEST(long_vectors_are_processed_completely)
{
	pfarg_pmc_t pmcs[40];
	pfarg_pmd_t pmds[40];
	int fd = context(0);

	memset(pmcs, 0, sizeof(pmcs));
	memset(pmds, 0, sizeof(pmds));
	for (int i = 0; i < 40; i++) {
		pmcs[i].reg_num = i % 16;
		pmcs[i].reg_value = PAGE_FAULTS;
		pmds[i].reg_num = i % 16;
		pmds[i].reg_value = i;
	}
	CHECK_OK(pfm_write_pmcs(fd, pmcs, 40));
	CHECK_OK(pfm_write_pmds(fd, pmds, 40));
	CHECK_OK(pfm_read_pmds(fd, pmds, 40));
	for (int i = 0; i < 40; i++)
		CHECK_EQ(pmds[i].reg_value, i % 16 < 8 ? 32 + i % 16 :
							 16 + i % 16);
}

TEST(read_pmds_keeps_the_written_fields)
{
	pfarg_pmd_t pmd = periodic(NOTIFY);
	int fd = context(0);

	pmd.reg_smpl_pmds[0] = 2;
	pmd.reg_smpl_eventid = 77;
	program(fd, &pmd);
	pmd.reg_value = 0;
	CHECK_OK(pfm_read_pmds(fd, &pmd, 1));
	CHECK_EQ(pmd.reg_value, -(__u64)PERIOD);
	CHECK_EQ(pmd.reg_flags, NOTIFY);
	CHECK_EQ(pmd.reg_long_reset, -(__u64)PERIOD);
	CHECK_EQ(pmd.reg_smpl_pmds[0], 2);
	CHECK_EQ(pmd.reg_smpl_eventid, 77);
}

/* Proves P4.3-06 */
TEST(virtual_pmds_are_written_and_read)
{
	pfarg_pmd_t pmds[2] = { { .reg_num = ELAPSED, .reg_value = 12345 },
				{ .reg_num = THREAD } };
	int fd = context(0);

	CHECK_OK(pfm_write_pmds(fd, pmds, 1));
	CHECK_OK(pfm_read_pmds(fd, pmds, 1));
	CHECK_EQ(pmds[0].reg_value, 12345);
	CHECK_ERRNO(pfm_write_pmds(fd, &pmds[1], 1), EINVAL);
	CHECK_EQ(pmds[1].reg_flags, PFM_REG_RETFL_EINVAL);
}

TEST(system_wide_context_is_loaded_by_cpu)
{
	pfarg_load_t load = { .load_pid = 0 };
	pfarg_pmd_t pmd = { .reg_num = 0 };
	int fd = context(PFM_FL_SYSTEM_WIDE);

	program(fd, &pmd);
	pin(0);
	load.load_pid = 1;
	CHECK_ERRNO(pfm_load_context(fd, &load), EINVAL);
	load.load_pid = 0;
	CHECK_OK(pfm_load_context(fd, &load));
	CHECK_ERRNO(pfm_load_context(fd, &load), EBUSY);
	CHECK_OK(pfm_start(fd, NULL));
	faults_prepare();
	touch_pages(100, NULL);
	CHECK_OK(pfm_read_pmds(fd, &pmd, 1));
	CHECK(pmd.reg_value >= 100);
}

/* Sampling */

/* Proves P5.3-05 */
TEST(samples_carry_the_smpl_pmds_of_the_pmd)
{
	pfarg_pmd_t pmd = periodic(NOTIFY);
	const struct smpl_hdr *hdr;
	int fd;

	hdr = sampling_context(BUFFER, &fd);
	pmd.reg_smpl_pmds[THREAD / 64] = 1ULL << (THREAD % 64);
	program(fd, &pmd);
	start(fd);
	touch_pages(40 * PERIOD, NULL);
	CHECK_OK(pfm_stop(fd));
	CHECK_EQ(hdr->count, 40);
	for (int i = 0; i < 40; i++) {
		const struct smpl_entry *e = entry(hdr, i, 1);

		CHECK_EQ(e->pid, thread_id());
		CHECK_EQ(e->tgid, getpid());
		CHECK_EQ(e->last_reset_val, -(__u64)PERIOD);
		CHECK(in_touch_pages(e->ip));
		CHECK_EQ(e->values[0], thread_id());
	}
}

TEST(full_buffer_notifies_and_restart_empties_it)
{
	pfarg_pmd_t pmd = periodic(NOTIFY);
	const struct smpl_hdr *hdr;
	pfarg_msg_t msg;
	int fd;

	hdr = sampling_context(4096, &fd);
	program(fd, &pmd);
	start(fd);
	for (unsigned int round = 1; round <= 3; round++) {
		touch_pages(200 * PERIOD, NULL);
		CHECK_EQ(read(fd, &msg, sizeof(msg)), sizeof(msg));
		CHECK_EQ(msg.type, PFM_MSG_OVFL);
		CHECK_EQ(msg.pfm_ovfl_msg.msg_ovfl_pid, getpid());
		CHECK_EQ(msg.pfm_ovfl_msg.msg_ovfl_tid, thread_id());
		CHECK_EQ(msg.pfm_ovfl_msg.msg_ovfl_pmds[0], 1);
		CHECK_EQ(hdr->overflows, round);
		CHECK(hdr->count > 50);
		CHECK_OK(pfm_restart(fd));
		CHECK_EQ(hdr->count, 0);
	}
}

/* Proves P5.3-05 */
TEST(restart_resets_reset_pmds_of_the_pmd)
{
	pfarg_pmd_t pmd = periodic(NOTIFY), other = { .reg_num = 1 };
	int fd = context(0);

	other.reg_long_reset = 1000;
	pmd.reg_reset_pmds[0] = 1 << 1;
	program(fd, &other);
	program(fd, &pmd);
	start(fd);
	touch_pages(PERIOD, NULL);
	CHECK_OK(pfm_restart(fd));
	CHECK_OK(pfm_read_pmds(fd, &other, 1));
	CHECK_EQ(other.reg_value, 1000);
}

TEST(later_write_without_flags_ends_notification)
{
	pfarg_pmd_t pmd = periodic(NOTIFY);
	pfarg_msg_t msg;
	int fd = context(0);

	program(fd, &pmd);
	pmd.reg_flags = 0;
	CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
	start(fd);
	touch_pages(PERIOD + 1, NULL);
	CHECK_OK(fcntl(fd, F_SETFL, O_NONBLOCK));
	CHECK_ERRNO(read(fd, &msg, sizeof(msg)), EAGAIN);
}

TEST(pmc_write_keeps_flags_set_by_pmd_write)
{
	pfarg_pmd_t pmd = periodic(NOTIFY);
	pfarg_pmc_t pmc = { .reg_value = PAGE_FAULTS };
	pfarg_msg_t msg;
	int fd = context(0);

	CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	start(fd);
	touch_pages(PERIOD, NULL);
	CHECK_EQ(read(fd, &msg, sizeof(msg)), sizeof(msg));
	CHECK_EQ(msg.type, PFM_MSG_OVFL);
}

TEST(random_periods_follow_the_pmd)
{
	pfarg_pmd_t pmd = periodic(PFM_REGFL_RANDOM);
	__u64 random = 12345, value;
	const struct smpl_hdr *hdr;
	int fd;

	hdr = sampling_context(BUFFER, &fd);
	pmd.reg_short_reset = -40;
	pmd.reg_random_mask = 0x1f;
	pmd.reg_random_seed = random;
	program(fd, &pmd);
	start(fd);
	touch_pages(PERIOD + 20 * 40, NULL);
	CHECK_OK(pfm_stop(fd));
	CHECK(hdr->count > 20);
	CHECK_EQ(entry(hdr, 0, 0)->last_reset_val, -(__u64)PERIOD);
	for (unsigned int i = 1; i <= 20; i++) {
		random = 16807 * random % 0x7fffffff;
		value = -40ULL + (random & 0x1f);
		CHECK_EQ(entry(hdr, i, 0)->last_reset_val, value);
	}
}

/* Mapping */

static void *map(int fd, int prot, int flags, off_t offset)
{
	return mmap(NULL, BUFFER, prot, flags, fd, offset);
}

TEST(buffer_maps_read_only_private_or_shared)
{
	int fd = context_sampling(BUFFER);
	void *buf;

	buf = map(fd, PROT_READ, MAP_SHARED, 0);
	CHECK(buf != MAP_FAILED);
	CHECK_OK(munmap(buf, BUFFER));
	buf = map(fd, PROT_READ, MAP_PRIVATE, 0);
	CHECK(buf != MAP_FAILED);
	/* The mapping stays read-only. */
	CHECK_ERRNO(mprotect(buf, BUFFER, PROT_READ | PROT_WRITE), EACCES);
}

static void expect_no_map(int fd, int prot, int flags, off_t offset, int err)
{
	errno = 0;
	CHECK(map(fd, prot, flags, offset) == MAP_FAILED);
	CHECK_EQ(errno, err);
}

TEST(other_buffer_mappings_are_refused)
{
	int fd = context_sampling(BUFFER), plain = context(0);

	expect_no_map(fd, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0, EINVAL);
	expect_no_map(fd, PROT_READ, MAP_PRIVATE, 4096, EINVAL);
	expect_no_map(plain, PROT_READ, MAP_PRIVATE, 0, EINVAL);
}

TEST(mmap_of_other_files_is_unchanged)
{
	int file = CHECK_OK(open("/proc/self/exe", O_RDONLY));
	int ends[2];
	char *buf;

	buf = map(-1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	CHECK(buf != MAP_FAILED);
	*buf = 1;
	buf = map(file, PROT_READ, MAP_PRIVATE, 0);
	CHECK(buf != MAP_FAILED && !memcmp(buf, "\177ELF", 4));
	buf = map(file, PROT_READ, MAP_PRIVATE, 4096);
	CHECK(buf != MAP_FAILED && memcmp(buf, "\177ELF", 4));
	expect_no_map(file, PROT_READ, MAP_PRIVATE, 1, EINVAL);
	expect_no_map(-1, PROT_READ, MAP_PRIVATE, 0, EBADF);
	CHECK_OK(pipe(ends));
	expect_no_map(ends[0], PROT_READ, MAP_PRIVATE, 0, ENODEV);
}

/* Errors */

TEST(bad_element_is_marked_and_ends_the_vector)
{
	pfarg_pmd_t pmds[20];
	int fd = context(0);

	memset(pmds, 0, sizeof(pmds));
	for (int i = 0; i < 20; i++)
		pmds[i].reg_value = i;
	pmds[17].reg_num = 200;
	pmds[17].reg_flags = NOTIFY;
	CHECK_ERRNO(pfm_write_pmds(fd, pmds, 20), EINVAL);
	CHECK(!PFM_REG_HAS_ERROR(pmds[16].reg_flags));
	CHECK_EQ(pmds[17].reg_flags, PFM_REG_RETFL_NOTAVAIL | NOTIFY);
	CHECK_EQ(pmds[18].reg_flags, 0);
	CHECK_OK(pfm_read_pmds(fd, pmds, 1));
	CHECK_EQ(pmds[0].reg_value, 16);
}

TEST(flags_outside_the_2x_interface_are_refused)
{
	pfarg_pmc_t pmc = { .reg_value = PAGE_FAULTS };
	pfarg_pmd_t pmd = { .reg_num = 0 };
	int fd = context(0);

	for (int bit = 0; bit < 29; bit++) {
		pmc.reg_flags = 1U << bit;
		CHECK_ERRNO(pfm_write_pmcs(fd, &pmc, 1), EINVAL);
		CHECK(pmc.reg_flags & PFM_REG_RETFL_EINVAL);
	}
	for (int bit = 2; bit < 29; bit++) {
		pmd.reg_flags = 1U << bit;
		CHECK_ERRNO(pfm_write_pmds(fd, &pmd, 1), EINVAL);
	}
}

TEST(empty_vectors_are_refused)
{
	int fd = context(0);

	CHECK_ERRNO(pfm_write_pmcs(fd, NULL, 0), EINVAL);
	CHECK_ERRNO(pfm_read_pmds(fd, NULL, 0), EINVAL);
}

/* Event sets */

#define MS	1000000ULL	/* ns */

static void create_set(int fd, int id, __u32 flags, __u64 timeout)
{
	pfarg_setdesc_t set = { .set_id = id, .set_flags = flags,
				.set_timeout = timeout };

	CHECK_OK(pfm_create_evtsets(fd, &set, 1));
}

static pfarg_setinfo_t set_info(int fd, int id)
{
	pfarg_setinfo_t info = { .set_id = id };

	CHECK_OK(pfm_getinfo_evtsets(fd, &info, 1));
	return info;
}

/* Count page faults with PMC0 and PMD0 of a set. */
static void count_in_set(int fd, int id, __u64 value, __u64 switch_cnt)
{
	pfarg_pmc_t pmc = { .reg_set = id, .reg_value = PAGE_FAULTS };
	pfarg_pmd_t pmd = { .reg_set = id, .reg_value = value,
			    .reg_short_reset = value,
			    .reg_ovfl_switch_cnt = switch_cnt };

	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
}

TEST(event_sets_are_created_and_deleted)
{
	pfarg_setdesc_t sets[40];
	pfarg_setinfo_t info;
	int fd = context(0);

	memset(sets, 0, sizeof(sets));
	for (int i = 0; i < 40; i++) {
		sets[i].set_id = 10 * i;
		sets[i].set_flags = PFM_SETFL_OVFL_SWITCH;
	}
	CHECK_OK(pfm_create_evtsets(fd, sets, 40));
	info = set_info(fd, 390);
	CHECK_EQ(info.set_flags, PFM_SETFL_OVFL_SWITCH);
	CHECK_EQ(info.set_runs, 0);
	/*
	 * A structure that a call has filled in can be passed to the next call.
	 */
	CHECK_OK(pfm_getinfo_evtsets(fd, &info, 1));
	CHECK_OK(pfm_delete_evtsets(fd, sets + 1, 39));
	CHECK_EQ(sets[39].set_flags, PFM_SETFL_OVFL_SWITCH);
	CHECK_ERRNO(pfm_getinfo_evtsets(fd, &info, 1), EINVAL);
	CHECK_ERRNO(pfm_delete_evtsets(fd, sets + 1, 1), EINVAL);
	/* set0 cannot be deleted. */
	CHECK_ERRNO(pfm_delete_evtsets(fd, sets, 1), EINVAL);
	set_info(fd, 0);
}

TEST(set_info_reports_available_registers)
{
	int fd = context(0);
	pfarg_setinfo_t info = set_info(fd, 0);

	CHECK_EQ(info.set_avail_pmcs[0], 0xffff);
	CHECK_EQ(info.set_avail_pmds[0], 0xffff);
	CHECK_EQ(info.set_avail_pmds[THREAD / 64] >> (THREAD % 64) & 1, 1);
}

TEST(timeout_is_in_nanoseconds)
{
	pfarg_setdesc_t set = { .set_id = 1, .set_timeout = 3000 * MS + 1,
				.set_flags = PFM_SETFL_TIME_SWITCH };
	int fd = context(0);

	CHECK_OK(pfm_create_evtsets(fd, &set, 1));
	/* Timeouts are rounded up to whole ticks. A tick is at most 10 ms. */
	CHECK(set.set_timeout > 3000 * MS);
	CHECK(set.set_timeout <= 3010 * MS + 1);
	CHECK_EQ(set_info(fd, 1).set_timeout, set.set_timeout);
	CHECK_EQ(set_info(fd, 1).set_flags, PFM_SETFL_TIME_SWITCH);
	set.set_timeout = -1ULL;
	CHECK_ERRNO(pfm_create_evtsets(fd, &set, 1), EINVAL);
	CHECK_EQ(set.set_timeout, -1ULL);
}

TEST(overflows_switch_event_sets)
{
	pfarg_pmd_t pmds[2] = { { .reg_set = 0 }, { .reg_set = 1 } };
	int fd = context(0);

	create_set(fd, 0, PFM_SETFL_OVFL_SWITCH, 0);
	create_set(fd, 1, 0, 0);
	count_in_set(fd, 0, -100, 3);
	count_in_set(fd, 1, 0, 0);
	start(fd);
	touch_pages(1000, NULL);
	CHECK_OK(pfm_stop(fd));
	CHECK_OK(pfm_read_pmds(fd, pmds, 2));
	CHECK_EQ(pmds[1].reg_value, 700);
	CHECK_EQ(set_info(fd, 0).set_ovfl_pmds[0], 1);
	CHECK_EQ(set_info(fd, 0).set_runs, 1);
	CHECK_EQ(set_info(fd, 1).set_runs, 1);
	CHECK(set_info(fd, 1).set_act_duration > 0);
}

TEST(time_switches_event_sets)
{
	int fd = context(0);

	for (int id = 0; id < 2; id++) {
		create_set(fd, id, PFM_SETFL_TIME_SWITCH, MS);
		count_in_set(fd, id, 0, 0);
	}
	start(fd);
	while (set_info(fd, 1).set_runs < 3)
		for (volatile int i = 0; i < 100000; i++)
			;
	CHECK_OK(pfm_stop(fd));
	CHECK(set_info(fd, 0).set_runs >= 3);
	CHECK_EQ(set_info(fd, 0).set_ovfl_pmds[0], 0);
}

TEST(load_and_start_choose_the_initial_set)
{
	pfarg_load_t load = { .load_pid = thread_id(), .load_set = 2 };
	pfarg_start_t start = { .start_set = 1 };
	pfarg_pmd_t pmds[2] = { { .reg_set = 1 }, { .reg_set = 2 } };
	int fd = context(0);

	pin(0);
	faults_prepare();
	for (int id = 1; id < 3; id++) {
		create_set(fd, id, 0, 0);
		count_in_set(fd, id, 0, 0);
	}
	CHECK_OK(pfm_load_context(fd, &load));
	CHECK_OK(pfm_start(fd, NULL));
	touch_pages(20, NULL);
	CHECK_OK(pfm_stop(fd));
	CHECK_OK(pfm_start(fd, &start));
	touch_pages(10, NULL);
	CHECK_OK(pfm_stop(fd));
	CHECK_OK(pfm_read_pmds(fd, pmds, 2));
	CHECK_EQ(pmds[0].reg_value, 10);
	CHECK_EQ(pmds[1].reg_value, 20);
	CHECK_OK(pfm_unload_context(fd));
	load.load_set = 3;
	CHECK_ERRNO(pfm_load_context(fd, &load), EINVAL);
}

TEST(bad_event_sets_are_refused)
{
	pfarg_setdesc_t set = { .set_id = 1 };
	pfarg_pmc_t pmc = { .reg_set = 1, .reg_value = PAGE_FAULTS };
	pfarg_setinfo_t info = { .set_id = 0, .reserved = { [5] = 1 } };
	int fd = context(0);

	CHECK_ERRNO(pfm_create_evtsets(fd, &set, 0), EINVAL);
	/* The flags are mutually exclusive, and 2.x has no others. */
	set.set_flags = PFM_SETFL_OVFL_SWITCH | PFM_SETFL_TIME_SWITCH;
	CHECK_ERRNO(pfm_create_evtsets(fd, &set, 1), EINVAL);
	for (int bit = 2; bit < 29; bit++) {
		set.set_flags = 1U << bit;
		CHECK_ERRNO(pfm_create_evtsets(fd, &set, 1), EINVAL);
	}
	set.set_flags = 0;
	set.reserved[5] = 1;
	CHECK_ERRNO(pfm_create_evtsets(fd, &set, 1), EINVAL);
	set.reserved[5] = 0;
	set.reserved1 = 1;
	CHECK_ERRNO(pfm_create_evtsets(fd, &set, 1), EINVAL);
	CHECK_ERRNO(pfm_getinfo_evtsets(fd, &info, 1), EINVAL);
	/* The failed pfm_create_evtsets() calls did not create the set. */
	CHECK_ERRNO(pfm_write_pmcs(fd, &pmc, 1), EINVAL);
	set.reserved1 = 0;
	start(fd);
	CHECK_ERRNO(pfm_create_evtsets(fd, &set, 1), EBUSY);
}
