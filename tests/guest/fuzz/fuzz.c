// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * fuzz.c - random perfmon calls, mixed with other system calls
 *
 * Multithreaded processes issue commands with valid, nearly valid or arbitrary
 * arguments on descriptors and mappings that their threads share. If there are
 * several processes, the last one is unprivileged. The program checks each
 * call: only certain errno values are allowed, and the call may change only its
 * argument. At the end, all context descriptors must be closed, and it must be
 * possible to unload all modules.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"
#include "keep_events.h"

#define NOBODY		65534
#define WAKE		SIGRTMAX	/* signal of a thread's timer */
#define LOOK_US		100000
/* If no thread starts a call for this long, something hangs. */
#define PATIENCE_S	100
#define TOLD_CALLS	10000	/* calls between two progress messages */

struct options {
	unsigned long long	seed;
	unsigned long		calls;
	unsigned int		threads;
	unsigned int		processes;
	bool			verbose;
};

static struct options options = {
	.seed = 1, .calls = 4000, .threads = 2, .processes = 2,
};

/* The states of all threads, shared by all processes. */
static struct fuzz_seat *seats;

/* Random numbers */

uint64_t fuzz_u64(struct fuzz *f)
{
	uint64_t z = f->random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint64_t fuzz_edge(struct fuzz *f)
{
	uint64_t bit = 1ULL << fuzz_below(f, 64);

	switch (fuzz_below(f, 6)) {
	case 0:
		return fuzz_below(f, 5) - 2ULL;
	case 1:
		return bit;
	case 2:
		return bit - 1;
	case 3:
		return -bit;
	case 4:
		return bit + 1;
	default:
		return fuzz_u64(f);
	}
}

/* Reports */

void fuzz_tell(struct fuzz *f, const char *what, const char *format, ...)
{
	va_list args;

	__atomic_store_n(&f->seat->what, what, __ATOMIC_RELAXED);
	__atomic_add_fetch(&f->seat->call, 1, __ATOMIC_RELAXED);
	if (!f->verbose)
		return;
	va_start(args, format);
	printf("# %lu: %s", f->seat->call, what);
	vprintf(format, args);
	printf("\n");
	fflush(stdout);
	va_end(args);
}

void fuzz_fail(struct fuzz *f, const char *format, ...)
{
	va_list args;

	printf("# seed %llu, thread %td, call %lu (%s): ",
	       (unsigned long long)f->seed, f->seat - f->seats, f->seat->call,
	       f->seat->what ?: "none");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

/* Actions */

static void wake_often(struct fuzz *f)
{
	static const long intervals[] = { 0, 0, 1000000, 10000000 };
	long ns = intervals[fuzz_below(f, ARRAY_SIZE(intervals))];
	struct itimerspec t = { { 0, ns }, { 0, ns } };

	fuzz_tell(f, "timer", " every %ld ns", ns);
	timer_settime(f->timer, 0, &t, NULL);
}

static void configure(struct fuzz *f)
{
	fuzz_tell(f, "configure", " as before");
	fuzz_configure();
}

static const struct {
	void		(*act)(struct fuzz *f);
	unsigned int	weight;
} actions[] = {
	{ fuzz_command, 100 },
	{ fuzz_session, 10 },
	{ fuzz_ioctl, 12 },
	{ fuzz_work, 10 },
	{ fuzz_close, 4 },
	{ fuzz_dup, 4 },
	{ fuzz_open, 1 },
	{ fuzz_read, 6 },
	{ fuzz_poll, 3 },
	{ fuzz_ask_signals, 3 },
	{ fuzz_show, 2 },
	{ fuzz_mmap, 8 },
	{ fuzz_munmap, 4 },
	{ fuzz_mprotect, 3 },
	{ fuzz_mremap, 3 },
	{ fuzz_victim, 3 },
	{ fuzz_fork, 1 },
	{ fuzz_thread, 2 },
	{ fuzz_pin, 4 },
	{ fuzz_config_file, 2 },
	{ fuzz_unload, 2 },
	{ fuzz_device, 2 },
	{ fuzz_unwind, 8 },
	{ wake_often, 2 },
	{ configure, 2 },
};

static void act(struct fuzz *f)
{
	unsigned int all = 0, n, i;

	for (i = 0; i < ARRAY_SIZE(actions); i++)
		all += actions[i].weight;
	n = fuzz_below(f, all);
	for (i = 0; n >= actions[i].weight; i++)
		n -= actions[i].weight;
	actions[i].act(f);
}

/* Threads */

static void make_timer(struct fuzz *f)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = WAKE,
		._sigev_un._tid = syscall(SYS_gettid),
	};

	if (timer_create(CLOCK_MONOTONIC, &event, &f->timer))
		fuzz_fail(f, "cannot create a timer");
}

