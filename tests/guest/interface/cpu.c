// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * cpu.c - CPUs that go offline and come back while monitored (specification
 *	   3.1.8, 3.3.6)
 */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "cpus.h"
#include "ctx.h"
#include "faults.h"
#include "refusals.h"
#include "smpl.h"
#include "worker.h"

#define FAULTS		500
#define ROUND		64
#define PERIOD		1000
#define TOGGLES		6
#define BUF_SIZE	(1 << 20)

static void start_on_cpu(int fd, int cpu)
{
	ctx_pin(cpu);
	ctx_start_on(fd, thread_id());
	ctx_pin(0);
}

/*
 * Check that commands fail with ENODEV, because the context's CPU has gone
 * offline.
 */
static void expect_no_commands(int fd)
{
	pfarg_pmc_t pmc = { .reg_value = PAGE_FAULTS };
	pfarg_pmd_t pmd = {};

	REFUSED(pfm_start(fd, NULL), ENODEV);
	REFUSED(pfm_stop(fd), ENODEV);
	REFUSED(pfm_restart(fd), ENODEV);
	REFUSED(pfm_read_pmds(fd, &pmd, 1), ENODEV);
	REFUSED(pfm_write_pmds(fd, &pmd, 1), ENODEV);
	REFUSED(pfm_write_pmcs(fd, &pmc, 1), ENODEV);
	ctx_expect_state(fd, "offline");
}

/* Proves H20 */
TEST(offline_cpu_context_accepts_unload_only)
{
	int fd = ctx_notifying(PFM_FL_SYSTEM_WIDE, 1ULL << 40);

	need_second_cpu();
	start_on_cpu(fd, 1);
	set_second_cpu(false);
	expect_no_commands(fd);
	set_second_cpu(true);
	expect_no_commands(fd);
	ctx_pin(1);
	expect_no_commands(fd);
	ctx_expect_no_message(fd);
	ctx_pin(0);
	CHECK_OK(pfm_unload_context(fd));
	ctx_expect_state(fd, "unloaded");
}

TEST(unload_does_not_need_the_cpu_online)
{
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);

	need_second_cpu();
	start_on_cpu(fd, 1);
	set_second_cpu(false);
	CHECK_OK(pfm_unload_context(fd));
	CHECK_ERRNO(pfm_unload_context(fd), EBUSY);
	set_second_cpu(true);
}

TEST(counts_and_samples_survive_cpu_offline)
{
	struct smpl s = smpl_new(PFM_FL_SYSTEM_WIDE, BUF_SIZE, 0);
	unsigned int n = 0;
	struct worker w;

	need_second_cpu();
	worker_start(&w);
	worker_do(&w, WORK_PIN, 1);
	ctx_add_counter(s.fd, 0, 0, 1);
	ctx_add_counter(s.fd, 1, 0, 0);
	start_on_cpu(s.fd, 1);
	worker_do(&w, WORK_TOUCH, FAULTS);
	set_second_cpu(false);
	worker_do(&w, WORK_TOUCH, FAULTS);
	set_second_cpu(true);
	worker_do(&w, WORK_PIN, 1);
	worker_do(&w, WORK_TOUCH, FAULTS);
	for (unsigned int i = 0; i < s.hdr->hdr_count; i++)
		n += smpl_entry(&s, i, 0)->tgid == (__u32)w.pid;
	CHECK_EQ(n, FAULTS);
	CHECK_OK(pfm_unload_context(s.fd));
	CHECK_EQ(ctx_read(s.fd, 1), s.hdr->hdr_count);
	worker_quit(&w);
}

TEST(masked_context_of_offline_cpu_cannot_restart)
{
	int fd = ctx_notifying(PFM_FL_SYSTEM_WIDE, FAULTS);
	struct worker w;

	need_second_cpu();
	worker_start(&w);
	worker_do(&w, WORK_PIN, 1);
	start_on_cpu(fd, 1);
	worker_do(&w, WORK_TOUCH, FAULTS);
	ctx_expect_state(fd, "masked");
	set_second_cpu(false);
	expect_no_commands(fd);
	ctx_expect_message(fd, PFM_MSG_OVFL);
	set_second_cpu(true);
	expect_no_commands(fd);
	ctx_expect_no_message(fd);
	CHECK_OK(close(fd));
	worker_quit(&w);
}

TEST(reonlined_cpu_needs_unload_and_load)
{
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);
	struct worker w;
	__u64 before;

	need_second_cpu();
	worker_start(&w);
	ctx_add_counter(fd, 0, 0, 0);
	start_on_cpu(fd, 1);
	set_second_cpu(false);
	set_second_cpu(true);
	CHECK_OK(pfm_unload_context(fd));
	before = ctx_read(fd, 0);
	start_on_cpu(fd, 1);
	worker_do(&w, WORK_PIN, 1);
	worker_do(&w, WORK_TOUCH, FAULTS);
	ctx_pin(1);
	ctx_stop(fd);
	CHECK(ctx_read(fd, 0) >= before + FAULTS);
	CHECK_OK(pfm_unload_context(fd));
	worker_quit(&w);
}

