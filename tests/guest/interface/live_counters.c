// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * live_counters.c - a monitored thread that reads its running counters without
 * the kernel (Eranian 2006, section 8)
 *
 * This works on arm64 if the administrator allows it. Elsewhere the kernel
 * reads the counters, which evtset_page.c tests.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "params.h"
#include "smpl.h"
#include "worker.h"

#define USER_ACCESS	"/proc/sys/kernel/perf_user_access"
#define INSTRUCTIONS	PFM_PERF_EVENT(PERF_TYPE_HARDWARE, \
				       PERF_COUNT_HW_INSTRUCTIONS)
#define CYCLES		PFM_PERF_EVENT(PERF_TYPE_HARDWARE, \
				       PERF_COUNT_HW_CPU_CYCLES)

/* More counters than any CPU has. */
#define ALL_COUNTERS	32

/*
 * Return the number of reads per test: $LIVE_READS, or a default that is large
 * enough for all cases to occur.
 */
static unsigned long reads(void)
{
	const char *text = getenv("LIVE_READS");

	return text ? strtoul(text, NULL, 0) : 20000;
}

static void need_user_access(void)
{
	if (access(USER_ACCESS, R_OK))
		check_skip("this machine has no user access to counters");
}

static void allow(const char *value)
{
	write_text(USER_ACCESS, value);
}

/* Run a function in a child with user access to counters enabled. */
static void with_user_access(void (*run)(void *arg))
{
	need_user_access();
	with_setting(USER_ACCESS, "1", run, NULL);
}

/**
 * struct live - a context that counts instructions and cycles, and whose set0
 * is mapped
 */
struct live {
	int			fd;
	struct pfm_set_map	*map;
	__u64			last[2];
};

static void write_event(int fd, unsigned int set, unsigned int n, __u64 event)
{
	pfarg_pmc_t pmc = { .reg_num = n, .reg_set = set, .reg_value = event };

	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
}

static struct pfm_set_map *map_ok(int fd, unsigned int set)
{
	struct pfm_set_map *map = pfm_map_set(fd, set);

	CHECK(map);
	return map;
}

static struct live live_new(void)
{
	struct live l = { .fd = ctx_new(PFM_FL_MAP_SETS) };

	write_event(l.fd, 0, 0, INSTRUCTIONS);
	write_event(l.fd, 0, 1, CYCLES);
	l.map = map_ok(l.fd, 0);
	return l;
}

static struct live live_started(void)
{
	struct live l = live_new();

	ctx_load_self(l.fd);
	CHECK_OK(pfm_start(l.fd, NULL));
	return l;
}

static __u64 mapped(const struct pfm_set_map *map, unsigned int pmd)
{
	__u64 value = 0;

	CHECK_OK(pfm_read_mapped(map, pmd, &value));
	return value;
}

/*
 * Check that values never go back, and that a mapped value lies between the
 * values that the kernel reads before and after it.
 */
static void expect_between(struct live *l)
{
	for (unsigned int n = 0; n < 2; n++) {
		__u64 before = ctx_read(l->fd, n);
		__u64 now = mapped(l->map, n);
		__u64 after = ctx_read(l->fd, n);

		CHECK(l->last[n] <= before);
		CHECK(before < now);
		CHECK(now < after);
		l->last[n] = after;
	}
}

/*
 * Check that mapped values increase. Sometimes compare them with the kernel's
 * values.
 */
static void read_often(struct live *l)
{
	unsigned long n = reads();

	for (unsigned long i = 0; i < n; i++) {
		__u64 now = mapped(l->map, i & 1);

		CHECK(l->last[i & 1] < now);
		l->last[i & 1] = now;
		if (i % 64 == 0)
			expect_between(l);
	}
}

/*
 * Make l->fd refer to /dev/null, so that PFM_READ_PMDS fails. A duplicate of
 * the descriptor keeps the context loaded.
 */
static void shut_out_kernel(const struct live *l)
{
	int null = CHECK_OK(open("/dev/null", O_RDONLY));

	CHECK_OK(dup(l->fd));
	CHECK_OK(dup2(null, l->fd));
}

