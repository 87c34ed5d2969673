// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * syswide.c - system-wide contexts, one per CPU (specification 3.1.1, 3.1.7)
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "params.h"
#include "refusals.h"
#include "smpl.h"
#include "worker.h"

#define CPUS		2
#define FAULTS		500
#define BUF_SIZE	(1 << 20)

static void need_two_cpus(void)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < CPUS)
		check_skip("needs two CPUs");
}

/* Sample every page fault on the current CPU. */
static struct smpl sample_cpu(void)
{
	struct smpl s = smpl_new(PFM_FL_SYSTEM_WIDE, BUF_SIZE, 0);

	ctx_add_counter(s.fd, 0, 0, 1);
	ctx_start_on(s.fd, thread_id());
	return s;
}

static unsigned int count_entries_of(const struct smpl *s, pid_t pid, int cpu)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < s->hdr->hdr_count; i++) {
		const pfm_default_smpl_entry_t *e = smpl_entry(s, i, 0);

		CHECK_EQ(e->cpu, cpu);
		n += e->tgid == (__u32)pid;
	}
	return n;
}

/*
 * Proves 3.1.1-04, 3.1.5-04, 3.1.7-17, 3.6-02, 3.6.4-02, 3.6.4-10, P4.1-04,
 * P4.2-05
 */
TEST(everything_on_the_cpu_is_measured)
{
	struct worker w;
	struct smpl s;

	worker_start(&w);
	worker_do(&w, WORK_PIN, 0);
	ctx_pin(0);
	s = sample_cpu();
	worker_do(&w, WORK_TOUCH, FAULTS);
	ctx_stop(s.fd);
	CHECK_EQ(count_entries_of(&s, w.pid, 0), FAULTS);
	worker_quit(&w);
}

struct monitor {
	int			cpu;
	struct smpl		s;
	pthread_barrier_t	*barrier;
};

/*
 * Monitor a CPU. Wait at the barrier after monitoring has started, and again
 * before it is stopped.
 */
static void *monitor_cpu(void *arg)
{
	struct monitor *m = arg;

	ctx_pin(m->cpu);
	m->s = sample_cpu();
	pthread_barrier_wait(m->barrier);
	pthread_barrier_wait(m->barrier);
	ctx_stop(m->s.fd);
	CHECK_OK(pfm_unload_context(m->s.fd));
	return NULL;
}

/* Proves 3.1.7-17, 3.1.7-18, 3.6.4-10, P4.2-01, P4.2-04, P4.2-05 */
TEST(two_cpus_are_measured_at_once)
{
	pthread_barrier_t barrier;
	struct monitor m[CPUS];
	pthread_t threads[CPUS];
	struct worker w;

	need_two_cpus();
	worker_start(&w);
	worker_do(&w, WORK_PIN, 1);
	pthread_barrier_init(&barrier, NULL, CPUS + 1);
	for (int i = 0; i < CPUS; i++) {
		m[i] = (struct monitor){ .cpu = i, .barrier = &barrier };
		CHECK(!pthread_create(&threads[i], NULL, monitor_cpu, &m[i]));
	}
	pthread_barrier_wait(&barrier);
	worker_do(&w, WORK_TOUCH, FAULTS);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < CPUS; i++)
		pthread_join(threads[i], NULL);
	CHECK_EQ(count_entries_of(&m[0].s, w.pid, 0), 0);
	CHECK_EQ(count_entries_of(&m[1].s, w.pid, 1), FAULTS);
	worker_quit(&w);
}

/*
 * Proves 3.1.2-23, 3.1.3-23, 3.1.4-16, 3.1.4-17, 3.1.4-25, 3.1.5-17, 3.1.6-08,
 * 3.1.7-19, 3.1.8-09, 3.1.9-15, 4.3.2-05, P4.2-02, P4.2-03
 */
TEST(commands_need_the_monitored_cpu)
{
	pfarg_pmd_t pmd = {};
	pfarg_pmc_t pmc = { .reg_value = PAGE_FAULTS };
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);

	need_two_cpus();
	ctx_pin(1);
	ctx_start_on(fd, thread_id());
	ctx_pin(0);
	REFUSED(pfm_start(fd, NULL), EBUSY);
	REFUSED(pfm_stop(fd), EBUSY);
	REFUSED(pfm_restart(fd), EBUSY);
	REFUSED(pfm_unload_context(fd), EBUSY);
	REFUSED(pfm_read_pmds(fd, &pmd, 1), EBUSY);
	REFUSED(pfm_write_pmds(fd, &pmd, 1), EBUSY);
	REFUSED(pfm_write_pmcs(fd, &pmc, 1), EBUSY);
	ctx_pin(1);
	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
	CHECK_OK(pfm_read_pmds(fd, &pmd, 1));
	ctx_stop(fd);
	CHECK_OK(pfm_unload_context(fd));
	ctx_pin(0);
	CHECK_OK(pfm_read_pmds(fd, &pmd, 1));
}