static void *run_thread(void *arg)
{
	struct fuzz *f = arg;
	unsigned long calls =
		options.calls / (options.threads * options.processes);

	f->seat->tid = syscall(SYS_gettid);
	fuzz_arena_init(f);
	make_timer(f);
	for (unsigned long i = 0; i < calls; i++)
		act(f);
	timer_delete(f->timer);
	f->seat->tid = 0;
	return NULL;
}

/* Each thread has its own series of random numbers. */
static void init_thread(struct fuzz *f, struct fuzz_process *process,
			unsigned int number)
{
	*f = (struct fuzz){
		.process = process,
		.seats = seats,
		.seat = &seats[number],
		.random = options.seed + number,
		.seed = options.seed,
		.verbose = options.verbose,
	};
	f->random = fuzz_u64(f);
}

static void ignore(int signal)
{
}

static void handle_signals(void)
{
	static const int signals[] = { SIGIO, SIGALRM, SIGURG };
	struct sigaction action = { .sa_handler = ignore };

	for (unsigned int i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &action, NULL);
	sigaction(SIGRTMIN, &action, NULL);
	sigaction(WAKE, &action, NULL);
}

static void become_nobody(void)
{
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY)) {
		perror("cannot become nobody");
		_exit(1);
	}
}

/* Check that failed commands have left no context behind. */
static void check_leaks(struct fuzz *f)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	char target[64];
	ssize_t n;

	while (dir && (entry = readdir(dir))) {
		n = readlinkat(dirfd(dir), entry->d_name, target,
			       sizeof(target) - 1);
		target[n < 0 ? 0 : n] = '\0';
		if (strstr(target, "[perfmon"))
			fuzz_fail(f, "descriptor %s is a context left by a failed command",
				  entry->d_name);
	}
	if (dir)
		closedir(dir);
}

static void run_process(unsigned int number)
{
	struct fuzz_process process = {
		.maps_lock = PTHREAD_MUTEX_INITIALIZER,
		.group = open("/sys/fs/cgroup/command", O_RDONLY | O_CLOEXEC),
	};
	struct fuzz threads[FUZZ_MAX_THREADS];
	pthread_t ids[FUZZ_MAX_THREADS];

	memset(process.fds, -1, sizeof(process.fds));
	handle_signals();
	if (options.processes > 1 && number + 1 == options.processes)
		become_nobody();
	for (unsigned int i = 0; i < options.threads; i++) {
		init_thread(&threads[i], &process,
			    number * options.threads + i);
		if (pthread_create(&ids[i], NULL, run_thread, &threads[i]))
			fuzz_fail(&threads[i], "cannot create a thread");
	}
	for (unsigned int i = 0; i < options.threads; i++)
		pthread_join(ids[i], NULL);
	fuzz_close_all(&threads[0]);
	fuzz_kill_victims(&threads[0]);
	check_leaks(&threads[0]);
	fflush(stdout);
	_exit(0);
}

/* Supervision */

static unsigned long count_calls(void)
{
	unsigned long all = 0;

	for (unsigned int i = 0; i < FUZZ_MAX_THREADS; i++)
		all += __atomic_load_n(&seats[i].call, __ATOMIC_RELAXED);
	return all;
}

static void show_file(const char *format, pid_t tid)
{
	char path[64], text[4096];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), format, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		n = read(fd, text, sizeof(text));
	if (n > 0)
		printf("%.*s", (int)n, text);
	close(fd);
}

static void show_seats(void)
{
	for (unsigned int i = 0; i < FUZZ_MAX_THREADS; i++) {
		if (!seats[i].tid)
			continue;
		printf("# thread %u (%d) is at call %lu: %s\n", i,
		       seats[i].tid, seats[i].call, seats[i].what ?: "none");
		show_file("/proc/%d/stack", seats[i].tid);
	}
	fflush(stdout);
}

static bool ended_well(pid_t pid, int status)
{
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	printf("# process %d ended with wait status %#x\n", pid, status);
	return false;
}