static void expect_no_kernel(void *unused)
{
	struct live l = live_started();

	shut_out_kernel(&l);
	for (int i = 0; i < 100; i++) {
		for (unsigned int n = 0; n < 2; n++) {
			__u64 now = mapped(l.map, n);

			CHECK(l.last[n] < now);
			l.last[n] = now;
		}
	}
}

/* Proves P7-08, P8-01 */
TEST(running_counters_are_read_without_the_kernel)
{
	with_user_access(expect_no_kernel);
}

static void expect_kernel(void *unused)
{
	struct live l = live_started();
	__u64 value;

	expect_between(&l);
	shut_out_kernel(&l);
	CHECK(pfm_read_mapped(l.map, 0, &value));
}

TEST(without_user_access_the_kernel_reads)
{
	need_user_access();
	with_setting(USER_ACCESS, "0", expect_kernel, NULL);
}

static void with_kprobes_off(void *unused)
{
	with_setting(KPROBES, "0", expect_kernel, NULL);
	CHECK(file_has(PFM_SYSFS "/defects", "kprobes cannot be used"));
	expect_no_kernel(NULL);
	CHECK(!file_has(PFM_SYSFS "/defects", "kprobe"));
}

/* The kernel reads the counters if perfmon would not learn of their changes. */
TEST(without_kprobes_the_kernel_reads)
{
	with_user_access(with_kprobes_off);
}

static void expect_exact(void *unused)
{
	struct live l = live_started();

	read_often(&l);
}

TEST(mapped_and_read_live_counters_agree)
{
	with_user_access(expect_exact);
}

static void migrate(void *pid)
{
	cpu_set_t cpus;
	int i = 0;

	/* sched_setaffinity() fails when the process has exited. */
	do {
		CPU_ZERO(&cpus);
		CPU_SET(i ^= 1, &cpus);
		sched_yield();
	} while (!sched_setaffinity(*(pid_t *)pid, sizeof(cpus), &cpus));
}

static void compete(void *unused)
{
	for (;;)
		__asm__ volatile("");
}

static void expect_exact_while_moved(void *unused)
{
	struct live l = live_started();
	pid_t self = getpid();

	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		spawn(migrate, &self);
	spawn(compete, NULL);
	spawn(compete, NULL);
	read_often(&l);
}

TEST(live_counter_is_exact_across_migration)
{
	with_user_access(expect_exact_while_moved);
}

static int open_cycles(pid_t pid, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.pinned = 1,
	};

	return CHECK_OK(syscall(SYS_perf_event_open, &attr, pid, cpu, -1, 0));
}

/*
 * In another process, repeatedly occupy counters with pinned perf events of the
 * monitored thread and of CPU 0, and release them.
 */
static void use_perf(void *pid)
{
	for (;;) {
		int mine = open_cycles(*(pid_t *)pid, -1);
		int theirs = open_cycles(-1, 0);

		sched_yield();
		close(mine);
		close(theirs);
	}
}

static void expect_exact_beside_perf(void *unused)
{
	struct live l = live_started();
	pid_t self = getpid();

	spawn(use_perf, &self);
	read_often(&l);
}

TEST(live_counter_is_exact_while_perf_moves_it)
{
	with_user_access(expect_exact_beside_perf);
}

static void expect_exact_across_a_wrap(void *unused)
{
	struct live l = live_started();

	while (l.last[1] < (1ULL << 31) + (1ULL << 28)) {
		for (int i = 0; i < 1000000; i++)
			__asm__ volatile("");
		expect_between(&l);
	}
}

/*
 * perf starts its 32-bit counters at half of their range, so they wrap after
 * 2^31 events.
 */
TEST(live_counter_is_exact_when_it_wraps)
{
	with_user_access(expect_exact_across_a_wrap);
}