/* Proves 3.1.8-06, P4.1-15 */
TEST(context_can_move_to_another_cpu)
{
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);

	need_two_cpus();
	for (int cpu = 0; cpu < CPUS; cpu++) {
		ctx_pin(cpu);
		ctx_load_self(fd);
		CHECK_OK(pfm_unload_context(fd));
	}
}

/* Proves 3.1.7-21, P4.2-01, P4.2-04 */
TEST(each_cpu_has_a_context_of_its_own)
{
	int fds[CPUS];

	need_two_cpus();
	for (int cpu = 0; cpu < CPUS; cpu++) {
		fds[cpu] = ctx_new(PFM_FL_SYSTEM_WIDE);
		ctx_pin(cpu);
		ctx_load_self(fds[cpu]);
	}
}

/* Proves 3.1.15-02 */
TEST(close_works_from_any_cpu)
{
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);

	need_two_cpus();
	ctx_pin(1);
	ctx_start_on(fd, thread_id());
	ctx_pin(0);
	CHECK_OK(close(fd));
	ctx_pin(1);
	ctx_load_self(ctx_new(PFM_FL_SYSTEM_WIDE));
}

static void load_and_exit(void *fd)
{
	ctx_pin(0);
	ctx_start_on(*(int *)fd, thread_id());
}

/* Proves 3.1.2-23, 3.1.3-23, 3.1.4-17, 3.1.7-16, 3.3.6-06, 4.3.2-04 */
TEST(context_stays_loaded_after_loader_exits)
{
	struct counter c = counter(0, 0, 0);
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);

	reap(spawn(load_and_exit, &fd));
	ctx_expect_state(fd, "started");
	ctx_expect_no_message(fd);
	ctx_pin(0);
	counter_write(fd, &c);
	ctx_read(fd, 0);
	ctx_stop(fd);
	CHECK_OK(pfm_unload_context(fd));
}

static cpu_set_t affinity(void)
{
	cpu_set_t set;

	CHECK_OK(sched_getaffinity(0, sizeof(set), &set));
	return set;
}

/* Proves 3.1.7-22, 3.1.8-10 */
TEST(commands_keep_the_cpu_affinity)
{
	pfarg_load_t load = { .load_pid = thread_id() };
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);
	cpu_set_t before = affinity(), loaded, after;

	need_two_cpus();
	CHECK_OK(pfm_load_context(fd, &load));
	loaded = affinity();
	/* The thread may have migrated to another CPU. */
	while (pfm_unload_context(fd)) {
		CHECK_EQ(errno, EBUSY);
		sched_yield();
	}
	after = affinity();
	CHECK(CPU_COUNT(&before) > 1);
	CHECK(CPU_EQUAL(&before, &loaded));
	CHECK(CPU_EQUAL(&before, &after));
}

struct migrated {
	pid_t	tid;
	bool	*over;
};

/* Migrate a running thread from CPU to CPU. */
static void migrate(void *arg)
{
	const struct migrated *m = arg;
	cpu_set_t set;

	for (int cpu = 0; !__atomic_load_n(m->over, __ATOMIC_RELAXED);
	     cpu ^= 1) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		CHECK_OK(sched_setaffinity(m->tid, sizeof(set), &set));
	}
}

/*
 * Return the CPU that a context monitors: the only CPU on which commands work.
 */
static int cpu_of(int fd)
{
	int cpu = -1;

	for (int i = 0; i < CPUS; i++) {
		ctx_pin(i);
		if (pfm_start(fd, NULL)) {
			CHECK_EQ(errno, EBUSY);
			continue;
		}
		CHECK_EQ(cpu, -1);
		cpu = i;
	}
	CHECK(cpu >= 0);
	return cpu;
}

#define LOADS	20

