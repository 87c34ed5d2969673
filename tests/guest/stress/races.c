// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * races.c - commands that race with each other, with new threads and processes,
 *	     and with mappings, overflows, exec and close
 *
 * The tests do not depend on timing. A defect in the code would usually crash
 * the guest.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "modules.h"
#include "params.h"
#include "smpl.h"
#include "worker.h"

#define THREADS		4
#define ROUNDS		10
#define COMMANDS	10	/* per thread */

static long count_references(void)
{
	return module_references(MODULE_CORE);
}

static void run_threads(void *(*run)(void *arg), void *arg, unsigned int n)
{
	pthread_t threads[THREADS];

	for (unsigned int i = 0; i < n; i++)
		CHECK(!pthread_create(&threads[i], NULL, run, arg));
	for (unsigned int i = 0; i < n; i++)
		CHECK(!pthread_join(threads[i], NULL));
}

/* Commands */

struct target {
	int	fd;
	pid_t	pid;
	__u32	smpl_flags;
};

static int any_command(const struct target *t, unsigned int which)
{
	pfarg_load_t load = { .load_pid = t->pid };
	struct counter c = counter(which % 3, t->smpl_flags, 7);

	switch (which % 8) {
	case 0:
		return pfm_write_pmcs(t->fd, &c.pmc, 1);
	case 1:
		return pfm_write_pmds(t->fd, &c.pmd, 1);
	case 2:
		c.pmd = (pfarg_pmd_t){ .reg_num = which % 3 };
		return pfm_read_pmds(t->fd, &c.pmd, 1);
	case 3:
		return pfm_start(t->fd, NULL);
	case 4:
		return pfm_stop(t->fd);
	case 5:
		return pfm_restart(t->fd);
	case 6:
		return pfm_load_context(t->fd, &load);
	default:
		return pfm_unload_context(t->fd);
	}
}

static void *many_commands(void *target)
{
	unsigned int seed = thread_id();

	/*
	 * The arguments are valid, so a command can fail only because the
	 * context, which all threads change, is in the wrong state for it.
	 */
	for (int i = 0; i < COMMANDS; i++)
		if (any_command(target, rand_r(&seed)))
			CHECK_EQ(errno, EBUSY);
	return NULL;
}

/* Proves H08 */
TEST(concurrent_commands_are_serialized)
{
	struct target t = { .fd = ctx_new(0),
			    .smpl_flags = PFM_REGFL_OVFL_NOTIFY };
	struct worker w;

	worker_start(&w);
	t.pid = w.pid;
	worker_ask(&w, WORK_TOUCH, -1UL);
	run_threads(many_commands, &t, THREADS);
	worker_kill(&w);
	CHECK_OK(close(t.fd));
	/* The context is now closed. A new one must count exactly. */
	t.fd = ctx_counting();
	worker_start(&w);
	ctx_start_on(t.fd, w.pid);
	worker_do(&w, WORK_TOUCH, 10);
	CHECK_EQ(ctx_read(t.fd, 0), 10);
	worker_quit(&w);
}

/*
 * Create threads and processes that call exec and exit, until this process is
 * killed.
 */
static void breed(void *unused)
{
	static const char *const ways[] = {
		"forks", "vforks", "threads", "thread-execs", "killed",
	};
	int null = CHECK_OK(open("/dev/null", O_WRONLY | O_CLOEXEC));

	CHECK_OK(dup2(null, STDOUT_FILENO));
	for (unsigned int i = 0;; i++) {
		pid_t pid = CHECK_OK(fork());

		if (!pid) {
			execl(program_path("family"), "family",
			      ways[i % ARRAY_SIZE(ways)], "3", "1", NULL);
			_exit(FAILED);
		}
		reap(pid);
	}
}

/*
 * Create a context that monitors a family, that is, a process and its
 * descendants. If @samples, it has a sampling buffer.
 */
static int try_family(bool samples)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT };
	int fd = samples ? smpl_create(&ctx, PFM_FL_INHERIT, 8192, 0) :
			   pfm_create_context(&ctx, NULL, 0);

	if (fd < 0 && errno == EOPNOTSUPP)
		check_skip("perfmon does not support families on PREEMPT_RT");
	CHECK_OK(fd);
	CHECK_OK(fcntl(ctx.ctx_fd, F_SETFD, FD_CLOEXEC));
	return ctx.ctx_fd;
}

/* Proves H08, H32 */
TEST(commands_on_a_family_race_with_births)
{
	long references = count_references();
	struct target t;

	close(try_family(false));
	t = (struct target){ .pid = spawn(breed, NULL) };
	for (int round = 0; round < 2 * ROUNDS; round++) {
		bool samples = round % 2;

		t.fd = try_family(samples);
		t.smpl_flags = samples ? PFM_REGFL_OVFL_NOTIFY : 0;
		run_threads(many_commands, &t, THREADS);
		CHECK_OK(close(t.fd));
	}
	CHECK_OK(kill(t.pid, SIGKILL));
	wait_for(t.pid);
	while (count_references() != references)
		sched_yield();
}

