// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * disturb.c - processes that disturb contexts until they are told to stop
 */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/mman.h>

#include "check.h"
#include "cpus.h"
#include "disturb.h"
#include "kinds.h"
#include "modules.h"

/**
 * struct shared - state shared by all processes of a test
 * @over:     the disturbing processes must stop
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
				 * In use, not loaded, or being loaded or
				 * unloaded.
				 */
				CHECK(errno == EAGAIN || errno == ENOENT ||
				      errno == EBUSY);
		}
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
