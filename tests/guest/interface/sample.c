// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * sample.c - samples of software events that record PFM_PMD_STATE, or PMDs with
 *	      data of the sample, such as PFM_PMD_ADDRESS
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "smpl.h"
#include "users.h"

#define FAULTS		10
#define BIG_BUFFER	65536
#define SOFTWARE(id)	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, (id))

/* Return a counter that samples each page fault and records this PMD. */
static struct counter recording(unsigned int pmd)
{
	struct counter c = counter(0, 0, 1);

	pfm_bv_set(c.pmc.reg_smpl_pmds, pmd);
	return c;
}

/*
 * Check the recorded addresses from sample @first on: each is one page after
 * the previous one.
 */
static void check_addresses(const struct smpl *s, unsigned int first)
{
	long page_size = sysconf(_SC_PAGESIZE);
	__u64 address;

	CHECK_EQ(s->hdr->hdr_count, first + FAULTS);
	address = *smpl_values(smpl_entry(s, first, 1));
	CHECK(address);
	for (unsigned int i = 0; i < FAULTS; i++)
		CHECK_EQ(*smpl_values(smpl_entry(s, first + i, 1)),
			 address + i * page_size);
}

TEST(page_faults_record_their_address)
{
	struct counter c = recording(PFM_PMD_ADDRESS);
	struct smpl s = smpl_start(&c, smpl_new(0, BIG_BUFFER, 0));

	touch_pages(FAULTS, NULL);
	check_addresses(&s, 0);
}

/*
 * An event that excludes the kernel still records user addresses; only kernel
 * addresses are hidden.
 */
TEST(user_level_faults_record_their_address)
{
	struct counter c = recording(PFM_PMD_ADDRESS);
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);

	c.pmc.reg_value |= PFM_PERF_EXCL_KERNEL;
	smpl_start(&c, s);
	touch_pages(FAULTS, NULL);
	check_addresses(&s, 0);
}

/* Writing the PMC attaches the event again, with the new data to record. */
TEST(pmcs_of_loaded_contexts_change_the_data)
{
	struct counter c = recording(PFM_PMD_TID);
	struct smpl s = smpl_start(&c, smpl_new(0, BIG_BUFFER, 0));

	touch_pages(FAULTS, NULL);
	c = recording(PFM_PMD_ADDRESS);
	CHECK_OK(pfm_write_pmcs(s.fd, &c.pmc, 1));
	touch_pages(FAULTS, NULL);
	check_addresses(&s, FAULTS);
}

TEST(sample_pmds_are_0_outside_of_samples)
{
	struct counter c = recording(PFM_PMD_ADDRESS);
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);

	CHECK_EQ(ctx_read(s.fd, PFM_PMD_ADDRESS), 0);
	smpl_start(&c, s);
	touch_pages(FAULTS, NULL);
	CHECK_EQ(ctx_read(s.fd, PFM_PMD_ADDRESS), 0);
	ctx_stop(s.fd);
	CHECK_EQ(ctx_read(s.fd, PFM_PMD_ADDRESS), 0);
}

TEST(resets_of_sample_pmds_have_no_effect)
{
	struct counter other = counter(0, 0, 0), c = counter(1, 0, 1);
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);

	pfm_bv_set(c.pmc.reg_smpl_pmds, PFM_PMD_ADDRESS);
	pfm_bv_set(c.pmc.reg_reset_pmds, PFM_PMD_ADDRESS);
	pfm_bv_set(c.pmc.reg_reset_pmds, PFM_PMD_TRANSACTION);
	counter_write(s.fd, &other);
	smpl_start(&c, s);
	touch_pages(FAULTS, NULL);
	check_addresses(&s, 0);
	CHECK(ctx_read(s.fd, 0) >= FAULTS);
}

TEST(sample_pmds_are_read_only)
{
	pfarg_pmd_t pmd = { .reg_num = PFM_PMD_ADDRESS, .reg_value = 1 };
	int fd = ctx_new(0);

	CHECK_ERRNO(pfm_write_pmds(fd, &pmd, 1), EINVAL);
	CHECK(PFM_REG_HAS_ERROR(pmd.reg_flags));
}

static __u64 last_state(const struct smpl *s)
{
	return *smpl_values(smpl_entry(s, s->hdr->hdr_count - 1, 1));
}

/*
 * Return whether any sample has this state. All samples are searched, because
 * the thread may also be preempted.
 */
static bool has_state(const struct smpl *s, char state)
{
	for (unsigned int i = 0; i < s->hdr->hdr_count; i++)
		if (*smpl_values(smpl_entry(s, i, 1)) == (__u64)state)
			return true;
	return false;
}

TEST(context_switches_record_the_threads_state)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	struct counter c = recording(PFM_PMD_STATE);
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);

	c.pmc.reg_value = SOFTWARE(PERF_COUNT_SW_CONTEXT_SWITCHES);
	smpl_start(&c, s);
	/*
	 * Sleep because this causes a context switch, whose reason is recorded.
	 */
	CHECK_OK(nanosleep(&nap, NULL));
	CHECK(has_state(&s, 'S'));
	CHECK_EQ(ctx_read(s.fd, PFM_PMD_STATE), 'R');
}