/* Proves 3.1.7-17, 3.1.7-18, 3.1.7-19 */
TEST(load_by_migrating_thread_binds_to_one_cpu)
{
	bool *over = mmap(NULL, sizeof(*over), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct migrated m = { thread_id(), over };
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);
	unsigned int seen = 0;
	struct worker w;

	need_two_cpus();
	CHECK(over != MAP_FAILED);
	ctx_add_counter(fd, 0, 0, 0);
	worker_start(&w);
	for (int i = 0; i < LOADS || seen != 3; i++) {
		pfarg_pmd_t zero = {};
		pid_t child;
		int cpu;

		/*
		 * Start on alternating CPUs, because the load may be finished
		 * before the thread is migrated.
		 */
		ctx_pin(i % CPUS);
		*over = false;
		child = spawn(migrate, &m);
		ctx_load_self(fd);
		*over = true;
		reap(child);
		cpu = cpu_of(fd);
		seen |= 1U << cpu;
		/*
		 * Check that the context counts the events of the CPU that was
		 * found.
		 */
		ctx_pin(cpu);
		CHECK_OK(pfm_write_pmds(fd, &zero, 1));
		worker_do(&w, WORK_PIN, cpu);
		worker_do(&w, WORK_TOUCH, FAULTS);
		CHECK(ctx_read(fd, 0) >= FAULTS);
		CHECK_OK(pfm_unload_context(fd));
	}
	worker_quit(&w);
}

/*
 * Return the number of elements that were read. Check that the elements after
 * them are unchanged.
 */
static int count_read(const pfarg_pmd_t *pmds, int n)
{
	int done = 0;

	while (done < n && pmds[done].reg_value != SENTINEL)
		done++;
	for (int i = done; i < n; i++)
		CHECK_EQ(pmds[i].reg_value, SENTINEL);
	return done;
}

#define READS	100	/* minimum number of successes, and of failures */

/*
 * A command succeeds if it runs on the monitored CPU, and fails otherwise. The
 * CPU on which the thread was when it issued the command does not matter.
 */
/* Proves 3.1-07, 3.1.4-25, 4.3.2-05 */
TEST(calls_by_migrating_thread_use_the_loaded_cpu)
{
	bool *over = mmap(NULL, sizeof(*over), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct migrated m = { thread_id(), over };
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);
	int done, here = 0, elsewhere = 0;
	__u64 last = 0;
	pid_t child;

	need_two_cpus();
	CHECK(over != MAP_FAILED);
	ctx_add_counter(fd, 0, 0, 0);
	ctx_pin(1);
	ctx_start_on(fd, thread_id());
	child = spawn(migrate, &m);
	while (here < READS || elsewhere < READS) {
		pfarg_pmd_t pmds[8] = {};

		for (size_t i = 0; i < ARRAY_SIZE(pmds); i++)
			pmds[i].reg_value = SENTINEL;
		if (pfm_read_pmds(fd, pmds, ARRAY_SIZE(pmds))) {
			CHECK_EQ(errno, EBUSY);
			elsewhere++;
		} else {
			here++;
		}
		done = count_read(pmds, ARRAY_SIZE(pmds));
		for (int i = 0; i < done; i++) {
			CHECK(pmds[i].reg_value >= last);
			last = pmds[i].reg_value;
		}
	}
	*over = true;
	reap(child);
	ctx_pin(1);
	CHECK(ctx_read(fd, 0) >= last);
	ctx_stop(fd);
}

/* Measure CPU 0 and a worker that runs there. */
static void measure_worker(int fd, struct worker *w)
{
	worker_start_pinned(w);
	ctx_pin(0);
	ctx_start_on(fd, thread_id());
}

/* A write to a started context must change the CPU's counters at once. */
/* Proves 3.1.2-23, 3.1.3-10, 3.1.3-23, 3.1.4-17 */
TEST(registers_of_measured_cpu_can_be_written)
{
	const __u64 far = 1ULL << 40;
	pfarg_pmc_t pmc = { .reg_num = 1, .reg_value = PAGE_FAULTS };
	pfarg_pmd_t pmd = { .reg_num = 0, .reg_value = far };
	int fd = ctx_new(PFM_FL_SYSTEM_WIDE);
	struct worker w;

	ctx_add_counter(fd, 0, 0, 0);
	measure_worker(fd, &w);
	worker_do(&w, WORK_TOUCH, FAULTS);
	CHECK(ctx_read(fd, 0) >= FAULTS && ctx_read(fd, 0) < far);
	CHECK_EQ(ctx_read(fd, 1), 0);
	CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
	CHECK_EQ(ctx_last_reset(fd, 0), far);
	CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	worker_do(&w, WORK_TOUCH, FAULTS);
	CHECK(ctx_read(fd, 0) >= far + FAULTS);
	CHECK(ctx_read(fd, 1) >= FAULTS && ctx_read(fd, 1) < far);
	worker_quit(&w);
}

/* Proves 3.1.4-19, 3.1.9-09 */
TEST(masked_context_can_be_read_on_its_cpu)
{
	int fd = ctx_notifying(PFM_FL_SYSTEM_WIDE, FAULTS);
	struct worker w;

	measure_worker(fd, &w);
	worker_do(&w, WORK_TOUCH, FAULTS);
	ctx_expect_state(fd, "masked");
	/* The count stays exact while the context is masked. */
	CHECK_EQ(ctx_read(fd, 0), 0);
	CHECK_OK(pfm_restart(fd));
	CHECK_EQ(ctx_last_reset(fd, 0), -(__u64)FAULTS);
	CHECK(ctx_read(fd, 0) >= -(__u64)FAULTS);
	worker_quit(&w);
}

