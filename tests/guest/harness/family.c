// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * family.c - create threads and processes that end in various ways
 *
 * usage: family WHAT [N [CALLS]]
 *
 * WHAT is a name in the table ways[]. Each of the N threads or processes calls
 * getppid() CALLS times. The program prints the expected total as "calls:
 * TOTAL".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ODD_STATUS	7
#define STACK_SIZE	(64 << 10)

static long number = 1, calls = 1;
static char *program;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/*
 * Make raw system calls, so that their number does not depend on the C library.
 */
static void call(void)
{
	for (long i = 0; i < calls; i++)
		syscall(SYS_getppid);
}

static void expect(long total)
{
	printf("calls: %ld\n", total);
	fflush(stdout);
}

/*
 * Use the raw system call, because the child's first system call must be
 * getppid().
 */
static pid_t raw_fork(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid < 0)
		fail("clone");
	return pid;
}

static int reap(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) < 0)
		fail("waitpid");
	return status;
}

static int forks(void)
{
	for (long i = 0; i < number; i++) {
		if (!raw_fork()) {
			call();
			_exit(0);
		}
	}
	for (long i = 0; i < number; i++)
		reap(-1);
	expect(number * calls);
	return 0;
}

static pid_t vfork_one(void)
{
	pid_t pid = vfork();

	if (!pid) {
		syscall(SYS_getppid);
		_exit(0);
	}
	return pid;
}

static int vforks(void)
{
	for (long i = 0; i < number; i++)
		reap(vfork_one());
	expect(number);
	return 0;
}

static void *call_in_thread(void *arg)
{
	(void)arg;
	call();
	return NULL;
}

static pthread_t start(void *(*routine)(void *arg), void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	if (pthread_create(&thread, &attr, routine, arg))
		fail("pthread_create");
	return thread;
}

/* Wait until all threads are alive, and only then call getppid(). */
static void *meet_and_call(void *barrier)
{
	pthread_barrier_wait(barrier);
	call();
	pthread_barrier_wait(barrier);
	return NULL;
}

static int threads(void)
{
	pthread_t *all = calloc((size_t)number, sizeof(*all));
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, (unsigned int)number);
	for (long i = 0; i < number; i++)
		all[i] = start(meet_and_call, &barrier);
	for (long i = 0; i < number; i++)
		pthread_join(all[i], NULL);
	free(all);
	expect(number * calls);
	return 0;
}

/*
 * Make the calls. If there is a barrier, wait there until all threads have made
 * theirs. Then pause.
 */
static void *pause_in_thread(void *barrier)
{
	call();
	if (barrier)
		pthread_barrier_wait(barrier);
	for (;;)
		pause();
	return NULL;
}

/*
 * Execute this program again as "spins". N is -1, so that it does not start
 * threads or children.
 */
static void *spin_after_exec(void *arg)
{
	(void)arg;
	execl(program, program, "spins", "-1", "1", NULL);
	fail("exec");
	return NULL;
}

static int thread_spins(void)
{
	start(spin_after_exec, NULL);
	for (;;)
		pause();
	return 1;
}

/*
 * Call exec only after all threads have made their calls and met at the
 * barrier, because exec ends the other threads.
 */
static void *exec_in_thread(void *barrier)
{
	char times[32];

	call();
	pthread_barrier_wait(barrier);
	snprintf(times, sizeof(times), "%ld", calls);
	execl(program, program, "call", "1", times, NULL);
	fail("exec");
	return NULL;
}

static void *exec_waits(void *arg)
{
	(void)arg;
	execl(program, program, "waits", NULL);
	fail("exec");
	return NULL;
}

/*
 * Call exec in another thread, which thus becomes the leader. The new program
 * waits for a signal.
 */
static int thread_waits(void)
{
	pthread_join(start(exec_waits, NULL), NULL);
	return 1;
}

/* Call exec in one thread. This ends the leader and the other threads. */
static int thread_execs(void)
{
	pthread_barrier_t barrier;

	expect((number + 3) * calls);
	pthread_barrier_init(&barrier, NULL, (unsigned int)number + 2);
	for (long i = 0; i < number; i++)
		start(pause_in_thread, &barrier);
	start(exec_in_thread, &barrier);
	pause_in_thread(&barrier);
	return 1;
}

static void *end_process(void *leader)
{
	pthread_join(*(pthread_t *)leader, NULL);
	call();
	exit(ODD_STATUS);
}

/* Let the leader exit before the other thread. */
static int leader_ends(void)
{
	static pthread_t leader;

	leader = pthread_self();
	expect(2 * calls);
	call();
	start(end_process, &leader);
	/* pthread_exit() needs libgcc_s, which a static program may lack. */
	syscall(SYS_exit, 0);
	return 1;
}

static int killed(void)
{
	int status;
	pid_t pid = raw_fork();

	if (!pid) {
		call();
		kill(getpid(), SIGKILL);
	}
	status = reap(pid);
	expect(calls);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 0 : 1;
}

