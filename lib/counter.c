// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * counter.c - read running counters without the kernel
 *
 * Only the monitored thread may read its counters. If another thread executes
 * the instruction that reads a counter, the instruction is illegal, or returns
 * that other thread's own counts. A thread is identified by its thread ID.
 * After fork() a child has a copy of the variable that holds this ID, and may
 * have the same ID in another PID namespace. So a page that fork() wipes
 * distinguishes the processes.
 */
#define _GNU_SOURCE
#include "counter.h"

#ifdef __aarch64__

#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CYCLE_COUNTER	31

/* Last generation number used; a process created by fork() takes the next */
static __u32 last_generation;
/*
 * This process's generation number, in a page that fork() wipes; 0 until needed
 */
static __u32 *generation;

/* This thread's gettid(), and the generation in which it was called */
static __thread struct {
	__u32	tid;
	__u32	generation;
} self;

static __u32 *wiped_by_fork(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return NULL;
	if (!madvise(page, size, MADV_WIPEONFORK))
		return page;
	munmap(page, size);
	return NULL;
}

/* Create the page, unless another thread does. Return: 1 if the page exists. */
static int have_generation(void)
{
	__u32 *page, *none = NULL;

	if (__atomic_load_n(&generation, __ATOMIC_ACQUIRE))
		return 1;
	page = wiped_by_fork();
	if (!page)
		return 0;
	if (!__atomic_compare_exchange_n(&generation, &none, page, 0,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		munmap(page, (size_t)sysconf(_SC_PAGESIZE));
	return 1;
}

static __u32 this_generation(void)
{
	__u32 none = 0, next;

	if (!have_generation())
		return 0;
	next = __atomic_add_fetch(&last_generation, 1, __ATOMIC_RELAXED);
	if (__atomic_compare_exchange_n(generation, &none, next, 0,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return next;
	return none;
}

struct counter_user counter_this_user(void)
{
	struct counter_user user = { 0, 0 };
	struct stat ns;

	if (stat("/proc/self/ns/pid", &ns))
		return user;
	user.pid_ns = (__u32)ns.st_ino;
	user.generation = this_generation();
	return user;
}

/* Is this the process that created the mapping? */
static int is_user(const struct counter_user *user)
{
	return user->generation &&
	       __atomic_load_n(generation, __ATOMIC_RELAXED) ==
		       user->generation;
}

/*
 * Get the thread's ID, then read the counter. The ID is not known yet at the
 * first read in a thread, and at the first read in a child after fork().
 */
static __attribute__((__noinline__)) int
ask_and_read(const struct counter_user *user,
	     const volatile pfm_set_page_t *page, int state, __u64 *value)
{
	self.tid = (__u32)gettid();
	self.generation = user->generation;
	return counter_read(user, page, state, value);
}

/*
 * An administrator may revoke the access at any time. The mrs then traps, and
 * the kernel skips it and the next instruction, which would have set the mark.
 */
#define READ_AND_MARK(reg)	"mrs %0, " reg "\n\tmovz %w1, %2"

#define READ_EVENT_COUNTER(n)						\
	case n:								\
		__asm__ volatile(READ_AND_MARK("pmevcntr" #n "_el0")	\
				 : "+r"(value), "+r"(mark)		\
				 : "i"(PFM_MAP_COUNTER_MARK) : "memory"); \
		break

/* Return: 1 if the counter could be read, else 0. */
static int read_actual(unsigned int n, __u64 *count)
{
	__u64 value = 0;
	__u32 mark = 0;

	switch (n) {
	READ_EVENT_COUNTER(0);
	READ_EVENT_COUNTER(1);
	READ_EVENT_COUNTER(2);
	READ_EVENT_COUNTER(3);
	READ_EVENT_COUNTER(4);
	READ_EVENT_COUNTER(5);
	READ_EVENT_COUNTER(6);
	READ_EVENT_COUNTER(7);
	READ_EVENT_COUNTER(8);
	READ_EVENT_COUNTER(9);
	READ_EVENT_COUNTER(10);
	READ_EVENT_COUNTER(11);
	READ_EVENT_COUNTER(12);
	READ_EVENT_COUNTER(13);
	READ_EVENT_COUNTER(14);
	READ_EVENT_COUNTER(15);
	READ_EVENT_COUNTER(16);
	READ_EVENT_COUNTER(17);
	READ_EVENT_COUNTER(18);
	READ_EVENT_COUNTER(19);
	READ_EVENT_COUNTER(20);
	READ_EVENT_COUNTER(21);
	READ_EVENT_COUNTER(22);
	READ_EVENT_COUNTER(23);
	READ_EVENT_COUNTER(24);
	READ_EVENT_COUNTER(25);
	READ_EVENT_COUNTER(26);
	READ_EVENT_COUNTER(27);
	READ_EVENT_COUNTER(28);
	READ_EVENT_COUNTER(29);
	READ_EVENT_COUNTER(30);
	case CYCLE_COUNTER:
		__asm__ volatile(READ_AND_MARK("pmccntr_el0")
				 : "+r"(value), "+r"(mark)
				 : "i"(PFM_MAP_COUNTER_MARK) : "memory");
		break;
	}
	*count = value;
	return mark == PFM_MAP_COUNTER_MARK;
}

/* Get the lower @bits bits of @value; @bits is 1 to 64. */
static __u64 lower_bits(__u64 value, unsigned int bits)
{
	unsigned int others = (64 - bits) % 64;

	return value << others >> others;
}

/*
 * The kernel changes the data only while this thread is interrupted or not
 * running. So compiler fences suffice.
 */
int counter_read(const struct counter_user *user,
		 const volatile pfm_set_page_t *page, int state, __u64 *value)
{
	const volatile pfm_map_counter_t *c =
		&page->map_counter[state - PFM_MAP_COUNTER];
	unsigned int index;
	__u64 actual;
	__u32 seq;

	if (state >= PFM_MAP_COUNTER + PFM_MAP_COUNTERS || !is_user(user))
		return 0;
	/* A tail call, so that this function does not save registers for it. */
	if (self.generation != user->generation)
		return ask_and_read(user, page, state, value);
	if (page->map_tid != self.tid || page->map_pid_ns != user->pid_ns)
		return 0;
	seq = c->cnt_seq;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	index = c->cnt_index;
	if (!index || index > CYCLE_COUNTER + 1 ||
	    !read_actual(index - 1, &actual))
		return 0;
	*value = c->cnt_count +
		 lower_bits(actual - c->cnt_start, c->cnt_bits);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return !(seq & 1) && seq == c->cnt_seq ? 1 : -1;
}

#else /* !__aarch64__ */

struct counter_user counter_this_user(void)
{
	return (struct counter_user){ 0, 0 };
}

int counter_read(const struct counter_user *user,
		 const volatile pfm_set_page_t *page, int state, __u64 *value)
{
	(void)user;
	(void)page;
	(void)state;
	(void)value;
	return 0;
}

#endif /* __aarch64__ */