TEST(reonlined_cpu_is_busy_until_old_context_closes)
{
	int first = ctx_new(PFM_FL_SYSTEM_WIDE);
	int second = ctx_new(PFM_FL_SYSTEM_WIDE);
	pfarg_load_t load = { .load_pid = thread_id() };

	need_second_cpu();
	start_on_cpu(first, 1);
	set_second_cpu(false);
	set_second_cpu(true);
	ctx_pin(1);
	CHECK_ERRNO(pfm_load_context(second, &load), EBUSY);
	CHECK_OK(close(first));
	ctx_start_on(second, thread_id());
}

TEST(other_cpus_are_measured_during_offline)
{
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);
	__u64 before;

	need_second_cpu();
	ctx_add_counter(fd, 0, 0, 0);
	start_on_cpu(fd, 0);
	set_second_cpu(false);
	faults_prepare();
	before = ctx_read(fd, 0);
	touch_pages(FAULTS, NULL);
	CHECK(ctx_read(fd, 0) >= before + FAULTS);
	set_second_cpu(true);
	ctx_stop(fd);
}

static void toggle(void *unused)
{
	for (int i = 0; i < TOGGLES; i++) {
		set_second_cpu(false);
		set_second_cpu(true);
	}
}

/*
 * Call @function repeatedly until a child exits. Return: the number of calls.
 */
static unsigned long repeat_until_end(pid_t pid, void (*function)(void))
{
	unsigned long n = 0;
	int status;

	while (!waitpid(pid, &status, WNOHANG)) {
		function();
		n++;
	}
	CHECK_EQ(status, 0);
	return n;
}

static void touch_and_yield(void)
{
	touch_pages(ROUND, NULL);
	sched_yield();
}

/* The thread migrates whenever its CPU goes offline. No fault may be lost. */
/* Proves H20 */
TEST(thread_counts_are_exact_during_cpu_hotplug)
{
	struct smpl s = smpl_new(0, BUF_SIZE, 0);
	unsigned long n;
	pid_t pid;

	need_second_cpu();
	ctx_add_counter(s.fd, 0, 0, PERIOD);
	ctx_add_counter(s.fd, 1, 0, 0);
	pid = spawn(toggle, NULL);
	ctx_start_self(s.fd);
	n = repeat_until_end(pid, touch_and_yield) * ROUND;
	ctx_stop(s.fd);
	CHECK_EQ(ctx_read(s.fd, 1), n);
	CHECK_EQ(s.hdr->hdr_count, n / PERIOD);
}

/*
 * The kernel moves the thread to another CPU, where it must still be counted.
 */
TEST(thread_bound_to_offlined_cpu_is_still_counted)
{
	int fd = ctx_counting();
	struct worker w;

	need_second_cpu();
	worker_start(&w);
	worker_do(&w, WORK_PIN, 1);
	ctx_start_on(fd, w.pid);
	worker_do(&w, WORK_TOUCH, FAULTS);
	set_second_cpu(false);
	worker_do(&w, WORK_TOUCH, FAULTS);
	set_second_cpu(true);
	worker_do(&w, WORK_TOUCH, FAULTS);
	ctx_stop(fd);
	CHECK_EQ(ctx_read(fd, 0), 3 * FAULTS);
	worker_quit(&w);
}

static void expect(int result)
{
	/*
	 * Commands may fail because the CPU is offline, because they run on
	 * another CPU, or because the context is not loaded.
	 */
	CHECK(!result || errno == ENODEV || errno == EBUSY);
}

static void measure_second_cpu(void)
{
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);
	struct counter c = counter(0, 0, 100);
	pfarg_load_t load = { .load_pid = thread_id() };
	cpu_set_t second;

	CPU_ZERO(&second);
	CPU_SET(1, &second);
	/*
	 * This fails with EINVAL if CPU 1 is offline. In that case, this thread
	 * stays on CPU 0.
	 */
	CHECK(!sched_setaffinity(0, sizeof(second), &second) ||
	      errno == EINVAL);
	expect(pfm_write_pmcs(fd, &c.pmc, 1));
	expect(pfm_load_context(fd, &load));
	expect(pfm_write_pmcs(fd, &c.pmc, 1));
	expect(pfm_write_pmds(fd, &c.pmd, 1));
	expect(pfm_start(fd, NULL));
	expect(pfm_read_pmds(fd, &c.pmd, 1));
	expect(pfm_restart(fd));
	expect(pfm_stop(fd));
	expect(pfm_unload_context(fd));
	CHECK_OK(close(fd));
}

/*
 * A command can wait for a hotplug operation of the CPU, and a hotplug
 * operation can wait for a command.
 * Proves H20
 */
TEST(commands_do_not_deadlock_with_cpu_hotplug)
{
	need_second_cpu();
	repeat_until_end(spawn(toggle, NULL), measure_second_cpu);
}