/* Mappings */

/*
 * Read the buffer's header, unless close_it() has already made the mapping
 * unreadable.
 */
static void read_header(void *mapped)
{
	const struct smpl *s = mapped;
	pfm_default_smpl_hdr_t hdr;

	if (copy_mapped(&hdr, s->hdr, sizeof(hdr)))
		CHECK_EQ(hdr.hdr_version, PFM_DFL_SMPL_VERSION);
}

static void *fork_with(void *mapped)
{
	reap(spawn(read_header, mapped));
	return NULL;
}

static void *close_it(void *mapped)
{
	CHECK_OK(close(((struct smpl *)mapped)->fd));
	return NULL;
}

static void *map_it_again(void *mapped)
{
	const struct smpl *s = mapped;
	void *buf = mmap(NULL, s->size, PROT_READ, MAP_SHARED, s->fd, 0);

	CHECK(buf == MAP_FAILED);
	return NULL;
}

/* Proves H01 */
TEST(mappings_race_with_close_and_fork)
{
	void *(*const jobs[])(void *arg) = {
		fork_with, close_it, map_it_again
	};
	long references = count_references();
	pthread_t threads[3];

	for (int round = 0; round < ROUNDS; round++) {
		struct smpl s = smpl_new(0, 16384, 0);

		for (int i = 0; i < 3; i++)
			CHECK(!pthread_create(&threads[i], NULL, jobs[i], &s));
		for (int i = 0; i < 3; i++)
			CHECK(!pthread_join(threads[i], NULL));
		CHECK(!can_read(s.hdr));
		CHECK_OK(munmap((void *)s.hdr, s.size));
	}
	CHECK_EQ(count_references(), references);
}

/* Overflows */

/* Proves H07, H06 */
TEST(close_races_with_overflows)
{
	unsigned long done;
	struct worker w;

	worker_start(&w);
	worker_ask(&w, WORK_TOUCH, -1UL);
	for (int round = 0; round < ROUNDS; round++) {
		struct smpl s = smpl_new(0, 1 << 20, 0);

		ctx_add_counter(s.fd, 0, 0, 1);
		ctx_start_on(s.fd, w.pid);
		while (s.hdr->hdr_count < (unsigned int)round % 4)
			sched_yield();
		CHECK_OK(close(s.fd));
		CHECK_OK(munmap((void *)s.hdr, s.size));
	}
	done = worker_progress(&w);
	while (worker_progress(&w) < done + 100)
		sched_yield();
	worker_kill(&w);
}

/* Exec */

/*
 * Attach a context while a worker executes a set-uid program. If the context
 * was attached before the exec, the exec detaches it. After the exec, attaching
 * fails.
 */
static void attach_while_it_execs(int round)
{
	int fd = ctx_counting_user(), ret;
	struct worker w;

	worker_start(&w);
	worker_ask(&w, WORK_EXEC_SETID, 0);
	for (int i = 0; i < round % 8; i++)
		sched_yield();
	ret = pfm_load_context(fd, &(pfarg_load_t){ .load_pid = w.pid });
	if (ret)
		CHECK_EQ(errno, EPERM);
	worker_wait(&w);
	if (!ret)
		ctx_wait_state(fd, "unloaded");
	CHECK_ERRNO(pfm_load_context(fd, &(pfarg_load_t){ .load_pid = w.pid }),
		    EPERM);
	worker_quit(&w);
	close(fd);
}

static void attach_as_nobody(void *unused)
{
	become_nobody();
	for (int round = 0; round < ROUNDS; round++)
		attach_while_it_execs(round);
}

/* Proves H10 */
TEST(attaching_races_with_an_exec_that_gains_privileges)
{
	struct param_run r = { "paranoid", "2", attach_as_nobody, NULL };

	worker_make_setid();
	with_param(&r);
	CHECK_OK(unlink(SETID_WORKER));
}

/*
 * As an administrator, load a context with many sets while a worker executes
 * the set-uid program. The load must succeed, and the context must stay
 * attached.
 */
static void load_while_it_execs(int fd, int round)
{
	struct worker w;

	worker_start_as_nobody(&w);
	worker_ask(&w, WORK_EXEC_SETID, 0);
	for (int i = 0; i < round; i++)
		sched_yield();
	ctx_load(fd, w.pid);
	worker_wait(&w);
	ctx_expect_state(fd, "stopped");
	CHECK_OK(pfm_unload_context(fd));
	worker_quit(&w);
	close(w.done);
}

TEST(administrator_attaches_during_set_uid_exec)
{
	int fd = ctx_counting();

	worker_make_setid();
	for (unsigned int id = 1; id < 20; id++) {
		struct counter c = counter(0, 0, 0);

		ctx_create_set(fd, id, 0);
		c.pmc.reg_set = c.pmd.reg_set = id;
		counter_write(fd, &c);
	}
	for (int round = 0; round < 5 * ROUNDS; round++)
		load_while_it_execs(fd, round);
	CHECK_OK(unlink(SETID_WORKER));
}
