// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * tasks.c - processes, threads and CPUs to be monitored
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "fuzz.h"

#define PAGES	16

/*
 * Cause page faults and use CPU time. This may be called in any process at any
 * time.
 */
static void work(unsigned int rounds)
{
	char *map = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return;
	while (rounds--) {
		for (unsigned int i = 0; i < PAGES; i++)
			__atomic_store_n(map + i * 4096, 1, __ATOMIC_RELAXED);
		madvise(map, PAGES * 4096, MADV_DONTNEED);
	}
	munmap(map, PAGES * 4096);
}

void fuzz_work(struct fuzz *f)
{
	unsigned int rounds = fuzz_below(f, 6);

	fuzz_tell(f, "work", " %u", rounds);
	work(rounds);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

void fuzz_pin(struct fuzz *f)
{
	int cpu = fuzz_below(f, 2);

	fuzz_tell(f, "pin", " to CPU %d", cpu);
	pin(cpu);
}

/*
 * Perform random actions until the victim exits or is killed. If a context has
 * blocked the victim, only the parent can unblock it. So let the kernel kill
 * the victim when the parent exits.
 */
_Noreturn void fuzz_victim_main(uint64_t seed)
{
	struct fuzz f = { .random = seed };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		switch (fuzz_below(&f, 200)) {
		case 0:
			_exit(0);
		case 1:
			if (!fork())
				_exit(0);
			break;
		case 2:
			sched_yield();
			break;
		case 3:
			pin(fuzz_below(&f, 2));
			break;
		default:
			work(fuzz_below(&f, 50));
			/* Sleep because victims must also be switched out. */
			usleep(100);
		}
	}
}

/* Run the victim as a new program, which inherits the descriptors. */
static void exec_victim(uint64_t seed)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)seed);
	execl("/proc/self/exe", "fuzz", "--victim", text, (char *)NULL);
	_exit(0);
}

/* Wait for a process, even if signals interrupt the wait. */
static void await(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void end_victim(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	await(pid);
}

/* Start a new victim, and kill an old one. */
void fuzz_victim(struct fuzz *f)
{
	pid_t *place = &f->process->victims[fuzz_below(f, FUZZ_VICTIMS)];
	uint64_t seed = fuzz_u64(f);
	bool exec = fuzz_one_in(f, 2);
	pid_t pid;

	fuzz_tell(f, "victim", "%s", exec ? " by exec" : "");
	pid = fork();
	if (!pid) {
		signal(SIGCHLD, SIG_IGN);
		if (exec)
			exec_victim(seed);
		fuzz_victim_main(seed);
	}
	end_victim(__atomic_exchange_n(place, pid, __ATOMIC_ACQ_REL));
}

void fuzz_kill_victims(struct fuzz *f)
{
	for (unsigned int i = 0; i < FUZZ_VICTIMS; i++)
		end_victim(__atomic_exchange_n(&f->process->victims[i], 0,
					       __ATOMIC_ACQ_REL));
}

/*
 * Use one of the descriptors that this child process has inherited. If
 * @close_them is true, close all of them before exit.
 */
static void use_inherited(int fd, bool close_them)
{
	pfarg_load_t load = { .load_pid = getpid() };
	pfarg_pmd_t pmd = {};

	pfm_start(fd, NULL);
	pfm_load_context(fd, &load);
	pfm_start(fd, NULL);
	work(2);
	pfm_read_pmds(fd, &pmd, 1);
	pfm_restart(fd);
	if (close_them)
		close_range(3, ~0U, 0);
	_exit(0);
}

void fuzz_fork(struct fuzz *f)
{
	bool close_them = fuzz_one_in(f, 2);
	int fd = fuzz_any_fd(f);
	pid_t pid;

	fuzz_tell(f, "fork", ", descriptor %d", fd);
	pid = fork();
	if (!pid)
		use_inherited(fd, close_them);
	await(pid);
}

/* Monitor the calling thread, which then exits. */
static void *monitor_self(void *fd)
{
	pfarg_load_t load = { .load_pid = syscall(SYS_gettid) };

	pfm_load_context((long)fd, &load);
	pfm_start((long)fd, NULL);
	work(2);
	return NULL;
}

void fuzz_thread(struct fuzz *f)
{
	long fd = fuzz_any_fd(f);
	pthread_t thread;

	fuzz_tell(f, "thread", ", descriptor %ld", fd);
	if (pthread_create(&thread, NULL, monitor_self, (void *)fd))
		fuzz_fail(f, "cannot create a thread");
	pthread_join(thread, NULL);
}
