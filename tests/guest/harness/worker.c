// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * worker.c - processes for tests to monitor, which work on request
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "worker.h"

#define NOBODY	65534

/*
 * The types have fixed sizes, because the worker of a 32-bit test may be a
 * 64-bit process.
 */
struct order {
	__u32	what;	/* enum work */
	__u32	n;
};

const char *program_path(const char *name)
{
	static char path[PATH_MAX];
	char self[PATH_MAX] = "";

	CHECK_OK(readlink("/proc/self/exe", self, sizeof(self) - 1));
	CHECK(snprintf(path, sizeof(path), "%s/%s", dirname(self), name) <
	      (int)sizeof(path));
	return path;
}

void become_nobody(void)
{
	CHECK_OK(setgroups(0, NULL));
	CHECK_OK(setresgid(NOBODY, NOBODY, NOBODY));
	CHECK_OK(setresuid(NOBODY, NOBODY, NOBODY));
	/*
	 * The change of IDs has made the process undumpable. Make it dumpable
	 * again, so that other processes of the user can attach to it.
	 */
	CHECK_OK(prctl(PR_SET_DUMPABLE, 1));
}

void worker_make_setid(void)
{
	int in = CHECK_OK(open(program_path("worker"), O_RDONLY | O_CLOEXEC));
	int out = CHECK_OK(open(SETID_WORKER, O_WRONLY | O_CREAT | O_TRUNC |
				O_CLOEXEC, 0755));
	struct stat st;

	CHECK_OK(fstat(in, &st));
	while (st.st_size > 0)
		st.st_size -= CHECK_OK(sendfile(out, in, NULL, st.st_size));
	CHECK_OK(fchmod(out, 04755));
	close(in);
	close(out);
}

static void touch_in_child(void *n)
{
	faults_prepare();
	touch_pages((unsigned long)n, NULL);
}

static void *touch_in_thread(void *n)
{
	touch_pages((unsigned long)n, NULL);
	return NULL;
}

static void run_thread(unsigned long n)
{
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, touch_in_thread, (void *)n));
	CHECK(!pthread_join(thread, NULL));
}

static void exec_worker(const char *path)
{
	execl(path, path, (char *)NULL);
	CHECK(!"exec failed");
}

static void do_work(const struct order *o, unsigned long *progress)
{
	switch (o->what) {
	case WORK_TOUCH:
		touch_pages(o->n, progress);
		break;
	case WORK_TOUCH_IN_CHILD:
		reap(spawn(touch_in_child, (void *)(uintptr_t)o->n));
		break;
	case WORK_TOUCH_IN_THREAD:
		run_thread(o->n);
		break;
	case WORK_PIN:
		ctx_pin(o->n);
		break;
	case WORK_EXEC:
		exec_worker(program_path("worker"));
		break;
	case WORK_EXEC_SETID:
		exec_worker(SETID_WORKER);
		break;
	}
}

void worker_loop(int ask, int done, unsigned long *progress)
{
	struct order o;
	char ready = 0;

	faults_prepare();
	/*
	 * Write once, because the first write to shared memory may cause a page
	 * fault.
	 */
	if (progress)
		*progress = 0;
	do {
		CHECK_OK(write(done, &ready, 1));
		if (read(ask, &o, sizeof(o)) != sizeof(o))
			return;
		do_work(&o, progress);
	} while (1);
}

struct start {
	struct worker	*w;
	int		ask;
	int		done;
	int		held;	/* -1: do not pass a descriptor */
	bool		nobody;
};

/*
 * Move the descriptors in @s to their fixed numbers, and close all others
 * except the standard streams. Otherwise a copy in the worker would keep a
 * context or pipe open after the test has closed it.
 */
static void keep_descriptors(const struct start *s)
{
	CHECK_OK(dup2(s->ask, WORKER_ASK_FD));
	CHECK_OK(dup2(s->done, WORKER_DONE_FD));
	if (s->held >= 0)
		CHECK_OK(dup3(s->held, WORKER_HELD_FD,
			      fcntl(s->held, F_GETFD) & FD_CLOEXEC ?
			      O_CLOEXEC : 0));
	CHECK_OK(close_range(STDERR_FILENO + 1, WORKER_ASK_FD - 1, 0));
	CHECK_OK(close_range(WORKER_HELD_FD + (s->held >= 0), ~0U, 0));
}

static void run_worker(void *arg)
{
	struct start *s = arg;

	keep_descriptors(s);
	alarm(check_timeout());
	if (s->nobody)
		become_nobody();
	worker_loop(WORKER_ASK_FD, WORKER_DONE_FD, s->w->progress);
}

static void start(struct start s)
{
	struct worker *w = s.w;
	int ask[2], done[2];

	CHECK_OK(pipe2(ask, O_CLOEXEC));
	CHECK_OK(pipe2(done, O_CLOEXEC));
	w->ask = ask[1];
	w->done = done[0];
	w->progress = mmap(NULL, sizeof(*w->progress), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(w->progress != MAP_FAILED);
	s.ask = ask[0];
	s.done = done[1];
	w->pid = spawn(run_worker, &s);
	close(ask[0]);
	close(done[1]);
	worker_wait(w);
}

void worker_start(struct worker *w)
{
	start((struct start){ .w = w, .held = -1 });
}

void worker_start_holding(struct worker *w, int fd)
{
	start((struct start){ .w = w, .held = fd });
}

void worker_start_as_nobody(struct worker *w)
{
	start((struct start){ .w = w, .held = -1, .nobody = true });
}

void worker_ask(const struct worker *w, enum work what, unsigned long n)
{
	struct order o = { .what = what, .n = n };

	CHECK(write(w->ask, &o, sizeof(o)) == sizeof(o));
}

void worker_wait(const struct worker *w)
{
	char ready;

	CHECK(read(w->done, &ready, 1) == 1);
}

void worker_do(const struct worker *w, enum work what, unsigned long n)
{
	worker_ask(w, what, n);
	worker_wait(w);
}

void worker_start_pinned(struct worker *w)
{
	worker_start(w);
	worker_do(w, WORK_PIN, 0);
}

void worker_quit(const struct worker *w)
{
	close(w->ask);
	reap(w->pid);
}

void worker_kill(const struct worker *w)
{
	CHECK_OK(kill(w->pid, SIGKILL));
	CHECK(WIFSIGNALED(wait_for(w->pid)));
}