static void expect_exact_across_commands(void *unused)
{
	struct live l = live_new();

	ctx_load_self(l.fd);
	for (int i = 0; i < 200; i++) {
		pfarg_pmd_t pmd = { .reg_value = 1ULL << 40 };
		__u64 now;

		CHECK_OK(pfm_start(l.fd, NULL));
		expect_between(&l);
		CHECK_OK(pfm_write_pmds(l.fd, &pmd, 1));
		now = mapped(l.map, 0);
		CHECK(now > pmd.reg_value);
		CHECK(now < ctx_read(l.fd, 0));
		pmd.reg_value = l.last[0];
		CHECK_OK(pfm_write_pmds(l.fd, &pmd, 1));
		expect_between(&l);
		write_event(l.fd, 0, 1, i & 1 ? CYCLES : INSTRUCTIONS);
		expect_between(&l);
		CHECK_OK(pfm_stop(l.fd));
		CHECK_EQ(mapped(l.map, 0), ctx_read(l.fd, 0));
		CHECK_EQ(mapped(l.map, 1), ctx_read(l.fd, 1));
		l.last[0] = 0;
		l.last[1] = 0;
	}
}

TEST(live_counter_is_exact_across_commands)
{
	with_user_access(expect_exact_across_commands);
}

static void command_often(void *arg)
{
	pfarg_pmc_t pmc = { .reg_num = 1 };
	int fd = *(int *)arg;

	/*
	 * The commands fail when the monitored thread has finished its reads
	 * and exited.
	 */
	do {
		pmc.reg_value = pmc.reg_value == CYCLES ? INSTRUCTIONS : CYCLES;
	} while (!pfm_stop(fd) && !pfm_start(fd, NULL) &&
		 !pfm_write_pmcs(fd, &pmc, 1));
}

static void expect_exact_beside_commands(void *unused)
{
	struct live l = live_started();
	unsigned long n = reads();

	spawn(command_often, &l.fd);
	for (unsigned long i = 0; i < n; i++) {
		__u64 before = i % 64 ? l.last[0] : ctx_read(l.fd, 0);
		__u64 now = mapped(l.map, 0);

		CHECK(l.last[0] <= before);
		CHECK(before <= now);
		l.last[0] = now;
		mapped(l.map, 1);
	}
	CHECK(l.last[0] <= ctx_read(l.fd, 0));
}

TEST(live_counter_is_exact_during_other_commands)
{
	with_user_access(expect_exact_beside_commands);
}

/**
 * struct turn - a process that detaches the context while the monitored thread
 * reads it
 * @fd: the context's descriptor
 * @go: how many times the context was attached
 * @done: how many times the context was detached
 */
struct turn {
	int			fd;
	volatile unsigned int	go;
	volatile unsigned int	done;
};

static void detach_often(void *arg)
{
	struct turn *turn = arg;

	for (;; turn->done++) {
		while (turn->go == turn->done)
			sched_yield();
		CHECK_OK(pfm_unload_context(turn->fd));
	}
}