static int stopped(void)
{
	int status, gate[2];
	pid_t pid;
	char end;

	if (pipe(gate))
		fail("pipe");
	pid = raw_fork();
	if (!pid) {
		close(gate[1]);
		call();
		kill(getpid(), SIGSTOP);
		call();
		/*
		 * Do not exit yet, because the parent checks that the process
		 * was continued.
		 */
		_exit(read(gate[0], &end, 1) ? 1 : ODD_STATUS);
	}
	if (waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status))
		return 1;
	kill(pid, SIGCONT);
	if (waitpid(pid, &status, WCONTINUED) != pid || !WIFCONTINUED(status))
		return 1;
	close(gate[1]);
	status = reap(pid);
	expect(2 * calls);
	return WEXITSTATUS(status) == ODD_STATUS ? 0 : 1;
}

/* Fork until RLIMIT_NPROC is reached. */
static int bomb(void)
{
	const struct rlimit limit = { (rlim_t)number, (rlim_t)number };
	long made = 0;
	int gate[2];
	char end;

	/*
	 * Become a user who has no other processes. The limit does not apply to
	 * root.
	 */
	if (pipe(gate) || setrlimit(RLIMIT_NPROC, &limit) || setuid(12345))
		fail("limit");
	for (;;) {
		pid_t pid = fork();

		if (pid < 0)
			break;
		made++;
		if (!pid) {
			close(gate[1]);
			call();
			_exit(read(gate[0], &end, 1) ? 1 : 0);
		}
	}
	close(gate[1]);
	for (long i = 0; i < made; i++)
		reap(-1);
	expect(made * calls);
	return 0;
}

/* Run short-lived processes one after the other. */
static int series(void)
{
	for (long i = 0; i < number; i++) {
		pid_t pid = raw_fork();

		if (!pid) {
			call();
			_exit(0);
		}
		reap(pid);
	}
	expect(number * calls);
	return 0;
}

/* Start a daemon that lives until it is killed. */
static int leaves_daemon(void)
{
	pid_t pid = raw_fork();

	if (!pid) {
		setsid();
		call();
		close(STDOUT_FILENO);
		close(STDERR_FILENO);
		for (;;)
			pause();
	}
	printf("daemon: %d\n", pid);
	return 0;
}

/*
 * Leave a child that stays in the same session. It calls getppid() after its
 * parent has been reaped.
 */
static int leaves_child(void)
{
	pid_t parent = getpid();

	if (!raw_fork()) {
		while (!kill(parent, 0))
			sched_yield();
		call();
		_exit(0);
	}
	expect(calls);
	return 0;
}

/* Exit right after the fork, without waiting for the child. */
static int leaves_orphan(void)
{
	expect(calls);
	if (!raw_fork())
		call();
	_exit(0);
}

/* Wait for a signal. Then make calls in this thread and in new threads. */
static int waits(void)
{
	pthread_barrier_t barrier;
	sigset_t set;
	int signal;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pthread_barrier_init(&barrier, NULL, 2);
	start(pause_in_thread, &barrier);
	pthread_barrier_wait(&barrier);
	printf("ready: %d\n", getpid());
	fflush(stdout);
	sigwait(&set, &signal);
	call();
	threads();
	return 0;
}

static int spins(void)
{
	for (long i = 0; i < number; i++)
		start(call_in_thread, NULL);
	for (long i = 0; i < number; i++) {
		if (!raw_fork()) {
			for (;;)
				call();
		}
	}
	printf("ready: %d\n", getpid());
	fflush(stdout);
	while (number)
		call();
	return 0;
}

static int just_call(void)
{
	call();
	return 0;
}

static int dies(void)
{
	kill(getpid(), SIGTERM);
	return 1;
}

static const struct {
	const char *name;
	int (*run)(void);
} ways[] = {
	{ "forks", forks },
	{ "vforks", vforks },
	{ "threads", threads },
	{ "thread-execs", thread_execs },
	{ "thread-waits", thread_waits },
	{ "leader-ends", leader_ends },
	{ "killed", killed },
	{ "stopped", stopped },
	{ "bomb", bomb },
	{ "series", series },
	{ "daemon", leaves_daemon },
	{ "child", leaves_child },
	{ "orphan", leaves_orphan },
	{ "thread-spins", thread_spins },
	{ "waits", waits },
	{ "spins", spins },
	{ "call", just_call },
	{ "dies", dies },
};

int main(int argc, char **argv)
{
	program = "/proc/self/exe";
	if (argc > 2)
		number = atol(argv[2]);
	if (argc > 3)
		calls = atol(argv[3]);
	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(*ways); i++) {
		if (!strcmp(argv[1], ways[i].name))
			return ways[i].run();
	}
	fprintf(stderr, "usage: %s WHAT [N [CALLS]]\n", argv[0]);
	return 2;
}