/*
 * perf does not count context switches for events that exclude the kernel, but
 * perfmon does.
 */
TEST(switches_at_user_level_have_user_addresses)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	struct counter c = recording(PFM_PMD_STATE);
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);

	c.pmc.reg_value = SOFTWARE(PERF_COUNT_SW_CONTEXT_SWITCHES) |
			  PFM_PERF_EXCL_KERNEL;
	smpl_start(&c, s);
	/* Sleep because this causes a context switch, which is recorded. */
	CHECK_OK(nanosleep(&nap, NULL));
	CHECK(has_state(&s, 'S'));
	for (unsigned int i = 0; i < s.hdr->hdr_count; i++)
		CHECK((__s64)smpl_entry(&s, i, 1)->ip > 0);
}

TEST(switches_to_other_threads_record_runnable)
{
	struct counter c = recording(PFM_PMD_STATE);
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);
	pid_t child;

	c.pmc.reg_value = SOFTWARE(PERF_COUNT_SW_CONTEXT_SWITCHES);
	ctx_pin(0);
	child = CHECK_OK(fork());
	while (!child)
		sched_yield();
	smpl_start(&c, s);
	while (!s.hdr->hdr_count)
		sched_yield();
	CHECK_EQ(last_state(&s), 'R');
	CHECK_OK(kill(child, SIGKILL));
	CHECK_OK(waitpid(child, NULL, 0));
}

/*
 * Allocate memory, and exit when the pipe has a byte. The exit has to free the
 * memory.
 */
static void exit_with_memory(void *go)
{
	size_t size = 1 << 22;
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);
	memset(memory, 1, size);
	wait_go(*(int *)go);
}

/*
 * perf stops the clock of an exiting thread before the thread frees its memory.
 * The sample at the exit also includes the CPU time that freeing the memory
 * takes.
 */
TEST(exit_sample_has_cpu_time_of_the_exit)
{
	int go[2], ret = pipe(go);
	struct counter c = counter(0, PFM_REGFL_AT_EXIT, 1 << 30);
	struct counter clock = counter(1, 0, 0);
	pid_t child = spawn(exit_with_memory, go);
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);
	__u64 sampled, before = clock_ns(CLOCK_MONOTONIC);

	CHECK_OK(ret);
	clock.pmc.reg_value = SOFTWARE(PERF_COUNT_SW_TASK_CLOCK);
	pfm_bv_set(c.pmc.reg_smpl_pmds, 1);
	counter_write(s.fd, &c);
	counter_write(s.fd, &clock);
	ctx_start_on(s.fd, child);
	CHECK_EQ(write(go[1], "", 1), 1);
	reap(child);
	ctx_expect_message(s.fd, PFM_MSG_END);
	CHECK_EQ(s.hdr->hdr_count, 1);
	sampled = *smpl_values(smpl_entry(&s, 0, 1));
	CHECK(sampled > ctx_read(s.fd, 1));
	CHECK(sampled < clock_ns(CLOCK_MONOTONIC) - before);
}

static int try_recording(__u64 event, unsigned int pmd)
{
	struct counter c = recording(pmd);
	struct smpl s = smpl_new(0, BIG_BUFFER, 0);
	int ret;

	c.pmc.reg_value = event;
	counter_write(s.fd, &c);
	ret = ctx_try_load(s.fd, thread_id());
	CHECK_EQ(ret, ret ? -1 : 0);
	ret = ret ? errno : 0;
	CHECK_OK(close(s.fd));
	return ret;
}

TEST(events_without_the_data_are_refused)
{
	static const struct {
		__u64		event;
		unsigned int	pmd;
		int		err;
	} cases[] = {
		{ SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS_MIN), PFM_PMD_ADDRESS, 0 },
		{ SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS), PFM_PMD_PHYSICAL, 0 },
		{ SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS), PFM_PMD_LATENCY,
		  EINVAL },
		{ SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS), PFM_PMD_SOURCE, EINVAL },
		{ SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS), PFM_PMD_BRANCH_FROM(0),
		  EINVAL },
		{ SOFTWARE(PERF_COUNT_SW_TASK_CLOCK), PFM_PMD_ADDRESS, EINVAL },
		{ SOFTWARE(PERF_COUNT_SW_CONTEXT_SWITCHES), PFM_PMD_ADDRESS,
		  EINVAL },
		{ SOFTWARE(PERF_COUNT_SW_TASK_CLOCK), PFM_PMD_TRANSACTION,
		  EINVAL },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++)
		CHECK_EQ(try_recording(cases[i].event, cases[i].pmd),
			 cases[i].err);
}

static void record_as_user(void *unused)
{
	const __u64 faults = SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS) |
			     PFM_PERF_EXCL_KERNEL;

	become(USER, USER, 0);
	CHECK_EQ(try_recording(faults, PFM_PMD_ADDRESS), 0);
	CHECK_EQ(try_recording(faults, PFM_PMD_PHYSICAL), EPERM);
}

TEST(physical_addresses_need_privileges)
{
	with_paranoid("2", record_as_user, NULL);
}