/* Proves P4.1-04 */
TEST(notification_names_the_running_thread)
{
	int fd = ctx_notifying(PFM_FL_SYSTEM_WIDE, FAULTS);
	struct worker w;
	pfm_msg_t msg;

	measure_worker(fd, &w);
	worker_do(&w, WORK_TOUCH, FAULTS);
	CHECK_EQ(read(fd, &msg, sizeof(msg)), sizeof(msg));
	CHECK_EQ(msg.msg_type, PFM_MSG_OVFL);
	CHECK_EQ(msg.ovfl.msg_ovfl_cpu, 0);
	CHECK_EQ(msg.ovfl.msg_ovfl_tid, w.pid);
	worker_quit(&w);
}

/* Proves 3.4.3-13 */
TEST(notification_masks_the_cpu_until_restart)
{
	int fd = ctx_notifying(PFM_FL_SYSTEM_WIDE, FAULTS);
	struct worker w;
	__u64 value;

	measure_worker(fd, &w);
	for (int i = 0; i < 2; i++) {
		worker_do(&w, WORK_TOUCH, FAULTS);
		ctx_expect_message(fd, PFM_MSG_OVFL);
		ctx_expect_state(fd, "masked");
		value = ctx_read(fd, 0);
		worker_do(&w, WORK_TOUCH, FAULTS);
		CHECK_EQ(ctx_read(fd, 0), value);
		ctx_expect_no_message(fd);
		CHECK_OK(pfm_restart(fd));
		ctx_expect_state(fd, "started");
	}
	worker_quit(&w);
}

#define OCCUPIED_NS	3000000000
#define RT_RUNTIME	"/proc/sys/kernel/sched_rt_runtime_us"
#define RT_PRIORITY	50

/*
 * A context on CPU 1, and the number of page faults caused there. This
 * structure is in shared memory.
 */
struct occupied {
	int		fd;
	unsigned long	faults;
};

/* As a real-time thread, occupy CPU 1 with page faults. */
static void occupy_measured_cpu(void *arg)
{
	const struct sched_param param = { .sched_priority = RT_PRIORITY };
	struct occupied *o = arg;
	__u64 until;

	ctx_pin(1);
	CHECK_OK(sched_setscheduler(0, SCHED_FIFO, &param));
	faults_prepare();
	until = clock_ns(CLOCK_MONOTONIC) + OCCUPIED_NS;
	CHECK_OK(pfm_start(o->fd, NULL));
	while (clock_ns(CLOCK_MONOTONIC) < until)
		touch_pages(100, &o->faults);
	ctx_stop(o->fd);
}

/* Prepare to count the page faults of CPU 1 in two sets that take turns. */
static struct occupied *count_in_turns(__u64 turn_ns)
{
	struct occupied *o = mmap(NULL, sizeof(*o), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pfarg_setdesc_t desc = {
		.set_flags = PFM_SETFL_TIME_SWITCH,
		.set_timeout.tv_nsec = turn_ns,
	};

	CHECK(o != MAP_FAILED);
	o->fd = ctx_new(PFM_FL_SYSTEM_WIDE);
	for (unsigned int id = 0; id < 2; id++) {
		desc.set_id = id;
		CHECK_OK(pfm_create_evtsets(o->fd, &desc, 1));
		ctx_add_set_counter(o->fd, id, 0, 0, 0, 0);
	}
	ctx_pin(1);
	ctx_load_self(o->fd);
	return o;
}

static void measure_beside_realtime_thread(void *arg)
{
	struct occupied *o = count_in_turns(OCCUPIED_NS / 10);

	reap(spawn(occupy_measured_cpu, o));
	/*
	 * If the first switch were never finished, only a tenth of the page
	 * faults would be counted. Accept a third, because a switch can take a
	 * while on an emulated CPU that waits for a CPU of the host.
	 */
	CHECK(ctx_read_set(o->fd, 0, 0) + ctx_read_set(o->fd, 1, 0) >=
	      o->faults / 3);
	CHECK(ctx_set_info(o->fd, 1).set_runs > 1);
}

/*
 * A real-time thread that never leaves the monitored CPU must not prevent set
 * switches.
 */
TEST(realtime_thread_does_not_stop_set_switches)
{
	need_two_cpus();
	with_setting(RT_RUNTIME, "-1", measure_beside_realtime_thread, NULL);
}
