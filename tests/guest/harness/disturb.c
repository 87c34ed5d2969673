// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * disturb.c - processes that disturb contexts until they are asked to stop
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "cpus.h"
#include "ctx.h"
#include "disturb.h"
#include "faults.h"
#include "kinds.h"
#include "modules.h"

/**
 * struct shared - state shared by all processes of a test
 * @over:     whether the disturbing processes must stop
 * @unloaded: number of modules that were unloaded
 */
struct shared {
	bool		over;
	unsigned int	unloaded;
};

static struct shared *shared;

void disturb_begin(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
}

void disturb_end(void)
{
	__atomic_store_n(&shared->over, true, __ATOMIC_RELEASE);
}

bool disturb_is_over(void)
{
	return __atomic_load_n(&shared->over, __ATOMIC_ACQUIRE);
}

unsigned int disturb_unloaded(void)
{
	return shared->unloaded;
}

void disturb_formats(void *unused)
{
	while (!disturb_is_over())
		for (unsigned int i = 0; i < NUM_KINDS; i++) {
			if (!module_unload(kinds[i].module))
				shared->unloaded++;
			else
				/*
				 * The module is in use, not loaded, or being
				 * loaded or unloaded.
				 */
				CHECK(errno == EAGAIN || errno == ENOENT ||
				      errno == EBUSY);
		}
}

#define CHILDREN	3

static void touch_and_bear(void *unused)
{
	pid_t pid;

	touch_pages(5, NULL);
	pid = CHECK_OK(fork());
	if (!pid)
		_exit(PASSED);
	reap(pid);
}

/* Read all messages that have arrived. */
static void read_messages(int fd)
{
	pfm_msg_t msg[4];
	ssize_t n = read(fd, msg, sizeof(msg));

	CHECK(n >= 0 || errno == EAGAIN);
}

/*
 * Operate on the context of this process and its children while the children
 * start and exit: stop and start it, read it, unload and load it, or restart
 * it.
 */
static void command_family(int fd, unsigned int what)
{
	switch (what % 4) {
	case 0:
		ctx_stop(fd);
		CHECK_OK(pfm_start(fd, NULL));
		break;
	case 1:
		ctx_read(fd, 0);
		break;
	case 2:
		CHECK_OK(pfm_unload_context(fd));
		ctx_start_on(fd, getpid());
		break;
	case 3:
		read_messages(fd);
		CHECK_OK(pfm_restart(fd));
	}
}

/*
 * Create a context that monitors a family, that is, a process and its
 * descendants. In every other round, the context samples if families can use
 * the round's format. Otherwise it counts.
 */
static int new_family(unsigned int round)
{
	const struct kind *kind = &kinds[round % NUM_KINDS];
	bool samples = round % 2 && kind->make_arg && !kind->needs_x86;
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT };
	int fd = samples ? kind_create(kind, &ctx) : ctx_new(PFM_FL_INHERIT);

	CHECK_OK(fcntl(fd, F_SETFL, O_NONBLOCK));
	ctx_add_counter(fd, 0, samples ? PFM_REGFL_OVFL_NOTIFY : 0, samples);
	return fd;
}

static void live_in_family(unsigned int round)
{
	int fd = new_family(round);
	pid_t children[CHILDREN];

	ctx_start_on(fd, getpid());
	for (unsigned int i = 0; i < CHILDREN; i++) {
		children[i] = spawn(touch_and_bear, NULL);
		command_family(fd, round + i);
	}
	if (round % 2)
		CHECK_OK(close(fd));
	for (unsigned int i = 0; i < CHILDREN; i++)
		reap(children[i]);
	if (!(round % 2))
		CHECK_OK(close(fd));
}

void disturb_births(void *unused)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT };
	int fd = pfm_create_context(&ctx, NULL, 0);

	/* perfmon refuses families on PREEMPT_RT kernels. */
	if (fd < 0) {
		CHECK_EQ(errno, EOPNOTSUPP);
		return;
	}
	close(ctx.ctx_fd);
	faults_prepare();
	for (unsigned int round = 0; !disturb_is_over(); round++)
		live_in_family(round);
}

void disturb_cpus(void *unused)
{
	while (!disturb_is_over()) {
		set_second_cpu(false);
		sched_yield();
		set_second_cpu(true);
		sched_yield();
	}
}