static void say_progress(unsigned long calls)
{
	printf("# %lu calls of about %lu\n", calls, options.calls);
	fflush(stdout);
}

/*
 * Wait until all processes have exited, one has failed, or no call has been
 * started for PATIENCE_S seconds. Return: true if all processes succeeded.
 */
static bool watch(pid_t *pids)
{
	unsigned long last = 0, quiet = 0, calls;
	unsigned int left = options.processes;
	bool ok = true;
	int status;
	pid_t pid;

	while (left && ok && quiet < PATIENCE_S * 1000000UL / LOOK_US) {
		pid = waitpid(-1, &status, WNOHANG);
		if (pid > 0) {
			left--;
			ok = ended_well(pid, status);
			continue;
		}
		/* Sleep because a hanging call need not be noticed at once. */
		usleep(LOOK_US);
		calls = count_calls();
		if (calls / TOLD_CALLS != last / TOLD_CALLS)
			say_progress(calls);
		quiet = calls == last ? quiet + 1 : 0;
		last = calls;
	}
	if (left && ok)
		printf("# no call was started for %d s\n", PATIENCE_S);
	if (left)
		show_seats();
	for (unsigned int i = 0; left && i < options.processes; i++)
		kill(pids[i], SIGKILL);
	return ok && !left;
}

static bool run(void)
{
	pid_t pids[FUZZ_MAX_THREADS];
	bool ok;

	seats = mmap(NULL, FUZZ_MAX_THREADS * sizeof(*seats),
		     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seats == MAP_FAILED || keep_events_on() < 0) {
		perror("fuzz");
		return false;
	}
	fuzz_begin();
	for (unsigned int i = 0; i < options.processes; i++) {
		pids[i] = fork();
		if (!pids[i])
			run_process(i);
	}
	ok = watch(pids);
	fuzz_end();
	printf("# %lu calls\n", count_calls());
	return ok && fuzz_unload_all();
}

/* The command line */

static const char usage[] =
	"usage: fuzz [OPTION]...\n"
	"Make random perfmon calls and check the results. Needs root. No other program\n"
	"must be using perfmon, because all modules are reloaded at the end.\n"
	"\n"
	"  --seed N       seed of all random numbers (default: 1)\n"
	"  --calls N      total number of calls of all threads (default: 4000)\n"
	"  --threads N    number of threads per process (default: 2)\n"
	"  --processes N  number of processes (default: 2)\n"
	"  --verbose      print each call\n"
	"\n"
	"With the same seed, threads and processes, each thread makes the same series\n"
	"of calls. The scheduling of threads and overflows still varies. The order of\n"
	"all calls is reproducible only with --threads 1 --processes 1.\n";

static const struct option long_options[] = {
	{ "seed", required_argument, NULL, 's' },
	{ "calls", required_argument, NULL, 'c' },
	{ "threads", required_argument, NULL, 't' },
	{ "processes", required_argument, NULL, 'p' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	/* Internal option: run a victim after exec. */
	{ "victim", required_argument, NULL, 'V' },
	{}
};

static unsigned long long parse_number(const char *text)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 0);

	if (end == text || *end) {
		fprintf(stderr, "fuzz: '%s' is not a number\n", text);
		exit(2);
	}
	return n;
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		switch (c) {
		case 's':
			options.seed = parse_number(optarg);
			break;
		case 'c':
			options.calls = parse_number(optarg);
			break;
		case 't':
			options.threads = parse_number(optarg);
			break;
		case 'p':
			options.processes = parse_number(optarg);
			break;
		case 'v':
			options.verbose = true;
			break;
		case 'V':
			fuzz_victim_main(parse_number(optarg));
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			fputs(usage, stderr);
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	bool ok;

	parse(argc, argv);
	if (!options.threads || !options.processes ||
	    options.threads > FUZZ_MAX_THREADS ||
	    options.processes > FUZZ_MAX_THREADS / options.threads) {
		fprintf(stderr, "fuzz: the total number of threads must be 1 to %d\n",
			FUZZ_MAX_THREADS);
		return 2;
	}
	printf("# fuzz --seed %llu --calls %lu --threads %u --processes %u\n",
	       options.seed, options.calls, options.threads,
	       options.processes);
	fflush(stdout);
	ok = run();
	printf("%sok 1 - fuzz\n1..1\n", ok ? "" : "not ");
	return !ok;
}