static void expect_no_trap_when_detached(void *unused)
{
	struct turn *turn = mmap(NULL, sizeof(*turn), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct live l = live_new();

	CHECK(turn != MAP_FAILED);
	turn->fd = l.fd;
	spawn(detach_often, turn);
	for (unsigned int i = 1; i <= 50; i++) {
		__u64 last = 0;

		ctx_load_self(l.fd);
		CHECK_OK(pfm_start(l.fd, NULL));
		turn->go = i;
		while (turn->done != i) {
			__u64 now = mapped(l.map, 0);

			CHECK(last <= now);
			last = now;
		}
		CHECK(last <= mapped(l.map, 0));
		CHECK_EQ(mapped(l.map, 0), ctx_read(l.fd, 0));
	}
}

TEST(context_can_be_unloaded_while_thread_reads)
{
	with_user_access(expect_no_trap_when_detached);
}

/*
 * Check values while the counter of page faults overflows. Each overflow masks
 * monitoring, and each restart resets the counter of instructions.
 */
static void expect_exact_across_overflows(void *unused)
{
	struct live l = live_new();
	struct counter c = counter(2, PFM_REGFL_OVFL_NOTIFY, 10);

	pfm_bv_set(c.pmc.reg_reset_pmds, 0);
	counter_write(l.fd, &c);
	faults_prepare();
	ctx_load_self(l.fd);
	CHECK_OK(pfm_start(l.fd, NULL));
	for (int i = 0; i < 100; i++) {
		touch_pages(10, NULL);
		ctx_expect_message(l.fd, PFM_MSG_OVFL);
		CHECK_EQ(mapped(l.map, 0), ctx_read(l.fd, 0));
		CHECK_EQ(mapped(l.map, 1), ctx_read(l.fd, 1));
		CHECK_OK(pfm_restart(l.fd));
		/* The restart has reset the counter. */
		CHECK(mapped(l.map, 0) < 1000000);
		l.last[0] = 0;
		expect_between(&l);
	}
}

TEST(live_counter_is_exact_across_masks_and_restarts)
{
	with_user_access(expect_exact_across_overflows);
}

/*
 * Check that a mapped value does not change while pinned perf events of the CPU
 * use all counters. These events take precedence over those of the context.
 */
static void expect_not_read(void *unused)
{
	struct live l = live_started();
	__u64 last;

	ctx_pin(0);
	expect_between(&l);
	for (int i = 0; i < ALL_COUNTERS; i++)
		open_cycles(-1, 0);
	/* Wait until the thread is scheduled in without a counter. */
	spawn(compete, NULL);
	do {
		last = ctx_read(l.fd, 1);
		sched_yield();
	} while (ctx_read(l.fd, 1) != last);
	for (int i = 0; i < 100; i++)
		CHECK_EQ(mapped(l.map, 1), last);
}

TEST(counter_taken_by_perf_reads_its_last_value)
{
	with_user_access(expect_not_read);
}

/*
 * Check values while overflows reset the counter of instructions without
 * masking monitoring, as the default format requests.
 */
static void expect_exact_across_resets(void *unused)
{
	pfm_default_smpl_arg_t arg = { .buf_size = 1 << 20 };
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_MAP_SETS,
			    .ctx_smpl_buf_id = PFM_DFL_SMPL_UUID };
	struct live l = { .fd = CHECK_OK(pfm_create_context(&ctx, &arg,
							    sizeof(arg))) };
	struct counter c = counter(2, 0, 10);

	write_event(l.fd, 0, 0, INSTRUCTIONS);
	write_event(l.fd, 0, 1, CYCLES);
	pfm_bv_set(c.pmc.reg_reset_pmds, 0);
	counter_write(l.fd, &c);
	l.map = map_ok(l.fd, 0);
	faults_prepare();
	ctx_load_self(l.fd);
	CHECK_OK(pfm_start(l.fd, NULL));
	for (int i = 0; i < 200; i++) {
		touch_pages(10, NULL);
		l.last[0] = 0;
		expect_between(&l);
		/*
		 * The overflow has reset the counter, and ten page faults take
		 * fewer than a million instructions.
		 */
		if (i && i % 20 == 0)
			CHECK(mapped(l.map, 0) < 1000000);
	}
}

TEST(live_counter_is_exact_across_reset_by_overflow)
{
	with_user_access(expect_exact_across_resets);
}

/*
 * Check the values of two sets that take turns. Both may be read at any time.
 */
static void expect_exact_across_switches(void *unused)
{
	int fd = ctx_new(PFM_FL_MAP_SETS);
	struct pfm_set_map *maps[2];
	__u64 last[2] = { 0 };
	unsigned long n = reads();

	for (unsigned int set = 0; set < 2; set++) {
		ctx_create_set(fd, set, PFM_SETFL_TIME_SWITCH);
		write_event(fd, set, 0, INSTRUCTIONS);
		maps[set] = map_ok(fd, set);
	}
	ctx_load_self(fd);
	CHECK_OK(pfm_start(fd, NULL));
	for (unsigned long i = 0; i < n || ctx_set_info(fd, 0).set_runs < 20;
	     i++) {
		unsigned int set = i & 1;
		__u64 now = mapped(maps[set], 0);

		CHECK(last[set] <= now);
		last[set] = i % 16 < 2 ? ctx_read_set(fd, set, 0) : now;
		CHECK(now <= last[set]);
	}
}

TEST(live_counter_is_exact_across_set_switches)
{
	with_user_access(expect_exact_across_switches);
}

/* Return whether the child has exited, which it must do successfully. */
static bool has_ended(pid_t child)
{
	int status;

	if (!CHECK_OK(waitpid(child, &status, WNOHANG)))
		return false;
	CHECK_EQ(status, 0);
	return true;
}

/* Read the values from another thread or process, perhaps on another CPU. */
static void read_as_other(void *live)
{
	struct live *l = live;

	for (int i = 0; i < 5000; i++) {
		__u64 before = ctx_read(l->fd, 0);
		__u64 now = mapped(l->map, 0);

		CHECK(before <= now);
		CHECK(now <= ctx_read(l->fd, 0));
	}
}

static void *read_in_thread(void *live)
{
	read_as_other(live);
	return NULL;
}

static void read_with_own_mapping(void *live)
{
	struct live l = *(struct live *)live;

	pfm_unmap_set(l.map);
	l.map = map_ok(l.fd, 0);
	read_as_other(&l);
}

static void expect_others_right(void *unused)
{
	struct live l = live_started();
	pthread_t thread;
	pid_t child;

	CHECK(!pthread_create(&thread, NULL, read_in_thread, &l));
	while (pthread_tryjoin_np(thread, NULL))
		expect_between(&l);
	child = spawn(read_as_other, &l);
	while (!has_ended(child))
		expect_between(&l);
	child = spawn(read_with_own_mapping, &l);
	while (!has_ended(child))
		expect_between(&l);
}

TEST(other_threads_and_children_read_via_the_kernel)
{
	with_user_access(expect_others_right);
}

/*
 * The number of reads so far, and the number of times that user access was
 * toggled.
 */
struct progress {
	volatile unsigned long	reads;
	volatile unsigned long	turns;
};

static void wait_for_reads(const struct progress *done)
{
	unsigned long before = done->reads;

	while (done->reads < before + 2)
		sched_yield();
}

static void take_right_away(void *arg)
{
	struct progress *done = arg;

	ctx_pin((int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
	for (;; done->turns++) {
		allow("0");
		wait_for_reads(done);
		allow("1");
		wait_for_reads(done);
	}
}

/*
 * Check that reads succeed while another process, if possible on another CPU,
 * toggles user access.
 */
static void expect_no_trap(void *unused)
{
	struct progress *done = mmap(NULL, sizeof(*done),
				     PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct live l = live_started();
	unsigned long n = reads();

	CHECK(done != MAP_FAILED);
	ctx_pin(0);
	spawn(take_right_away, done);
	while (done->reads++ < n || done->turns < 50) {
		__u64 now = mapped(l.map, 0);

		CHECK(l.last[0] < now);
		l.last[0] = now;
		if (done->reads % 64 == 0)
			expect_between(&l);
	}
}

TEST(revoked_user_access_causes_no_trap)
{
	with_user_access(expect_no_trap);
}

static void read_cycle_counter(void *unused)
{
#ifdef __aarch64__
	unsigned long value;

	/*
	 * Give the thread an event of its own. Without one, the thread might
	 * still have the user access of the thread that ran before it.
	 */
	open_cycles(0, -1);
	__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
#endif
}

static void do_something_illegal(void *unused)
{
#ifdef __aarch64__
	live_started();
	__asm__ volatile("udf #0");
#endif
}

static void expect_signal(void (*function)(void *arg))
{
	int status = wait_for(spawn(function, NULL));

	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), SIGILL);
}

/*
 * Check that other processes that access counters still get a signal while one
 * process reads its own.
 */
static void expect_signals(void *unused)
{
	struct live l = live_started();

	expect_signal(read_cycle_counter);
	expect_signal(do_something_illegal);
	expect_between(&l);
}

TEST(illegal_instruction_still_raises_sigill)
{
	with_user_access(expect_signals);
}

/*
 * Check that a program started with exec, which has no mapping, loses user
 * access.
 */
static void read_after_exec(void *unused)
{
	struct live l = live_started();

	expect_between(&l);
	CHECK_OK(fcntl(l.fd, F_SETFD, 0));
	execl(program_path("live_counters"), "live_counters", "--list", NULL);
	CHECK(!"exec");
}

TEST(program_reading_live_counters_can_exec)
{
	with_user_access(read_after_exec);
}
